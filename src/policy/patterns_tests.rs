//! What is caught, what is left alone, and that hostile texts cost no more than others.

use super::*;

/// Text and what becomes of it.
const CAUGHT: &[(&str, &str)] = &[
    (
        "Server=localhost;Database=test;Password=secret123;",
        "Server=localhost;Database=test;Password=[REDACTED];",
    ),
    (
        r#"Server=db;User Id=sa;PWD="my secret pw";Encrypt=true"#,
        "Server=db;User Id=sa;PWD=[REDACTED];Encrypt=true",
    ),
    (
        "Server=localhost;Database=MyDb;User=admin;Password=SuperSecret123!",
        "Server=localhost;Database=MyDb;User=admin;Password=[REDACTED]",
    ),
    ("Password: hunter22 extra", "Password:[REDACTED] extra"),
    ("password : 'abc=def12'", "password=[REDACTED]"),
    (
        "mongodb://user:password123@localhost:27017/db",
        "mongodb://user:[REDACTED]@localhost:27017/db",
    ),
    (
        "mongodb+srv://admin:secr3t@cluster.mongodb.net/db",
        "mongodb+srv://admin:[REDACTED]@cluster.mongodb.net/db",
    ),
    (
        "https://user:password@github.com/repo.git",
        "https://user:[REDACTED]@github.com/repo.git",
    ),
    (
        "postgresql://dbuser:dbpass@localhost/mydb",
        "postgresql://dbuser:[REDACTED]@localhost/mydb",
    ),
    ("postgres://u:p@h/db", "postgres://u:[REDACTED]@h/db"),
    ("postgres://u:p@h", "postgres://u:[REDACTED]@h"),
    (
        "amqp://guest:guest1@rabbit:5672/",
        "amqp://guest:[REDACTED]@rabbit:5672/",
    ),
    (
        "sqlserver://sa:Pa55@db:1433",
        "sqlserver://sa:[REDACTED]@db:1433",
    ),
    ("api_key=1234567890abcdef", "api_key=[REDACTED]"),
    ("ApiKey = sk-12345678", "ApiKey=[REDACTED]"),
    ("bearer_token=1a2b3c4d5e6f", "bearer_token=[REDACTED]"),
    ("client_secret=very_long_secret", "client_secret=[REDACTED]"),
    ("token=xyz789;", "token=[REDACTED];"),
    (
        "aws_access_key_id=AKIAIOSFODNN7EXAMPLE",
        "aws_access_key_id=[REDACTED]",
    ),
    (
        "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "AWS_SECRET_ACCESS_KEY=[REDACTED]",
    ),
    (
        "AccountName=x;AccountKey=abcdef1234567890ABCDEF==;EndpointSuffix=core",
        "AccountName=x;AccountKey=[REDACTED];EndpointSuffix=core",
    ),
    (
        "Endpoint=sb://ns/;SharedAccessKeyName=n;SharedAccessKey=base64encodedkey1234567890==",
        "Endpoint=sb://ns/;SharedAccessKeyName=n;SharedAccessKey=[REDACTED]",
    ),
    (
        "SharedAccessSignature=sv=2020&sig=abc%3D&se=1",
        "SharedAccessSignature=[REDACTED]",
    ),
    (
        "https://a.blob.test/c?sv=2020&sig=abcdefgh1234%3D",
        "https://a.blob.test/c?sv=2020&sig=[REDACTED]",
    ),
    (
        "-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----",
        "[REDACTED]",
    ),
    (
        "-----BEGIN RSA PRIVATE KEY-----X-----END RSA PRIVATE KEY----- z",
        "[REDACTED] z",
    ),
    (
        "-----BEGIN EC PRIVATE KEY-----X-----END EC PRIVATE KEY-----",
        "[REDACTED]",
    ),
    (
        "-----BEGIN ENCRYPTED PRIVATE KEY-----X-----END ENCRYPTED PRIVATE KEY-----",
        "[REDACTED]",
    ),
    (
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\ncutOffHere",
        "[REDACTED]",
    ),
    (
        "-----BEGIN PRIVATE KEY----- */ drop table users",
        "[REDACTED] */ drop table users",
    ),
    (
        "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123",
        "Authorization: Bearer [REDACTED]",
    ),
    (
        "got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123 back",
        "got [REDACTED] back",
    ),
    (
        "authorization: Basic dXNlcjpwYXNz",
        "authorization: Basic [REDACTED]",
    ),
    ("Authorization: 9f8e7d6c5b4a", "Authorization: [REDACTED]"),
    (
        "sent Bearer 0a1b2c3d4e5f here",
        "sent Bearer [REDACTED] here",
    ),
    (
        "sent Basic dXNlcjpwYXNzd29yZA== here",
        "sent Basic [REDACTED] here",
    ),
    (
        "-----BEGIN RSA PRIVATE KEY-----X-----END RSA PRIVATE KEY-----",
        "[REDACTED]",
    ),
    (
        "Endpoint=sb://ns/;SharedAccessKey=base64encodedkey1234567890==",
        "Endpoint=sb://ns/;SharedAccessKey=[REDACTED]",
    ),
    (
        "SharedAccessSignature=sv=2024-01-01&ss=b&sig=Ab1%2Fcd%3D;BlobEndpoint=x",
        "SharedAccessSignature=[REDACTED];BlobEndpoint=x",
    ),
    (
        "NU1301: Unable to load the service index for source https://user:password@host/v3/index.json.",
        "NU1301: Unable to load the service index for source https://user:[REDACTED]@host/v3/index.json.",
    ),
    (
        "secretive ghp_0123456789abcdefghijABCDEFGHIJ012345",
        "secretive [REDACTED]",
    ),
    (
        "Set-Cookie: sid=abc123; Path=/",
        "Set-Cookie: sid=[REDACTED]; Path=/",
    ),
    (
        "secret=my_super_long_secret_value_1234567890",
        "secret=[REDACTED]",
    ),
    ("secret=short_secret", "secret=[REDACTED]"),
    ("Password=short", "Password=[REDACTED]"),
    ("GITHUB_TOKEN=abcdef123", "GITHUB_TOKEN=[REDACTED]"),
    ("NUGET_TOKEN: abc123def", "NUGET_TOKEN:[REDACTED]"),
    (
        "use ghp_abcdefghijklmnopqrstuvwxyz0123456789 now",
        "use [REDACTED] now",
    ),
    ("id AKIAIOSFODNN7EXAMPLE.", "id [REDACTED]."),
    (
        r#"{"ApiKey": "abcdefgh12345"}"#,
        r#"{"ApiKey": "[REDACTED]"}"#,
    ),
    (
        r#"{"password":"a\"b c","n":1}"#,
        r#"{"password":"[REDACTED]","n":1}"#,
    ),
    (
        r#"body={\"password\":\"hunter22\"}"#,
        r#"body={\"password\":\"[REDACTED]\"}"#,
    ),
    (r#"apiKey: "sk-proj-abc.def""#, "apiKey:[REDACTED]"),
    (
        r#"dotnet user-secrets set "ConnectionStrings:Default" "Server=localhost;Password=SuperSecret123!""#,
        r#"dotnet user-secrets set "ConnectionStrings:Default" "Server=localhost;Password=[REDACTED]""#,
    ),
    (
        r#"dotnet user-secrets set "ApiKey" "sk-abc""#,
        r#"dotnet user-secrets set "ApiKey" [REDACTED]"#,
    ),
    (
        r#"ef --password "SecurePassword123!""#,
        "ef --password [REDACTED]",
    ),
    (
        "nuget push a.nupkg --api-key abc-def",
        "nuget push a.nupkg --api-key [REDACTED]",
    ),
    (
        "Login at https://localhost:17000/login?t=0123456789abcdef",
        "Login at https://localhost:17000/login?t=[REDACTED]",
    ),
    (
        "Cookie: a=b; sid=abcdef123; c=\nnext; d=e",
        "Cookie: a=[REDACTED]; sid=[REDACTED]; c=[REDACTED]\nnext; d=e",
    ),
    ("DB_PASSWORD: hunter", "DB_PASSWORD:[REDACTED]"),
    ("PGPASSWORD=hunter22", "PGPASSWORD=[REDACTED]"),
    (
        "https://ghp_tokenonly123@github.com",
        "https://[REDACTED]@github.com",
    ),
    ("https://user:p/w@host/x", "https://user:[REDACTED]@host/x"),
    (
        r#"<add key="ApiKey" value="abcdefgh12345"/>"#,
        r#"<add key="ApiKey" value="[REDACTED]"/>"#,
    ),
    (
        "<a><Password>hunter</Password><AccessToken> x y </AccessToken></a>",
        "<a><Password>[REDACTED]</Password><AccessToken>[REDACTED]</AccessToken></a>",
    ),
    (
        r#"Digest realm="r", response="6629fae49393a05397450978507c4ef1", x="y""#,
        r#"Digest realm="r", response="[REDACTED]", x="y""#,
    ),
];

const LEFT_ALONE: &[&str] = &[
    "NotAPassword=value123",
    "PublicKeyToken=b03f5f7f11d50a3a",
    "System.Runtime, Version=8.0.0.0, Culture=neutral, PublicKeyToken=b03f5f7f11d50a3a",
    "error CS1519: Invalid token '=' in class, record, struct, or interface member declaration",
    "error CS1003: Syntax error, '(' expected; unexpected token \"{\"",
    "Passed!  - Failed: 0, Passed: 42, Skipped: 0",
    "https://localhost:5001/a@b",
    "Pass: everything fine",
    "Unexpected token: semicolon",
    "the service wants basic authentication or bearer tokens",
    "missing required argument `password`",
    "Command: dotnet user-secrets set\nError: Could not find the global property",
    "dotnet user-secrets set\nSuccessfully saved ApiKey to the secret store.",
    "dotnet user-secrets set --project con/con.csproj",
    "dotnet user-secrets set ApiKey --project con/con.csproj",
    "  -p|--password                   Password to use when exporting",
    "--password\n--no-password",
    "password: required",
    "https://api.test/reset?password={password}",
    "key=value, monkey=1",
    "the secret is safe",
    "password: cannot be blank",
    "OLDPWDS=/home/ann",
    "http://[::1]:8080/a@b",
    "https://deployer@host/x",
    "<add key=\"Name\" value=\"shop\"/>",
    "login <user> <password>",
    "response=\"200 OK\"",
];

#[test]
fn secrets_are_masked_and_the_rest_stays() {
    for (text, expected) in CAUGHT {
        assert_eq!(mask_patterns(text), *expected, "{text}");
    }
}

#[test]
fn what_is_no_secret_is_left_alone() {
    for text in LEFT_ALONE {
        assert_eq!(mask_patterns(text), *text);
    }
}

#[test]
fn masking_twice_is_masking_once() {
    for (text, _) in CAUGHT {
        let once = mask_patterns(text).into_owned();
        assert_eq!(mask_patterns(&once), once, "{text}");
    }
}

/// Pieces that, repeated, make each pattern begin often and end late or never.
const HOSTILE: &[&str] = &[
    "password",
    "password=",
    "password: \"",
    "--password '",
    "token=",
    "a://b:",
    "mongodb://a:b",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\naB3aB3aB3aB3aB3aB3aB3 a ",
    "\\\"key\\\":",
    "\\\"",
    "eyJaaaa.",
    "eyJaaaa.eyJbbbb",
    "bearer ",
    "authorization: ",
    "cookie: a",
    "user-secrets set \"",
    "SG.aaaaaaaaaaaaaaaa",
    "sk-",
    "?sig=",
    "cookie: a=b; ",
    "; a=b",
    "<password>",
    "<add key=\"apikey\" value=\"",
    "https://aaaaaaaa1",
    "https://a:b/c@",
    "response=\"0123",
    "APASSWORD",
];

/// What masking a text costs this thread, in nanoseconds of processor time: the time that others use the
/// machine does not count. `None` where the system does not tell.
fn cost(text: &str) -> Option<u64> {
    let spent = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    };
    let before = spent()?;
    let masked = mask_patterns(text);
    assert!(masked.len() <= text.len() * 3);
    Some((spent()? - before).max(1))
}

