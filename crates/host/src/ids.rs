use std::sync::atomic::{AtomicU64, Ordering};
use surehand_contract::{ConnectionId, ObservationId, SessionId};

/// Makes every id of one host. Each begins with digits drawn at its start, so an id of another host, or of an
/// earlier run, names nothing here.
#[derive(Debug)]
pub(crate) struct Ids {
    prefix: u64,
    counter: AtomicU64,
}

/// Bits that count; above them stand 32 drawn ones.
const COUNTER_BITS: u32 = 24;

impl Ids {
    pub(crate) fn draw() -> Result<Self, getrandom::Error> {
        // The top bit keeps every id equally long.
        let drawn = u64::from(getrandom::u32()? | 1 << 31);
        Ok(Self { prefix: drawn << COUNTER_BITS, counter: AtomicU64::new(1) })
    }

    pub(crate) fn observation(&self) -> ObservationId {
        ObservationId::new(self.next())
    }

    pub(crate) fn session(&self) -> SessionId {
        SessionId::new(self.next())
    }

    pub(crate) fn connection(&self) -> ConnectionId {
        ConnectionId::new(self.next())
    }

    /// For what is only told apart.
    pub(crate) fn next(&self) -> u64 {
        let count = self.counter.fetch_add(1, Ordering::Relaxed);
        // A host would have to make 16 million ids; then the prefix moves on, and no id repeats.
        self.prefix.wrapping_add(count)
    }
}

/// Marks one answer's untrusted part. Nothing on a screen can know it.
pub(crate) fn nonce() -> String {
    // Without randomness a guessable mark would be worse than none: the process cannot go on safely.
    let drawn = getrandom::u64().expect("the kernel gives random bytes once it has booted");
    format!("{drawn:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_short_rise_and_differ_between_hosts() {
        let (one, other) = (Ids::draw().unwrap(), Ids::draw().unwrap());
        let (first, second) = (one.observation(), one.observation());
        assert!(first < second);
        assert_eq!(first.to_string().len(), 15);
        assert_ne!(first, other.observation());
        assert_ne!(nonce(), nonce());
    }
}
