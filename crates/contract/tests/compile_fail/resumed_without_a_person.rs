use surehand_contract::{
    Resume, SeatConfiguration, Seat,
    producer::{PersonControls, PersonPress},
};

fn main() {
    let press = PersonPress { device: 1, name: todo!(), server_time_ms: 0 };
    let _ = PersonControls(()).resume(press, Resume::Seat);
    let (_, say) = Seat::new(SeatConfiguration::default());
    say.clients.resume(Resume::Seat);
}
