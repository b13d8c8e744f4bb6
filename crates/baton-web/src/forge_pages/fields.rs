//! What a form carries.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The fields of a form by their names.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct Fields(BTreeMap<String, String>);

impl Fields {
    /// Returns a field without the space around it; empty where there is none.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |value| value.trim())
    }

    /// Returns a text of several lines, with line ends as files have them. Browsers send them as CR LF.
    pub(crate) fn text(&self, name: &str) -> String {
        self.get(name).replace("\r\n", "\n")
    }

    /// Returns the names that are separated by commas.
    pub(crate) fn names(&self, name: &str) -> Vec<String> {
        let names = self.get(name).split(',').map(str::trim);
        names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }
}

#[cfg(test)]
impl<const N: usize> From<[(&str, &str); N]> for Fields {
    fn from(pairs: [(&str, &str); N]) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_without_what_browsers_and_people_put_around_them() {
        let fields = Fields::from([("body", " one\r\ntwo \n"), ("labels", "bug, stage:Specify ,,")]);
        assert_eq!(fields.text("body"), "one\ntwo");
        assert_eq!(fields.names("labels"), ["bug", "stage:Specify"]);
        assert_eq!((fields.get("none"), fields.names("none").len()), ("", 0));
    }
}
