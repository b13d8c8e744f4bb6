//! The texts of labels and columns, each kept once however many issues have it.

use std::collections::BTreeSet;
use std::sync::Arc;

/// So many texts are kept before the first look for unused ones.
const SWEEP_MIN: usize = 256;

/// Texts that issues share.
#[derive(Debug)]
pub(super) struct LabelTexts {
    texts: BTreeSet<Arc<str>>,
    /// How many there may be before unused ones are dropped.
    sweep_at: usize,
}

impl Default for LabelTexts {
    fn default() -> Self {
        Self { texts: BTreeSet::new(), sweep_at: SWEEP_MIN }
    }
}

impl LabelTexts {
    /// Returns the shared copy of a text.
    pub(super) fn shared(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.get(text) {
            return Arc::clone(known);
        }
        if self.texts.len() >= self.sweep_at {
            self.sweep();
        }
        let shared: Arc<str> = text.into();
        self.texts.insert(Arc::clone(&shared));
        shared
    }

    /// Returns a set of texts in alphabetical order, each once.
    pub(super) fn set(&mut self, texts: &[String]) -> Box<[Arc<str>]> {
        let mut set: Vec<Arc<str>> = texts.iter().map(|text| self.shared(text)).collect();
        set.sort_unstable();
        set.dedup();
        set.into_boxed_slice()
    }

    /// Labels with names of workers or times in them come and go, and must not pile up.
    fn sweep(&mut self) {
        self.texts.retain(|text| Arc::strong_count(text) > 1);
        self.sweep_at = (self.texts.len() * 2).max(SWEEP_MIN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_nobody_has_any_more_are_dropped() {
        let mut texts = LabelTexts::default();
        let kept = texts.shared("kept");
        for number in 0..10 * SWEEP_MIN {
            drop(texts.shared(&format!("passing-{number}")));
        }
        assert!(texts.texts.len() <= SWEEP_MIN, "{}", texts.texts.len());
        assert!(Arc::ptr_eq(&texts.shared("kept"), &kept));
    }

    #[test]
    fn a_set_is_sorted_and_has_each_text_once() {
        let mut texts = LabelTexts::default();
        let set = texts.set(&["b", "a", "b"].map(str::to_owned));
        assert_eq!(set.iter().map(AsRef::as_ref).collect::<Vec<&str>>(), ["a", "b"]);
    }
}
