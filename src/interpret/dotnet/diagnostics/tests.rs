//! Lines that mislead, diagnostics of several lines, and what hostile output costs.

use super::*;

fn one(line: &str) -> Diagnostic {
    let found = Diagnostics::read(&[line]);
    assert_eq!(found.all.len(), 1, "{line}: {found:?}");
    found.all.into_iter().next().unwrap()
}

#[test]
#[allow(clippy::too_many_lines, reason = "a table of cases is long")]
fn parts_of_a_line() {
    for (line, file, span, code, text, project) in [
        (
            "Program.cs(9,51): error CS0246: X [/a/a.csproj]",
            "Program.cs",
            "9,51",
            "CS0246",
            "X",
            "/a/a.csproj",
        ),
        (
            "/dev/App (1)/P.cs(3,1): error CS0103: foo [/dev/App (1)/a.csproj]",
            "/dev/App (1)/P.cs",
            "3,1",
            "CS0103",
            "foo",
            "/dev/App (1)/a.csproj",
        ),
        (
            "P.cs(9,51,9,60): error CS0246: four numbers",
            "P.cs",
            "9,51,9,60",
            "CS0246",
            "four numbers",
            "",
        ),
        (
            "P.cs(9): error CS0246: line only",
            "P.cs",
            "9",
            "CS0246",
            "line only",
            "",
        ),
        (
            "/dev/a.csproj : error NU1101: no package",
            "/dev/a.csproj",
            "",
            "NU1101",
            "no package",
            "/dev/a.csproj",
        ),
        (
            "MSBUILD : error MSB1003: name a project",
            "",
            "",
            "MSB1003",
            "name a project",
            "",
        ),
        (
            "CSC : error CS5001: no Main [/dev/a.csproj]",
            "",
            "",
            "CS5001",
            "no Main",
            "/dev/a.csproj",
        ),
        (
            "T.cs(5,2): error xUnit1013: public [/a/a.csproj]",
            "T.cs",
            "5,2",
            "xUnit1013",
            "public",
            "/a/a.csproj",
        ),
        ("EXEC : error : boom", "", "", "", "boom", ""),
        (
            "S.sln : Solution file error MSB5010: no header",
            "S.sln",
            "",
            "MSB5010",
            "no header",
            "S.sln",
        ),
        (
            "     5>P.cs(1,1): error CS1002: ; expected",
            "P.cs",
            "1,1",
            "CS1002",
            "; expected",
            "",
        ),
        (
            r"C:\App\P.cs(1,2): error CS1002: ; expected [C:\App\a.csproj]",
            r"C:\App\P.cs",
            "1,2",
            "CS1002",
            "; expected",
            r"C:\App\a.csproj",
        ),
        (
            "a b/(c).txt : error Rec012: [x] [like this] [/m/m.csproj]",
            "a b/(c).txt",
            "",
            "Rec012",
            "[x] [like this]",
            "/m/m.csproj",
        ),
        (
            "P.cs(1,1): error CS1029: #error: 'at [a.csproj]'",
            "P.cs",
            "1,1",
            "CS1029",
            "#error: 'at [a.csproj]'",
            "",
        ),
        (
            "P.cs(1,1): error CS0103: x [/d [1]/a.csproj]",
            "P.cs",
            "1,1",
            "CS0103",
            "x",
            "/d [1]/a.csproj",
        ),
    ] {
        let found = one(line);
        let place = &found.place;
        let numbers: Vec<String> = [place.line, place.column, place.end_line, place.end_column]
            .into_iter()
            .flatten()
            .map(|number| number.to_string())
            .collect();
        assert_eq!(place.file.as_deref().unwrap_or_default(), file, "{line}");
        assert_eq!(numbers.join(","), span, "{line}");
        assert_eq!(found.code.as_deref().unwrap_or_default(), code, "{line}");
        assert_eq!(found.text, text, "{line}");
        assert_eq!(
            place.project.as_deref().unwrap_or_default(),
            project,
            "{line}"
        );
        assert_eq!(found.severity, Severity::Error, "{line}");
    }
    let found = one("P.cs(1,7): warning CS1002: x [/a/a.csproj::TargetFramework=net8.0]");
    assert_eq!(found.place.target_framework.as_deref(), Some("net8.0"));
    assert_eq!(found.severity, Severity::Warning);
    let found = one("error: NU1102: Unable to find package X");
    assert_eq!(
        (found.code.as_deref(), found.text.as_str()),
        (Some("NU1102"), "Unable to find package X")
    );
    assert!(one("error: There are no versions").is_bare());
}

