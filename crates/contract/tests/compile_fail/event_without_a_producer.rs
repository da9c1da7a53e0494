use surehand_contract::{Event, EventKind, Source};

fn forge(source: Source) -> Event {
    Event { source, kind: EventKind::StopRequested }
}

fn main() {}
