//! Streams and events: what the driver was asked to do and has not done yet, and what is known to be over before what.
//!
//! Work of one stream is done in order. What one stream does is over before what another does only where that one waits
//! for an event which was recorded behind it, or where the host has waited in between: a clock per stream says so, from
//! what was asked alone and whatever the order in which it is done. In which order that is, among those that are
//! allowed, is up to [`Order`]: at once, as late as the host lets it, or at random.
//! Source: Lamport, CACM 21(7), 1978 (happens before); Mattern, Parallel and Distributed Algorithms, 1989 (a clock per
//! process).

use crate::order::{Order, Shuffled};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Number of the last piece of work of each stream that is over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Clock(BTreeMap<u64, u32>);

impl Clock {
    fn join(&mut self, other: &Self) {
        for (stream, number) in &other.0 {
            let own = self.0.entry(*stream).or_default();
            *own = (*own).max(*number);
        }
    }

    fn of(&self, stream: u64) -> u32 {
        self.0.get(&stream).copied().unwrap_or(0)
    }
}

#[derive(Debug)]
enum Step<W> {
    Work(W),
    /// An event was recorded here.
    Record,
    /// Nothing goes on until this record, of this stream, is over.
    After(u64, u32),
}

#[derive(Debug)]
struct Asked<W> {
    number: u32,
    step: Step<W>,
    /// What is over before it.
    before: Clock,
}

#[derive(Debug)]
struct Stream<W> {
    queue: VecDeque<Asked<W>>,
    clock: Clock,
    /// Work that may still be compared with what is to be done.
    known: BTreeSet<u32>,
    /// Nothing is added any more.
    ended: bool,
}

/// Work that is to be done now.
#[derive(Debug, PartialEq, Eq)]
pub struct Ready<W> {
    /// Its number, from 1.
    pub number: u32,
    /// What is to be done.
    pub work: W,
    /// Numbers of work of other streams that is not over before it, done or not.
    pub open: Vec<u32>,
    /// No number below this one is of any interest any more.
    pub least: u32,
}

/// What somebody waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// All work of a stream.
    Stream(u64),
    /// What lies before the last record of an event.
    Event(u64),
    /// Everything.
    All,
}

/// Streams and events of one context.
#[derive(Debug)]
pub struct Streams<W> {
    streams: BTreeMap<u64, Stream<W>>,
    /// The last record of each event: number, stream, and what is over before it.
    events: BTreeMap<u64, Option<(u32, u64, Clock)>>,
    handles: u64,
    last: u32,
    /// What the host knows to be over.
    host: Clock,
    shuffled: Option<Shuffled>,
    order: Order,
}

impl<W> Default for Streams<W> {
    fn default() -> Self {
        Self::new(Order::default())
    }
}

impl<W> Streams<W> {
    /// None yet; work is done in this order.
    #[must_use]
    pub fn new(order: Order) -> Self {
        let shuffled = if let Order::Random(seed) = order { Some(Shuffled::new(seed)) } else { None };
        let (streams, events) = (BTreeMap::new(), BTreeMap::new());
        Self { streams, events, handles: 0, last: 0, host: Clock::default(), shuffled, order }
    }

    /// A new stream.
    pub fn stream(&mut self) -> u64 {
        self.handles += 1;
        let new = Stream { queue: VecDeque::new(), clock: Clock::default(), known: BTreeSet::new(), ended: false };
        self.streams.insert(self.handles, new);
        self.handles
    }

    /// A new event.
    pub fn event(&mut self) -> u64 {
        self.handles += 1;
        self.events.insert(self.handles, None);
        self.handles
    }

    /// Forgets an event; false: there is none.
    pub fn end_event(&mut self, event: u64) -> bool {
        self.events.remove(&event).is_some()
    }

    /// Nothing is added to a stream any more; false: there is none. What it has to do it still does.
    pub fn end_stream(&mut self, stream: u64) -> bool {
        let is_there = self.knows(stream);
        self.streams.entry(stream).and_modify(|s| s.ended = true);
        is_there
    }

    /// Whether there is such a stream.
    #[must_use]
    pub fn knows(&self, stream: u64) -> bool {
        self.streams.get(&stream).is_some_and(|s| !s.ended)
    }

    fn ask(&mut self, stream: u64, step: Step<W>) -> Option<u32> {
        let own = self.streams.get_mut(&stream).filter(|own| !own.ended)?;
        self.last += 1;
        own.clock.join(&self.host);
        let before = own.clock.clone();
        own.clock.0.insert(stream, self.last);
        if matches!(step, Step::Work(_)) {
            own.known.insert(self.last);
        }
        own.queue.push_back(Asked { number: self.last, step, before });
        Some(self.last)
    }

