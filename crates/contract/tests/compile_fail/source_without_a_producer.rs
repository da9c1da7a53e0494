fn main() {
    let _ = surehand_contract::Source::Clock {};
}