#[test]
fn lines_that_are_none() {
    for line in [
        "",
        "Build succeeded.",
        "    0 Error(s) of nothing",
        "errors are bad: very",
        "an error occurred: sorry",
        "warning signs: none",
        "/usr/bin/sh: 2: x.cmd: Syntax error: \"(\" unexpected",
        "2026-01-01T00:00:00: information: no error here",
        "  Restored /a/error.csproj (in 5 ms).",
    ] {
        let found = Diagnostics::read(&[line]);
        assert_eq!(found.all, [], "{line}");
    }
}

/// Programs that believe to write to a terminal.
#[test]
fn colours_hide_no_diagnostic() {
    let plain = "/p/P.cs(1,1): error CS0103: x [/p/p.csproj]";
    let odd = "\u{1b}[31m/p/P.cs(1,1): \u{1b}[1merror CS0103\u{1b}[m: x [\u{1b}]8;;file:///p\u{1b}\\/p/p.csproj\u{1b}]8;;\u{7}]";
    assert_eq!(
        Diagnostics::read(&[odd]).all,
        Diagnostics::read(&[plain]).all
    );
}

#[test]
fn several_lines_are_one() {
    let text = "/a/A.csproj : error NU1102: Unable to find\n/a/A.csproj : error NU1102:   - Found 3\n/a/B.csproj : error NU1102: other\n/a/A.csproj : error NU1102:   - Found 0\n";
    let found = Diagnostics::read(&[text]);
    assert_eq!(found.all.len(), 2, "{found:?}");
    assert_eq!(
        found.all[0].text,
        "Unable to find\n  - Found 3\n  - Found 0"
    );
    // A task's exception does not begin with a blank; twice, as a build prints it.
    let text = "T.targets(1,5): error MSB4018: failed unexpectedly. [/a/a.csproj]\nT.targets(1,5): error MSB4018: System.IO: used [/a/a.csproj]\nT.targets(1,5): error MSB4018:    at X [/a/a.csproj]\n";
    let twice = format!("{text}\nBuild FAILED.\n\n{text}    0 Warning(s)\n    1 Error(s)\n");
    let found = Diagnostics::read(&[&twice]);
    assert_eq!(found.all.len(), 1, "{found:#?}");
    assert_eq!(found.count(Severity::Error), 1);
    // Of a code that nobody knows to be long, the count line tells.
    let text = "T.targets(1,5): error REC1: one\nT.targets(1,5): error REC1: two\n    1 Error(s)\n";
    assert_eq!(Diagnostics::read(&[text]).all.len(), 1);
    assert_eq!(
        Diagnostics::read(&[&text.replace("1 Error", "2 Error")])
            .all
            .len(),
        2
    );
}

#[test]
fn each_is_kept_once() {
    let line = "P.cs(1,1): warning CS0168: x [/a/a.csproj::TargetFramework=net8.0]\n";
    let other = line.replace("net8.0", "net10.0");
    let text = format!(
        "{line}{other}\nBuild succeeded.\n\n{line}{other}    2 Warning(s)\n    0 Error(s)\n"
    );
    let found = Diagnostics::read(&[&text]);
    assert_eq!(found.count(Severity::Warning), 2);
    assert_eq!(found.counted, Some((2, 0)));
    // Restore and build raise package warnings both: the build counts two.
    let line = "/a/a.csproj : warning NU1603: x\n";
    assert_eq!(
        Diagnostics::read(&[line, line, "    2 Warning(s)\n"]).count(Severity::Warning),
        1
    );
}

/// Some megabytes that were made to be slow: each would take minutes if a step looked at the rest of the line again.
#[test]
fn hostile_output_costs_its_length() {
    let mega = 1 << 20;
    for piece in [
        ": ",
        ": e",
        "error: ",
        "(1,",
        "[",
        "] [",
        "error ",
        "a: error ",
        "\u{1b}[",
        " [a.csproj",
        "a : warning ",
    ] {
        let line = piece.repeat(mega / piece.len());
        Diagnostics::read(&[&line]);
        Diagnostics::read(&[&format!("P.cs(1,1): error CS0103: {line}")]);
        Diagnostics::read(&[&format!("{line}: error CS0103: x]")]);
    }
    let many = "P.cs(1,1): error CS0103: x\nP.cs(1,1): error CS0103:  y\n".repeat(20_000);
    let found = Diagnostics::read(&[&many]);
    assert!(found.all.len() <= 2000);
    let different: String = (0..20_000)
        .map(|n| format!("P.cs({n},1): error CS0103: x\n"))
        .collect();
    let found = Diagnostics::read(&[&different, "    20000 Error(s)\n"]);
    assert_eq!(found.all.len(), 2000);
    assert_eq!(found.count(Severity::Error), 20_000);
}
