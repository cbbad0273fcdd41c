//! Edits of project files as people write them.

use serde_json::json;

use super::super::testing::{Fake, call};
use super::edit::{add_item, remove_item, remove_property, set_property};

const TYPICAL: &str = r#"<Project Sdk="Microsoft.NET.Sdk">

  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>net8.0</TargetFramework> <!-- moves with the SDK -->
    <Nullable/>
    <!-- last word -->
  </PropertyGroup>

  <PropertyGroup Condition="'$(Configuration)' == 'Release'">
    <Optimize>true</Optimize>
  </PropertyGroup>

  <ItemGroup>
    <PackageReference Include="Serilog" Version="4.0.0" />
    <PackageReference Include="xunit" Version="2.9.0">
      <PrivateAssets>all</PrivateAssets>
    </PackageReference>
  </ItemGroup>

</Project>
"#;

fn set(text: &str, name: &str, value: &str) -> String {
    let edited = set_property(text, name, value).expect("a project");
    edited.text.unwrap_or_else(|| text.to_owned())
}

#[test]
fn a_property_is_set_where_it_stands_and_nothing_else_changes() {
    let edited = set_property(TYPICAL, "targetframework", "net10.0").expect("a project");
    let expected = TYPICAL.replace("net8.0", "net10.0");
    assert_eq!(edited.text.as_deref(), Some(expected.as_str()));
    assert_eq!(edited.previous.as_deref(), Some("net8.0"));
    assert_eq!(edited.conditional, 0);
    let same = set_property(TYPICAL, "TargetFramework", "net8.0").expect("a project");
    assert_eq!(same.text, None);
}

#[test]
fn an_empty_element_is_opened() {
    let text = set(TYPICAL, "Nullable", "enable");
    assert_eq!(
        text,
        TYPICAL.replace("<Nullable/>", "<Nullable>enable</Nullable>")
    );
}

#[test]
fn a_new_property_goes_to_the_end_of_the_first_plain_group_behind_its_comments() {
    let text = set(TYPICAL, "LangVersion", "latest");
    let expected = TYPICAL.replace(
        "    <!-- last word -->\n",
        "    <!-- last word -->\n    <LangVersion>latest</LangVersion>\n",
    );
    assert_eq!(text, expected);
}

#[test]
fn definitions_under_a_condition_are_left_alone_and_counted() {
    let edited = set_property(TYPICAL, "Optimize", "false").expect("a project");
    let text = edited.text.expect("changed");
    assert_eq!(edited.conditional, 1);
    assert!(text.contains("    <Optimize>true</Optimize>\n"), "{text}");
    assert!(
        text.contains("-->\n    <Optimize>false</Optimize>\n  </PropertyGroup>"),
        "{text}"
    );
}

#[test]
fn the_last_of_several_definitions_is_set() {
    let text =
        "<Project>\n  <PropertyGroup>\n    <A>1</A>\n    <A>2</A>\n  </PropertyGroup>\n</Project>";
    assert_eq!(set(text, "A", "3"), text.replace("<A>2<", "<A>3<"));
}

#[test]
fn values_are_escaped_and_references_stay() {
    let text = set(TYPICAL, "DefineConstants", "$(DefineConstants);A<B&\"C\"");
    let line = "<DefineConstants>$(DefineConstants);A&lt;B&amp;&quot;C&quot;</DefineConstants>";
    assert!(text.contains(line), "{text}");
    let back = set_property(&text, "DefineConstants", "x").expect("a project");
    assert_eq!(
        back.previous.as_deref(),
        Some("$(DefineConstants);A<B&\"C\"")
    );
}

#[test]
fn tabs_and_windows_line_ends_are_kept() {
    let text = "<Project Sdk=\"Microsoft.NET.Sdk\">\r\n\t<PropertyGroup>\r\n\t\t<A>1</A>\r\n\t</PropertyGroup>\r\n</Project>\r\n";
    let expected = "<Project Sdk=\"Microsoft.NET.Sdk\">\r\n\t<PropertyGroup>\r\n\t\t<A>1</A>\r\n\t\t<B>2</B>\r\n\t</PropertyGroup>\r\n</Project>\r\n";
    assert_eq!(set(text, "B", "2"), expected);
    let added = add_item(text, "Compile", "x.cs")
        .expect("a project")
        .text
        .expect("changed");
    let group =
        "\r\n\t<ItemGroup>\r\n\t\t<Compile Include=\"x.cs\" />\r\n\t</ItemGroup>\r\n</Project>\r\n";
    assert!(added.ends_with(group), "{added:?}");
    let removed = remove_property(text, "A")
        .expect("a project")
        .text
        .expect("changed");
    assert_eq!(
        removed,
        "<Project Sdk=\"Microsoft.NET.Sdk\">\r\n</Project>\r\n"
    );
}

