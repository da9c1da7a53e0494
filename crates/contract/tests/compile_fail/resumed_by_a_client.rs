use surehand_contract::{Event, Resume, producer::ClientConnection};

fn forge(client: &ClientConnection) -> Event {
    client.resume(Resume::Seat)
}

fn main() {}
