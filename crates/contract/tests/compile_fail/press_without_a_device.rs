use surehand_contract::{DeviceName, producer::PersonPress};

fn forge(name: DeviceName) -> PersonPress {
    PersonPress { device: 1, name, server_time_ms: 0 }
}

fn main() {}