    /// Adds work to a stream: its number, and that of the last work of each other stream which is over before it,
    /// unless the host knows it to be over. `None`: there is no such stream.
    pub fn add(&mut self, stream: u64, work: W) -> Option<(u32, Vec<u32>)> {
        let number = self.ask(stream, Step::Work(work))?;
        let before = &self.streams.get(&stream)?.clock;
        let others = before.0.iter().filter(|(of, n)| **of != stream && self.host.of(**of) < **n);
        let last_work = |(of, n): (&u64, &u32)| self.streams.get(of)?.known.range(..=*n).next_back().copied();
        Some((number, others.filter_map(last_work).collect()))
    }

    /// Records an event in a stream; false: one of both is not there.
    pub fn record(&mut self, event: u64, stream: u64) -> bool {
        if !self.events.contains_key(&event) {
            return false;
        }
        let Some(number) = self.ask(stream, Step::Record) else { return false };
        let clock = self.streams[&stream].clock.clone();
        self.events.insert(event, Some((number, stream, clock)));
        true
    }

    /// Lets a stream wait for an event, which is nothing where it was never recorded; false: one of both is not there.
    pub fn wait_for(&mut self, stream: u64, event: u64) -> bool {
        let Some(recorded) = self.events.get(&event) else { return false };
        let Some((number, of, clock)) = recorded.clone() else { return self.knows(stream) };
        if self.ask(stream, Step::After(of, number)).is_none() {
            return false;
        }
        if let Some(own) = self.streams.get_mut(&stream) {
            own.clock.join(&clock);
        }
        true
    }

    /// The host has waited for this.
    pub fn host_has_waited(&mut self, goal: Goal) {
        match goal {
            Goal::Stream(stream) => self.streams.get(&stream).map_or((), |s| self.host.join(&s.clock)),
            Goal::Event(event) => {
                if let Some(Some((.., clock))) = self.events.get(&event) {
                    self.host.join(clock);
                }
            }
            Goal::All => self.streams.values().for_each(|s| self.host.join(&s.clock)),
        }
        // What is still to be done may have to be compared with everything that is not over before it.
        if self.streams.values().all(|s| s.queue.is_empty()) {
            for (stream, own) in &mut self.streams {
                own.known.retain(|number| *number > self.host.of(*stream));
            }
            self.streams.retain(|_, s| !s.ended || !s.known.is_empty());
        }
    }

    /// Work that is done right after something was asked for.
    pub fn at_once(&mut self) -> Option<Ready<W>> {
        match self.order {
            Order::Forward => self.next(Goal::All),
            Order::Backward => None,
            Order::Random(_) => {
                let goes_on = self.shuffled.as_mut().is_some_and(|shuffled| shuffled.below(2) == 0);
                if goes_on { self.next(Goal::All) } else { None }
            }
        }
    }

    /// The next work on the way to a goal; `None`: it is reached.
    pub fn next(&mut self, goal: Goal) -> Option<Ready<W>> {
        loop {
            let needed = self.needed(goal)?;
            let stream = self.any_instead_of(needed);
            let Asked { number, step, before } = self.streams.get_mut(&stream)?.queue.pop_front()?;
            if let Step::Work(work) = step {
                let open = self.open(stream, number, &before);
                let least = self.streams.values().filter_map(|s| s.known.first()).min().copied().unwrap_or(number);
                return Some(Ready { number, work, open, least });
            }
        }
    }

    /// A stream that has to go on for a goal, and can; `None`: it is reached.
    fn needed(&self, goal: Goal) -> Option<u64> {
        let mut stream = match goal {
            Goal::Stream(stream) => stream,
            Goal::Event(event) => {
                let (number, stream, _) = self.events.get(&event)?.as_ref()?;
                self.is_to_come(*stream, *number).then_some(*stream)?
            }
            Goal::All => *self.streams.iter().find(|(_, s)| !s.queue.is_empty())?.0,
        };
        loop {
            match self.streams.get(&stream)?.queue.front()?.step {
                Step::After(of, number) if self.is_to_come(of, number) => stream = of,
                _ => return Some(stream),
            }
        }
    }

    fn is_to_come(&self, stream: u64, number: u32) -> bool {
        let first = self.streams.get(&stream).and_then(|s| s.queue.front());
        first.is_some_and(|asked| asked.number <= number)
    }

    /// With a random order, any stream that can go on.
    fn any_instead_of(&mut self, needed: u64) -> u64 {
        let goes_on = |s: &Stream<W>| match s.queue.front().map(|asked| &asked.step) {
            Some(Step::After(of, number)) => !self.is_to_come(*of, *number),
            Some(_) => true,
            None => false,
        };
        let all: Vec<u64> = self.streams.iter().filter(|(_, s)| goes_on(s)).map(|(stream, _)| *stream).collect();
        self.shuffled.as_mut().map_or(needed, |shuffled| all[shuffled.below(all.len())])
    }