/// Four times the text may cost four times as much, not sixteen times: the ratio of two sizes is judged.
fn assert_linear(piece: &str, size: usize) {
    let large = piece.repeat(size / piece.len());
    let small = piece.repeat(size / piece.len() / 4);
    if let (Some(small), Some(large)) = (cost(&small), cost(&large)) {
        // The system counts in ticks of some milliseconds.
        let ratio = large / (small + 20_000_000);
        assert!(
            ratio < 9,
            "`{piece}`: {small} ns, four times the size {large} ns"
        );
    }
}

#[test]
fn hostile_texts_cost_as_much_as_they_are_long() {
    for piece in HOSTILE {
        assert_linear(piece, 1 << 20);
    }
}

#[test]
fn ten_megabytes_of_all_of_it_cost_as_much_as_they_are_long() {
    assert_linear(&HOSTILE.concat(), 10 << 20);
}

#[test]
fn other_scripts_stay() {
    assert_eq!(mask_patterns("naïve tökën: 日本"), "naïve tökën: 日本");
}

/// What masking comes to where every rule looks at every text.
fn by_every_rule(text: &str) -> String {
    RULES.iter().fold(text.to_owned(), |text, rule| {
        apply(rule, &text).unwrap_or(text)
    })
}

#[test]
fn no_rule_has_a_match_without_one_of_its_words() {
    let caught = CAUGHT.iter().map(|(text, _)| *text);
    for text in caught.chain(LEFT_ALONE.iter().copied()) {
        for text in [text.to_owned(), text.to_uppercase(), text.to_lowercase()] {
            assert_eq!(mask_patterns(&text), by_every_rule(&text), "{text}");
        }
    }
}

#[test]
fn keys_are_known_by_how_they_begin() {
    let rest = "A1b2".repeat(12);
    for start in [
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "xoxb-",
        "xoxp-",
        "sk-",
        "npm_",
        "hf_",
        "AIza",
        "sk_live_",
        "whsec_",
    ] {
        assert_eq!(
            mask_patterns(&format!("say {start}{rest}.")),
            "say [REDACTED]."
        );
    }
    let capitals = "A1B2".repeat(4);
    for key in [
        format!("AKIA{capitals}"),
        format!("ASIA{capitals}"),
        format!("oy2{}", rest.to_lowercase()),
        format!("SG.{rest}.{rest}"),
    ] {
        assert_eq!(mask_patterns(&format!("say {key}")), "say [REDACTED]");
    }
}
