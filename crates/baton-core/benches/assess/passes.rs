//! Plain passes over the memory of an issue, as a measure for what reading it takes at least.

use std::mem::size_of;

use baton_core::pipeline::Item;
use baton_core::pipeline::checks::Check;
use baton_core::pipeline::item::{Comment, LinkedPull, Thread};

/// Reads what every decision has to look at, and nothing of what it says: labels, and the signs on comments.
pub(crate) fn needed(item: &Item) -> u64 {
    let labels: u64 = item.labels.iter().map(|label| sum(label)).sum();
    let comments: u64 = item.comments.iter().map(|comment| u64::from(comment.has_rocket)).sum();
    labels + comments + sum(&item.column) + u64::from(item.is_closed)
}

/// Reads everything, and returns the sum of the bytes and how many there are.
pub(crate) fn whole(item: &Item) -> (u64, u64) {
    let mut pass = Pass::default();
    pass.count(size_of::<Item>());
    pass.text(&item.title);
    pass.text(&item.column);
    item.labels.iter().for_each(|label| pass.text(label));
    item.comments.iter().for_each(|comment| pass.comment(comment));
    if let Some(pull) = &item.pull {
        pass.pull(pull);
    }
    pass.sum += item.memory.processed_comments.iter().sum::<u64>();
    pass.count(item.memory.processed_comments.len() * size_of::<u64>());
    (pass.sum, pass.bytes)
}

#[derive(Default)]
struct Pass {
    sum: u64,
    bytes: u64,
}

impl Pass {
    fn count(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
    }

    fn text(&mut self, text: &str) {
        self.sum += sum(text);
        self.count(text.len());
    }

    fn comment(&mut self, comment: &Comment) {
        self.text(&comment.author);
        self.text(&comment.body);
        self.sum += comment.id + u64::from(comment.has_rocket) + u64::from(comment.may_write);
        self.count(size_of::<Comment>());
    }

    fn pull(&mut self, pull: &LinkedPull) {
        self.text(&pull.head_sha);
        pull.threads.iter().for_each(|thread| {
            self.text(&thread.id);
            self.text(&thread.path);
            thread.comments.iter().for_each(|comment| self.comment(comment));
            self.count(size_of::<Thread>());
        });
        for check in pull.checks.iter().flat_map(|checks| checks.as_slice()) {
            self.text(&check.name);
            self.sum += check.id;
            self.count(size_of::<Check>());
        }
    }
}

fn sum(text: &str) -> u64 {
    text.bytes().map(u64::from).sum()
}