    /// Work of other streams that is not over before.
    fn open(&self, own: u64, number: u32, before: &Clock) -> Vec<u32> {
        let others = self.streams.iter().filter(|(stream, _)| **stream != own);
        let of = |(stream, s): (&u64, &Stream<W>)| -> Vec<u32> {
            let later = s.known.range(before.of(*stream) + 1..).copied();
            // What waits for this work, directly or not, is over after it.
            later.filter(|other| !self.is_behind(*stream, *other, (own, number))).collect()
        };
        others.flat_map(of).collect()
    }

    /// Whether some work waits for other work, as far as it is still to be done.
    fn is_behind(&self, stream: u64, number: u32, (other, earlier): (u64, u32)) -> bool {
        let asked = self.streams.get(&stream).and_then(|s| s.queue.iter().find(|asked| asked.number == number));
        asked.is_some_and(|asked| asked.before.of(other) >= earlier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is done for a goal, and of which other work it is not known that it is over before or behind.
    fn done(streams: &mut Streams<char>, goal: Goal) -> String {
        let mut all = String::new();
        while let Some(ready) = streams.next(goal) {
            all.push(ready.work);
            all.extend(ready.open.iter().map(|n| format!("!{n}")));
        }
        streams.host_has_waited(goal);
        all
    }

    #[test]
    fn a_stream_goes_on_in_order_and_others_when_they_have_to() {
        let mut s = Streams::new(Order::Backward);
        let (a, b) = (s.stream(), s.stream());
        for (stream, work) in [(a, 'k'), (b, 'c'), (a, 'l')] {
            s.add(stream, work);
        }
        assert_eq!(s.at_once(), None);
        assert_eq!(done(&mut s, Goal::Stream(b)), "c!1!3");
        assert_eq!(done(&mut s, Goal::Stream(a)), "k!2l!2");
        assert_eq!(done(&mut s, Goal::All), "");
    }

    #[test]
    fn what_an_event_orders_is_done_first_and_is_not_open() {
        let mut s = Streams::new(Order::Backward);
        let (a, b, event) = (s.stream(), s.stream(), s.event());
        s.add(a, 'k');
        assert!(s.record(event, a));
        s.add(a, 'l');
        assert!(s.wait_for(b, event));
        assert_eq!(s.add(b, 'c'), Some((5, vec![1])));
        assert_eq!(done(&mut s, Goal::Stream(b)), "kc!3");
        assert_eq!(done(&mut s, Goal::Event(event)), "");
        assert_eq!(done(&mut s, Goal::All), "l!5");
    }

    #[test]
    fn what_waits_is_open_for_nobody_it_waits_for() {
        let mut s = Streams::new(Order::Forward);
        let (a, b, event) = (s.stream(), s.stream(), s.event());
        s.add(a, 'k');
        s.record(event, a);
        s.wait_for(b, event);
        s.add(b, 'c');
        assert_eq!(done(&mut s, Goal::All), "kc");
    }

    #[test]
    fn what_the_host_has_waited_for_is_over() {
        let mut s = Streams::new(Order::Backward);
        let (a, b) = (s.stream(), s.stream());
        s.add(a, 'k');
        assert_eq!(done(&mut s, Goal::Stream(a)), "k");
        assert_eq!(s.add(b, 'c'), Some((2, vec![])));
        assert_eq!(done(&mut s, Goal::All), "c");
    }

    #[test]
    fn an_event_that_was_never_recorded_is_waited_for_by_nobody() {
        let mut s = Streams::new(Order::Forward);
        let (a, event) = (s.stream(), s.event());
        assert!(s.wait_for(a, event));
        s.add(a, 'k');
        assert_eq!(done(&mut s, Goal::All), "k");
        assert!(!s.record(77, a) && !s.wait_for(a, 77) && !s.end_event(77));
    }

    #[test]
    fn a_random_order_is_one_that_is_allowed() {
        let mut firsts = BTreeSet::new();
        for seed in 0..20 {
            let mut s = Streams::new(Order::Random(seed));
            let (a, b, event) = (s.stream(), s.stream(), s.event());
            for work in ['1', '2'] {
                s.add(a, work);
            }
            s.add(b, 'x');
            s.record(event, a);
            s.wait_for(b, event);
            s.add(b, 'y');
            let mut all = String::new();
            while let Some(ready) = s.next(Goal::All) {
                all.push(ready.work);
            }
            assert_eq!(all.replace('x', ""), "12y", "{seed}");
            firsts.insert(all.chars().next());
        }
        assert_eq!(firsts.len(), 2);
    }
}
