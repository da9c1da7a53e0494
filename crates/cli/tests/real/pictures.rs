//! Pictures show the window's own pixels, whatever covers it, and are nobody else's to read.

use crate::stage::{agent, desktop, picture_files};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::json;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use surehand_testbed::{
    DesktopConfiguration, Fixture, Order, PrivateDesktop, ToolAnswer, Toolkit, WindowManager, XServer,
};

/// Width, height, and red, green and blue a byte each.
struct Pixels(u32, u32, Vec<u8>);

fn decode(answer: &ToolAnswer) -> Pixels {
    let picture = answer.picture.as_ref().unwrap_or_else(|| panic!("{}", answer.text));
    let png = STANDARD.decode(picture).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut bytes).unwrap();
    assert_eq!(frame.bit_depth, png::BitDepth::Eight);
    let samples = frame.color_type.samples();
    let colours = bytes[..frame.buffer_size()].chunks_exact(samples).flat_map(|pixel| pixel[..3].to_vec()).collect();
    Pixels(frame.width, frame.height, colours)
}

/// The share of pixels that two pictures have in common.
fn likeness(one: &[u8], other: &[u8]) -> f64 {
    assert_eq!(one.len(), other.len());
    let same = one.chunks_exact(3).zip(other.chunks_exact(3)).filter(|(one, other)| one == other).count();
    same as f64 / (one.len() / 3) as f64
}

/// Without a window manager all windows open at the same place: the second covers the first, and nothing has the focus.
#[test]
fn a_covered_window() {
    let window_manager = WindowManager::None;
    let desktop =
        PrivateDesktop::start(&DesktopConfiguration { window_manager, ..DesktopConfiguration::default() }).unwrap();
    let x_server = XServer::of(&desktop).unwrap();
    let mut agent = agent(&desktop);
    let target = Fixture::start(&desktop, Toolkit::Qt6).unwrap();
    let bounds = target.window().bounds;
    let shown = json!({ "window": format!("{:#x}", target.window().id) });
    let uncovered = decode(&agent.call("screenshot", shown.clone()).unwrap());
    assert_eq!((uncovered.0, uncovered.1), (bounds.width, bounds.height));
    let on_screen = x_server.pixels_on_screen(target.window().id).unwrap();
    assert_eq!(likeness(&uncovered.2, &on_screen), 1.0);

    let cover = Fixture::start_with_title(&desktop, Toolkit::Gtk3, "Cover").unwrap();
    assert_eq!(cover.window().bounds, bounds, "it covers the whole");
    cover.settle().unwrap();
    let on_screen_now = x_server.pixels_on_screen(target.window().id).unwrap();
    assert!(likeness(&on_screen, &on_screen_now) < 0.9, "another window is seen there");
    let covered = decode(&agent.call("screenshot", shown.clone()).unwrap());
    assert_eq!(likeness(&covered.2, &on_screen), 1.0);
    // What changes under the cover is in the picture, and nothing but that.
    target.order(&Order::SetValue { element: "volume".to_owned(), value: 90 }).unwrap();
    target.settle().unwrap();
    let changed = likeness(&decode(&agent.call("screenshot", shown.clone()).unwrap()).2, &on_screen);
    assert!((0.97..1.0).contains(&changed), "{changed}");
    // The application has no part in it.
    target.application().freeze().unwrap();
    let frozen = agent.call("screenshot", shown).unwrap();
    assert!(frozen.picture.is_some(), "{}", frozen.text);
    target.application().thaw().unwrap();
}

#[test]
fn files_of_pictures() {
    let desktop = desktop();
    let fixture = Fixture::start(&desktop, Toolkit::Gtk3).unwrap();
    let mut agent = agent(&desktop);
    let whose = json!({ "pid": fixture.application().id() });
    let picture = agent.call("screenshot", whose.clone()).unwrap();
    let bounds = fixture.window().bounds;
    let Pixels(width, height, _) = decode(&picture);
    assert_eq!((width, height), (bounds.width, bounds.height));
    assert!(picture.text.contains(&format!("{width}x{height}")), "{}", picture.text);

    let files = picture_files(&desktop);
    let [file] = files.as_slice() else { panic!("{files:?}") };
    let run = desktop.premises().directory.join("run");
    let file = run.join(file);
    let metadata = std::fs::metadata(&file).unwrap();
    assert_eq!((metadata.uid(), metadata.permissions().mode() & 0o777), (desktop.premises().uid, 0o600));
    for folder in file.ancestors().skip(1).take_while(|folder| *folder != run) {
        let mode = std::fs::metadata(folder).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o700, "{}", folder.display());
    }
    assert!(agent.leave().unwrap().success());
    assert_eq!(picture_files(&desktop), [""; 0]);
}

#[test]
fn a_window_without_a_picture() {
    let desktop = desktop();
    let x_server = XServer::of(&desktop).unwrap();
    let fixture = Fixture::start(&desktop, Toolkit::Gtk3).unwrap();
    let mut agent = agent(&desktop);
    let whose = json!({ "window": format!("{:#x}", fixture.window().id) });
    fixture.order(&Order::Minimise).unwrap();
    x_server.wait_until_minimised(fixture.window().id, crate::stage::WITHIN).unwrap();
    let minimised = agent.call("screenshot", whose).unwrap();
    assert_eq!(minimised.code().as_deref(), Some("capture_failed"), "{}", minimised.text);
    let missing = agent.call("screenshot", json!({ "window": "0xdead" })).unwrap();
    assert_eq!(missing.code().as_deref(), Some("target_missing"), "{}", missing.text);
    assert_eq!(picture_files(&desktop), [""; 0]);
}
