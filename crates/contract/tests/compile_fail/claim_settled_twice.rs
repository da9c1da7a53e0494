use surehand_contract::{Claim, ClaimEnding, Moment, Seat};

fn settle_twice(seat: &mut Seat, claim: Claim) {
    seat.settle(Moment(0), claim, ClaimEnding::Released);
    seat.settle(Moment(0), claim, ClaimEnding::Consumed);
}

fn main() {}
