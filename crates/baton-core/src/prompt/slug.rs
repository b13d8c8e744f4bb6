//! Names of stages as parts of names of files.

/// Returns a name of a file for each name, in order: what is no letter, digit, dot, dash or underscore becomes a dash, and
/// of names that would be the same the later ones get a number. Case alone makes no difference on many disks.
pub(super) fn slugs<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken: Vec<String> = Vec::new();
    for name in names {
        let plain = slug(name);
        let is_free = |slug: &String| !taken.iter().any(|other| other.to_lowercase() == slug.to_lowercase());
        let numbered = (2..).map(|number: u64| format!("{plain}-{number}"));
        let free = std::iter::once(plain.clone()).chain(numbered).find(is_free);
        taken.extend(free);
    }
    taken
}

fn slug(name: &str) -> String {
    const CHARS_MAX: usize = 64;
    let is_allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let plain: String = name.chars().take(CHARS_MAX).map(|c| if is_allowed(c) { c } else { '-' }).collect();
    let plain = plain.trim_matches(['-', '.']);
    if plain.is_empty() { "unnamed".to_owned() } else { plain.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_cannot_leave_its_directory_or_take_the_place_of_another() {
        let names =
            ["Plan", "plan", "../../etc/passwd", "In Review", "QA (2)", "Überprüfen", "..", "a`b\nc", "/"];
        let expected = [
            "Plan",
            "plan-2",
            "etc-passwd",
            "In-Review",
            "QA--2",
            "Überprüfen",
            "unnamed",
            "a-b-c",
            "unnamed-2",
        ];
        assert_eq!(slugs(names.into_iter()), expected);
    }
}
