use surehand_contract::{Claim, LaunchClaim};

fn can_be_copied<T: Clone>() {}

fn main() {
    can_be_copied::<Claim>();
    can_be_copied::<LaunchClaim>();
}
