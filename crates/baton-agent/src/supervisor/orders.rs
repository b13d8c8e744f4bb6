//! The orders that come over the control pipe, in order.
//!
//! The end of the pipe and a line that cannot be understood mean the same: nobody is there who can extend a deadline.

use std::io::{BufRead as _, BufReader, Read};
use std::sync::mpsc::{self, Receiver};

use baton_core::time::BootTime;

use crate::wire::Order;

/// What must be known before anything may start.
#[derive(Debug)]
pub(super) struct Brief {
    pub(super) secrets: Vec<String>,
    pub(super) prompt: Vec<u8>,
    pub(super) deadline: BootTime,
}

/// A control pipe.
#[derive(Debug)]
pub(super) struct Orders<R> {
    input: BufReader<R>,
}

impl<R: Read> Orders<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input: BufReader::new(input) }
    }

    /// Reads until the first deadline; nothing if there is none.
    pub(super) fn brief(&mut self) -> Option<Brief> {
        let (mut secrets, mut prompt) = (Vec::new(), Vec::new());
        loop {
            match self.next()? {
                Order::Secret(secret) => secrets.push(secret),
                Order::Prompt { bytes } => prompt = self.bytes(bytes)?,
                Order::Until { boot_ms } => {
                    return Some(Brief { secrets, prompt, deadline: BootTime { ms: boot_ms } });
                }
                Order::Stop(_) => return None,
            }
        }
    }

    fn next(&mut self) -> Option<Order> {
        let mut line = String::new();
        self.input.read_line(&mut line).ok()?;
        Order::read(&line)
    }

    fn bytes(&mut self, count: usize) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        self.input.by_ref().take(count as u64).read_to_end(&mut bytes).ok()?;
        (bytes.len() == count).then_some(bytes)
    }
}

impl<R: Read + Send + 'static> Orders<R> {
    /// Listens in a thread of its own. The receiver is disconnected when there are no more orders.
    pub(super) fn listen(mut self) -> Receiver<Order> {
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            while let Some(order) = self.next() {
                if sender.send(order).is_err() {
                    return;
                }
            }
        });
        receiver
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::StopHow;

    fn bytes(orders: &[Order], prompt: &str) -> Vec<u8> {
        let mut bytes = Order::Prompt { bytes: prompt.len() }.line() + prompt;
        orders.iter().for_each(|order| bytes.push_str(&order.line()));
        bytes.into_bytes()
    }

    fn until(boot_ms: u64) -> Order {
        Order::Until { boot_ms }
    }

    #[test]
    fn a_brief_is_everything_before_the_first_deadline() {
        let sent = bytes(&[Order::Secret("x".to_owned()), until(5), until(6)], "say\n\"hello\"\0");
        let mut orders = Orders::new(&sent[..]);
        let brief = orders.brief().unwrap();
        assert_eq!((brief.secrets, brief.prompt), (vec!["x".to_owned()], b"say\n\"hello\"\0".to_vec()));
        assert_eq!((brief.deadline.ms, orders.next(), orders.next()), (5, Some(until(6)), None));
    }

    #[test]
    fn without_a_deadline_there_is_no_brief() {
        for sent in [bytes(&[], "hello"), bytes(&[Order::Stop(StopHow::Kill), until(5)], "")] {
            assert!(Orders::new(&sent[..]).brief().is_none());
        }
        let cut = &bytes(&[], "hello")[..20];
        assert!(Orders::new(cut).brief().is_none());
    }

    #[test]
    fn nonsense_ends_the_orders() {
        let sent = [until(5).line(), "?\n".to_owned(), until(6).line()].concat();
        let mut orders = Orders::new(std::io::Cursor::new(sent.into_bytes()));
        assert_eq!(orders.brief().unwrap().deadline.ms, 5);
        assert_eq!(orders.listen().iter().count(), 0);
    }
}
