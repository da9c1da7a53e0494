//! Trees for unit tests, drawn in a few words.

use crate::{Accessibility, ApplicationIdentity, Node, Rect, States, Tree, Verbs, Visibility, Window};
use std::borrow::Cow;
use surehand_contract::{ExeIdentity, ProcessInstance, Target, UiText, WindowIdentity};

/// Reference, parent's position, role, name, index.
pub(crate) type Drawn = (u32, Option<usize>, &'static str, &'static str, u32);

pub(crate) fn target(window: u32) -> Target {
    let exe = ExeIdentity { path: "/bin/a".to_owned(), device: 1, inode: 1 };
    let process = ProcessInstance { pid: 1, pidfd_inode: Some(1), start_time_ticks: 1, boot_id: "b".to_owned(), exe };
    let window = WindowIdentity::X11 { window, incarnation: 0 };
    Target { process, window, content: None, page: None }
}

pub(crate) fn window(id: u32) -> Window {
    Window {
        target: target(id),
        application: ApplicationIdentity::Executable("/bin/a".to_owned()),
        title: UiText::default(),
        bounds: Rect { x: 0, y: 0, width: 100, height: 100 },
        visibility: Visibility::Shown,
        active: false,
        accessibility: Accessibility::Ready,
    }
}

pub(crate) fn tree(drawn: &[Drawn]) -> Tree<u32> {
    let node = |(reference, parent, role, name, index_in_parent): &Drawn| Node {
        reference: *reference,
        parent: *parent,
        index_in_parent: *index_in_parent,
        role: Cow::Borrowed(*role),
        name: UiText::new(*name),
        description: UiText::default(),
        states: States::default(),
        actions: Vec::new(),
        verbs: Verbs::default(),
        value: None,
        bounds: None,
    };
    Tree { window: window(1), toolkit: None, nodes: drawn.iter().map(node).collect(), omissions: Vec::new() }
}
