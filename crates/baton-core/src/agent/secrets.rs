//! What nobody may see in a log, a report or a comment.
//!
//! Deliberately absent: taking it out of texts.

/// Shorter values would black out half of a log.
const LEN_MIN: usize = 8;
/// What the names of variables end with whose values are secret. Whoever knows the address of an incoming webhook may write
/// there.
const ENDINGS: [&str; 9] =
    ["TOKEN", "KEY", "SECRET", "PASSWORD", "PASSPHRASE", "PASSWD", "CREDENTIALS", "_PAT", "WEBHOOK_URL"];

/// Returns the secrets among variables of an environment, which has many that are none: by their names, and the passwords in
/// addresses.
pub fn in_environment<'a>(variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let is_named = |name: &str| {
        let name = name.to_ascii_uppercase();
        ENDINGS.iter().any(|ending| name.ends_with(ending))
    };
    let found = variables.into_iter().flat_map(|(name, value)| {
        let own = is_named(name).then(|| value.to_owned());
        own.into_iter().chain(password(value).map(str::to_owned))
    });
    long_enough(found)
}

/// Returns the secrets of a file that is there to hold them: all values, and the passwords in them.
pub fn in_file<'a>(values: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let found = values.into_iter().flat_map(|value| [Some(value), password(value)]);
    long_enough(found.flatten().map(str::to_owned))
}

/// Returns the password of an address such as `postgres://user:password@host/name`.
pub fn password(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (user, _) = authority.rsplit_once('@')?;
    user.split_once(':').map(|(_, password)| password).filter(|password| !password.is_empty())
}

fn long_enough(found: impl Iterator<Item = String>) -> Vec<String> {
    found.filter(|value| value.len() >= LEN_MIN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_their_names_and_passwords_by_their_place() {
        let found = in_environment([
            ("GITHUB_TOKEN", "ghp_12345678"),
            ("my_api_key", "abcdefgh"),
            ("GH_PAT", "pat_12345678"),
            ("SHORT_KEY", "abc"),
            ("PATH", "/usr/bin:/bin"),
            ("DATABASE_URL", "postgres://me:hunter2hunter2@db/x"),
            ("BATON_SLACK_WEBHOOK_URL", "https://hooks.example/T1/B1/x"),
            ("HOMEPAGE_URL", "https://example.com/here"),
        ]);
        let expected =
            ["ghp_12345678", "abcdefgh", "pat_12345678", "hunter2hunter2", "https://hooks.example/T1/B1/x"];
        assert_eq!(found, expected);
    }

    #[test]
    fn everything_in_a_file_of_secrets_is_one() {
        assert_eq!(
            in_file(["plain words", "x", "redis://:longlonglong@h"]),
            ["plain words", "redis://:longlonglong@h", "longlonglong"]
        );
    }

    #[test]
    fn an_address_without_a_password_has_none() {
        for address in ["postgres://me@db/x", "https://h/a:b@c", "me:pw@h", "x://:@h", ""] {
            assert_eq!(password(address), None, "{address}");
        }
    }
}
