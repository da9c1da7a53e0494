//! Who may say what: anyone may narrow, only a person widens.

use crate::desktop::*;
use surehand_contract::*;

#[test]
fn every_event_says_who_said_it() {
    let mut desktop = Desktop::new();
    let (held, event) = desktop.say.input_devices.held(4, device(), 77);
    let Source::InputDevice { device: number, name, server_time_ms, .. } = event.source() else {
        panic!("a device spoke, not {:?}", event.source());
    };
    assert_eq!((*number, name.as_str(), *server_time_ms), (4, "Keyboard", 77));
    assert_eq!(held.scoped(InputScope::Nowhere).source(), event.source());

    let event = desktop.call().screen_lock(true);
    assert!(
        matches!(event.source(), Source::Executor { .. }),
        "what a wire says about a lock is the executor speaking"
    );
    let event = desktop.say.lockers.vote(login_hint(), true);
    assert!(matches!(event.source(), Source::Locker { mechanism: LockMechanism::LockedHint, .. }));
    let event = desktop.client().stop();
    assert!(matches!(event.source(), Source::Client { .. }));
}

#[test]
fn anyone_may_stop_and_only_a_person_or_an_authority_resumes() {
    let mut desktop = Desktop::new();
    desktop.stop();
    let press = desktop.say.input_devices.press(4, device(), 1);
    let event = desktop.say.person_controls.resume(press, Resume::Seat);
    assert!(matches!(event.source(), Source::Person { control: Control::Prompt, .. }));
    assert!(told(&desktop.step(event), &Notice::Resumed));

    let press = desktop.say.input_devices.press(4, device(), 2);
    let event = desktop.say.person_controls.stop(Control::StopKey, press);
    desktop.step(event);
    assert!(desktop.seat.is_halted());
    let event = desktop.say.authorities.polkit(bus_name(":1.5")).resume(Resume::Seat);
    assert!(matches!(event.source(), Source::Authority { authority: Authority::Polkit { .. }, .. }));
    desktop.step(event);
    assert!(!desktop.seat.is_halted());
}

#[test]
fn a_grant_is_given_by_a_person_and_taken_by_anyone() {
    let mut desktop = Desktop::new();
    let agent = Principal::new("agent").unwrap();
    let editor = ApplicationIdentity::Flatpak { id: "org.example.Editor".into() };
    assert_eq!(desktop.seat.grant(&agent, &editor), None);
    let press = desktop.say.input_devices.press(4, device(), 1);
    let event = desktop.say.person_controls.allow(press, agent.clone(), editor.clone());
    desktop.step(event);
    assert_eq!(desktop.seat.grant(&agent, &editor), Some(true));
    assert_eq!(desktop.seat.grant(&Principal::new("another").unwrap(), &editor), None);
    let event = desktop.client().deny(agent.clone(), editor.clone());
    desktop.step(event);
    assert_eq!(desktop.seat.grant(&agent, &editor), Some(false));
    let event = desktop.say.authorities.root_policy_file(1, 2).allow(agent.clone(), editor.clone());
    desktop.step(event);
    assert_eq!(desktop.seat.grant(&agent, &editor), Some(true));
}

#[test]
fn a_capability_is_said_by_its_own_producer_and_changes_are_told_once() {
    let mut desktop = Desktop::new();
    let claimed = |desktop: &mut Desktop| {
        let event = desktop.say.processes.claim(Standing::Claimed);
        assert!(matches!(event.source(), Source::Producer { capability: Capability::ProcessExit, .. }));
        desktop.step(event)
    };
    let capability = Capability::ProcessExit;
    assert!(told(&claimed(&mut desktop), &Notice::CapabilityClaimed { capability }));
    assert_eq!(claimed(&mut desktop), []);
    let event = desktop.say.processes.claim(Standing::NotClaimed("this kernel has no pidfd"));
    assert!(told(&desktop.step(event), &Notice::CapabilityLost { capability }));
}

#[test]
fn handles_read_back_what_they_wrote_and_nothing_else() {
    for number in [0, 1, 0xdead_beef, u64::MAX] {
        let id = ObservationId::new(number);
        assert_eq!(id.to_string().parse(), Ok(id));
    }
    for text in ["", "o", "s1", "o01", "oA", "o+1", "o-1", "o 1", "o11111111111111111", "1"] {
        assert_eq!(text.parse::<ObservationId>(), Err(MalformedId), "{text:?}");
    }
}

#[test]
fn names_are_short_and_without_control_characters() {
    assert!(Principal::new("agent 7").is_ok());
    assert!(Principal::new(&"a".repeat(bounds::NAME_BYTES)).is_ok());
    for text in [String::new(), "a".repeat(bounds::NAME_BYTES + 1), "a\nb".into(), "\u{1b}[2J".into()] {
        assert_eq!(Principal::new(&text), Err(MalformedName), "{text:?}");
    }
}

#[test]
fn a_digest_has_one_text_form() {
    let digest = Digest::from_bytes([0xab; 32]);
    let text = format!("sha256:{}", "ab".repeat(32));
    assert_eq!((digest.to_string(), Digest::parse(&text)), (text.clone(), Ok(digest)));
    for wrong in
        [text[7..].to_owned(), text.to_uppercase(), text.replace('a', "A"), format!("{text}0"), text.replace('b', "g")]
    {
        assert!(Digest::parse(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn text_of_a_screen_shows_only_its_length() {
    let text = UiText::new("attack at dawn");
    assert_eq!(format!("{text:?}"), "UiText(14 bytes)");
}
