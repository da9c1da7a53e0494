use surehand_contract::{Event, EventKind, Source};

fn main() {
    let source = Source::Clock {};
    let _ = Event { source, kind: EventKind::StopRequested };
}