#[test]
fn a_project_without_any_group_gets_one() {
    for (text, expected) in [
        (
            "<Project Sdk=\"Microsoft.NET.Sdk\" />",
            "<Project Sdk=\"Microsoft.NET.Sdk\">\n  <PropertyGroup>\n    <A>1</A>\n  </PropertyGroup>\n</Project>",
        ),
        (
            "<Project Sdk=\"x\">\n</Project>\n",
            "<Project Sdk=\"x\">\n  <PropertyGroup>\n    <A>1</A>\n  </PropertyGroup>\n</Project>\n",
        ),
        (
            "<Project>\n  <!-- empty -->\n</Project>\n",
            "<Project>\n  <!-- empty -->\n  <PropertyGroup>\n    <A>1</A>\n  </PropertyGroup>\n</Project>\n",
        ),
        (
            "<Project><PropertyGroup><B>2</B></PropertyGroup></Project>",
            "<Project><PropertyGroup><B>2</B><A>1</A></PropertyGroup></Project>",
        ),
        (
            "<Project>\n  <PropertyGroup />\n</Project>\n",
            "<Project>\n  <PropertyGroup>\n    <A>1</A>\n  </PropertyGroup>\n</Project>\n",
        ),
        (
            "<Project>\n    <PropertyGroup>\n    </PropertyGroup>\n</Project>\n",
            "<Project>\n    <PropertyGroup>\n        <A>1</A>\n    </PropertyGroup>\n</Project>\n",
        ),
    ] {
        assert_eq!(set(text, "A", "1"), expected, "{text:?}");
    }
}

#[test]
fn a_new_group_follows_those_of_its_kind() {
    let text = TYPICAL.replace(
        "  <PropertyGroup>\n",
        "  <PropertyGroup Condition=\"true\">\n",
    );
    let out = set(&text, "A", "1");
    let expected = "    <Optimize>true</Optimize>\n  </PropertyGroup>\n\n  <PropertyGroup>\n    <A>1</A>\n  </PropertyGroup>\n\n  <ItemGroup>";
    assert!(out.contains(expected), "{out}");
}

#[test]
fn what_targets_and_choices_hold_is_not_the_projects() {
    let text = "<Project>\n  <Target Name=\"T\">\n    <PropertyGroup>\n      <A>1</A>\n    </PropertyGroup>\n  </Target>\n</Project>\n";
    let out = set(text, "A", "2");
    assert!(
        out.contains("<A>1</A>") && out.contains("\n  <PropertyGroup>\n    <A>2</A>\n"),
        "{out}"
    );
    assert_eq!(remove_property(text, "A").expect("a project").text, None);
}

#[test]
fn removing_a_property_takes_its_line_and_keeps_comments() {
    let edited = remove_property(TYPICAL, "OutputType").expect("a project");
    let expected = TYPICAL.replace("    <OutputType>Exe</OutputType>\n", "");
    assert_eq!(edited.text.as_deref(), Some(expected.as_str()));
    assert_eq!(edited.previous.as_deref(), Some("Exe"));
    let beside_a_comment = remove_property(TYPICAL, "TargetFramework").expect("a project");
    let text = beside_a_comment.text.expect("changed");
    assert!(text.contains("<!-- moves with the SDK -->"), "{text}");
    assert!(!text.contains("net8.0"), "{text}");
    assert_eq!(
        remove_property(TYPICAL, "Nothing").expect("a project").text,
        None
    );
}

#[test]
fn an_item_joins_those_of_its_type() {
    let out = add_item(TYPICAL, "PackageReference", "Dapper")
        .expect("a project")
        .text
        .expect("changed");
    let expected =
        "    </PackageReference>\n    <PackageReference Include=\"Dapper\" />\n  </ItemGroup>\n";
    assert!(out.contains(expected), "{out}");
    let again = add_item(&out, "packagereference", "dapper").expect("a project");
    assert_eq!(again.text, None);
    let folder = add_item(TYPICAL, "Compile", "a&b\\*.cs")
        .expect("a project")
        .text
        .expect("changed");
    let group = "  </ItemGroup>\n\n  <ItemGroup>\n    <Compile Include=\"a&amp;b\\*.cs\" />\n  </ItemGroup>\n\n</Project>";
    assert!(folder.contains(group), "{folder}");
}

#[test]
fn removing_items_takes_their_lines_and_shortens_lists() {
    let out = remove_item(TYPICAL, "PackageReference", "XUNIT")
        .expect("a project")
        .text
        .expect("changed");
    assert!(
        !out.contains("PrivateAssets") && out.contains("Serilog"),
        "{out}"
    );
    let list = "<Project>\n  <ItemGroup>\n    <Compile Include=\"a.cs; b\\c.cs ;d.cs\" Link=\"x\" />\n  </ItemGroup>\n</Project>\n";
    let out = remove_item(list, "Compile", "b/c.cs")
        .expect("a project")
        .text
        .expect("changed");
    assert_eq!(out, list.replace("a.cs; b\\c.cs ;d.cs", "a.cs;d.cs"));
    let last = remove_item(
        "<Project>\n  <ItemGroup>\n    <Compile Include=\"a.cs\" />\n  </ItemGroup>\n</Project>\n",
        "Compile",
        "a.cs",
    );
    assert_eq!(
        last.expect("a project").text.as_deref(),
        Some("<Project>\n</Project>\n")
    );
    assert_eq!(
        remove_item(TYPICAL, "Compile", "**/*.cs")
            .expect("a project")
            .text,
        None
    );
}

