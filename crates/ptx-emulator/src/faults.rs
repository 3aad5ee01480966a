//! Faults that a test asks for by `PTX_EMULATOR_FAULT`: `kind` makes every call of a kind fail, `kind=3` the third one.
//! Several are separated by commas.

/// What can fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The driver does not start.
    Init,
    /// It is an old one.
    Version,
    /// It knows no device.
    NoDevice,
    /// No context can be made.
    Context,
    /// PTX is not understood.
    Module,
    /// There is no memory on the device.
    Alloc,
    /// There is no pinned memory.
    Pinned,
    /// A copy to the device fails.
    ToDevice,
    /// A copy to the host fails.
    ToHost,
    /// A copy on the device fails.
    OnDevice,
    /// A launch is refused.
    Launch,
    /// A launch goes well, and the context is lost by what the kernel does.
    Lost,
    /// No stream can be made.
    Stream,
    /// Waiting for a stream fails.
    Wait,
    /// No event can be made.
    Event,
    /// An event is not recorded.
    Record,
    /// A stream cannot wait for an event.
    Behind,
    /// A barrier of the text is not there. No call fails.
    Barrier,
    /// A stream does not wait for an event. No call fails.
    NotBehind,
    /// The host does not wait for an event or stream. No call fails.
    NoWait,
}

/// All of them, with their names.
pub const NAMES: [(&str, Fault); 20] = [
    ("init", Fault::Init),
    ("version", Fault::Version),
    ("no-device", Fault::NoDevice),
    ("context", Fault::Context),
    ("module", Fault::Module),
    ("alloc", Fault::Alloc),
    ("pinned", Fault::Pinned),
    ("to-device", Fault::ToDevice),
    ("to-host", Fault::ToHost),
    ("on-device", Fault::OnDevice),
    ("launch", Fault::Launch),
    ("lost", Fault::Lost),
    ("stream", Fault::Stream),
    ("wait", Fault::Wait),
    ("event", Fault::Event),
    ("record", Fault::Record),
    ("behind", Fault::Behind),
    ("barrier", Fault::Barrier),
    ("not-behind", Fault::NotBehind),
    ("no-wait", Fault::NoWait),
];

/// Faults to come.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// Each with the number of the call that fails, from 1; `None`: every one. Then how many calls there were.
    asked: Vec<(Fault, Option<u64>, u64)>,
}

impl Faults {
    /// Reads what is asked for.
    ///
    /// # Errors
    /// The word that is no fault.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut asked = Vec::new();
        for word in text.split(',').filter(|word| !word.is_empty()) {
            let (name, at) = match word.split_once('=') {
                Some((name, number)) => (name, Some(number.parse::<u64>().map_err(|_| word.to_owned())?)),
                None => (word, None),
            };
            let known = NAMES.iter().find(|(known, _)| *known == name).ok_or_else(|| word.to_owned())?;
            asked.push((known.1, at, 0));
        }
        Ok(Self { asked })
    }

    /// Whether this call fails.
    pub fn strikes(&mut self, fault: Fault) -> bool {
        let mut strikes = false;
        for (_, at, calls) in self.asked.iter_mut().filter(|(asked, ..)| *asked == fault) {
            *calls += 1;
            strikes |= at.is_none_or(|at| at == *calls);
        }
        strikes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_strikes_when_it_is_asked_to() {
        let mut faults = Faults::parse("alloc=2,launch").expect("known");
        assert_eq!([0; 3].map(|_| faults.strikes(Fault::Alloc)), [false, true, false]);
        assert_eq!([0; 2].map(|_| faults.strikes(Fault::Launch)), [true, true]);
        assert!(!faults.strikes(Fault::Init));
        assert_eq!(Faults::parse("nonsense").err().as_deref(), Some("nonsense"));
    }
}
