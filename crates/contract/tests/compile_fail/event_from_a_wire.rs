use surehand_contract::{Event, Source};

fn can_be_read_from_a_wire<T: serde::de::DeserializeOwned>() {}

fn main() {
    can_be_read_from_a_wire::<Event>();
    can_be_read_from_a_wire::<Source>();
}