#[test]
fn old_projects_with_a_namespace_and_a_declaration_work() {
    let text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<Project ToolsVersion=\"15.0\" xmlns=\"http://schemas.microsoft.com/developer/msbuild/2003\">\r\n  <PropertyGroup>\r\n    <A>x</A>\r\n  </PropertyGroup>\r\n</Project>";
    assert_eq!(set(text, "A", "y"), text.replace(">x<", ">y<"));
}

#[test]
fn what_is_no_project_is_refused() {
    for text in [
        "",
        "<Solution />",
        "<Project><A></Project>",
        "plain",
        "<Project>",
        "<Project a=1/>",
    ] {
        assert!(set_property(text, "A", "1").is_err(), "{text:?}");
    }
    let deep = format!(
        "<Project>{}{}</Project>",
        "<a>".repeat(80),
        "</a>".repeat(80)
    );
    assert!(set_property(&deep, "A", "1").is_err());
}

#[tokio::test]
async fn the_byte_order_mark_and_the_rights_of_the_file_stay() {
    let fake = Fake::new();
    fake.write("App.csproj", format!("\u{feff}{TYPICAL}").as_bytes());
    let arguments = json!({"project": "App.csproj", "propertyName": "TargetFramework", "propertyValue": "net10.0"});
    let made = call("set-property", arguments, &fake)
        .await
        .expect("edited");
    assert_eq!(
        fake.text("App.csproj"),
        format!("\u{feff}{}", TYPICAL.replace("net8.0", "net10.0"))
    );
    assert_eq!(
        (&made["changed"], &made["previousValue"]),
        (&json!(true), &json!("net8.0"))
    );
    assert_eq!(fake.names(), ["App.csproj"], "nothing is left behind");
}

#[tokio::test]
async fn a_folder_stands_for_its_only_project() {
    let fake = Fake::new();
    fake.write("a/A.fsproj", TYPICAL.as_bytes());
    let item =
        |project: &str| json!({"project": project, "itemType": "Compile", "include": "x.fs"});
    call("add-item", item("a"), &fake).await.expect("edited");
    assert!(
        fake.text("a/A.fsproj")
            .contains("<Compile Include=\"x.fs\" />")
    );
    let made = call("remove-item", item("a/A.fsproj"), &fake)
        .await
        .expect("edited");
    assert_eq!(
        (
            made["removed"].clone(),
            fake.text("a/A.fsproj").contains("x.fs")
        ),
        (json!(true), false)
    );
    fake.write("a/B.csproj", TYPICAL.as_bytes());
    for project in ["a", "nothing", "nothing.csproj", "../x.csproj"] {
        assert!(
            call("add-item", item(project), &fake).await.is_err(),
            "{project}"
        );
    }
}

#[tokio::test]
async fn what_cannot_be_edited_stays_as_it_is() {
    let fake = Fake::new();
    fake.write("App.csproj", b"<Project>\xff</Project>");
    fake.write("Good.csproj", TYPICAL.as_bytes());
    for arguments in [
        json!({"project": "App.csproj", "propertyName": "A", "propertyValue": "1"}),
        json!({"project": "Good.csproj", "propertyName": "A"}),
        json!({"project": "Good.csproj", "propertyName": "A", "propertyValue": null}),
        json!({"project": "Good.csproj", "propertyName": "A b", "propertyValue": "1"}),
        json!({"project": "Good.csproj", "propertyName": "A><B", "propertyValue": "1"}),
        json!({"project": "Good.csproj", "propertyName": "msbuildprojectname", "propertyValue": "1"}),
        json!({"project": "Good.csproj", "propertyName": "A", "propertyValue": "\u{1}"}),
        json!({"propertyName": "A", "propertyValue": "1"}),
    ] {
        assert!(
            call("set-property", arguments.clone(), &fake)
                .await
                .is_err(),
            "{arguments}"
        );
    }
    assert_eq!(fake.text("Good.csproj"), TYPICAL);
    let empty =
        json!({"project": "Good.csproj", "propertyName": "OutputType", "propertyValue": ""});
    call("set-property", empty, &fake)
        .await
        .expect("an empty value is one");
    assert!(
        fake.text("Good.csproj")
            .contains("<OutputType></OutputType>")
    );
    let gone = json!({"project": "Good.csproj", "propertyName": "OutputType"});
    let made = call("remove-property", gone, &fake).await.expect("edited");
    assert_eq!(
        (&made["removed"], &made["previousValue"]),
        (&json!(true), &json!(""))
    );
}
