use surehand_contract::{Event, Moment, Seat};

fn replay(seat: &mut Seat, resumed: Event) {
    seat.step(Moment(0), resumed);
    seat.step(Moment(1), resumed);
}

fn main() {}
