//! The orders that come over the control pipe, in order.
//!
//! The end of the pipe and a line that cannot be understood mean the same: nobody is there who can extend a deadline.

use std::io::{BufRead as _, BufReader, Read};
use std::sync::mpsc::Sender;

use baton_core::time::BootTime;

use super::events::Event;
use crate::wire::{AgentTerms, Order};

/// What must be known before anything may start.
#[derive(Debug)]
pub(super) struct Brief {
    /// The agent; nothing for a held command.
    pub(super) agent: Option<Box<AgentTerms>>,
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
        let (mut agent, mut prompt) = (None, Vec::new());
        loop {
            match self.next()? {
                Order::Agent(terms) => agent = Some(terms),
                Order::Prompt { bytes } => prompt = self.bytes(bytes)?,
                Order::Until { boot_ms } => {
                    return Some(Brief { agent, prompt, deadline: BootTime { ms: boot_ms } });
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
    /// Listens in a thread of its own, and tells when there are no more orders.
    pub(super) fn listen(mut self, events: Sender<Event>) {
        std::thread::spawn(move || {
            while let Some(order) = self.next() {
                if events.send(Event::Order(order)).is_err() {
                    return;
                }
            }
            let _ = events.send(Event::Abandoned);
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

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
        let sent = bytes(&[until(5), until(6)], "say\n\"hello\"\0");
        let mut orders = Orders::new(&sent[..]);
        let brief = orders.brief().unwrap();
        assert_eq!((brief.agent, brief.prompt), (None, b"say\n\"hello\"\0".to_vec()));
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
        let sent = [until(5).line(), until(6).line(), "?\n".to_owned(), until(7).line()].concat();
        let mut orders = Orders::new(std::io::Cursor::new(sent.into_bytes()));
        assert_eq!(orders.brief().unwrap().deadline.ms, 5);
        let (sender, events) = mpsc::channel();
        orders.listen(sender);
        assert_eq!(events.iter().collect::<Vec<_>>(), [Event::Order(until(6)), Event::Abandoned]);
    }
}
