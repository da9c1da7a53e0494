use surehand_contract::UiText;

fn can_be_shown<T: std::fmt::Display>() {}
fn can_be_kept<T: serde::Serialize>() {}

fn main() {
    can_be_shown::<UiText>();
    can_be_kept::<UiText>();
}
