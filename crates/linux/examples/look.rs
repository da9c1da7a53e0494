//! Looks at every window whose title or application holds a word: prints its elements, how long two looks took,
//! and every element whose live re-reading differs from what was observed.
//!
//!     cargo run --release -p surehand-linux --example look -- WORD [--quiet]

use std::time::{Duration, Instant};
use surehand_executor::{Desktop, Node, Tree, TreeBounds, element_digest, lineage};
use surehand_linux::{LinuxDesktop, Reference};

const BOUNDS: TreeBounds =
    TreeBounds { elements: 5_000, depth: 64, text_characters: 500, time: Duration::from_secs(5) };
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let word = std::env::args().nth(1).unwrap_or_default();
    let quiet = std::env::args().any(|argument| argument == "--quiet");
    let desktop = LinuxDesktop::new();
    let started = Instant::now();
    for capability in desktop.capabilities().await {
        println!("{capability:?}");
    }
    println!("connected in {:?}", started.elapsed());
    for application in desktop.applications().await.expect("applications") {
        println!("{:?} {} {:?}", application.identity, application.process.pid, application.toolkit);
    }
    for window in desktop.windows().await.expect("windows") {
        let named = format!("{} {:?}", window.title.expose(), window.application).to_lowercase();
        if !named.contains(&word.to_lowercase()) {
            continue;
        }
        println!("== {:?} {:?} {:?}", window.title.expose(), window.bounds, window.visibility);
        for _ in 0..3 {
            let started = Instant::now();
            match desktop.tree(&window.target, BOUNDS).await {
                Ok(tree) => println!("{} nodes in {:?}", tree.nodes.len(), started.elapsed()),
                Err(failure) => println!("{failure:?} in {:?}", started.elapsed()),
            }
        }
        let Ok(tree) = desktop.tree(&window.target, BOUNDS).await else { continue };
        if !quiet {
            tree.nodes.iter().for_each(|node| print(&tree, node));
        }
        println!("omissions {:?}", tree.omissions);
        compare(&desktop, &tree).await;
        let started = Instant::now();
        match desktop.capture(&window.target).await {
            Ok(picture) => {
                println!(
                    "picture {}x{} {} bytes in {:?}",
                    picture.width,
                    picture.height,
                    picture.png.len(),
                    started.elapsed()
                );
                std::fs::write("/tmp/look.png", picture.png).expect("written");
            }
            Err(failure) => println!("picture {failure:?}"),
        }
    }
}

fn print(tree: &Tree<Reference>, node: &Node<Reference>) {
    let mut depth = 0;
    let mut parent = node.parent;
    while let Some(place) = parent {
        depth += 1;
        parent = tree.nodes[place].parent;
    }
    println!(
        "{}{} {:?} {:?} {:?} {:?} {:?}",
        " ".repeat(depth),
        node.role,
        node.name.expose(),
        node.bounds.map(|b| (b.x, b.y, b.width, b.height)),
        node.actions,
        node.value,
        node.states.iter().map(|s| s.as_str()).collect::<Vec<_>>()
    );
}

async fn compare(desktop: &LinuxDesktop, tree: &Tree<Reference>) {
    let (mut same, mut different) = (0, 0);
    let started = Instant::now();
    for (place, node) in tree.nodes.iter().enumerate() {
        let lineage = lineage(tree, place);
        match desktop.witness(&tree.window.target, &lineage).await {
            Ok(witness) => {
                let now = &witness.tree.nodes[witness.element];
                let view = |n: &Node<Reference>| {
                    format!(
                        "{} {:?} {:?} {:?} {:?} {} {:?}",
                        n.role,
                        n.name.expose(),
                        n.bounds,
                        n.actions,
                        n.value,
                        n.index_in_parent,
                        n.states
                    )
                };
                if element_digest(&witness.tree, witness.element) == element_digest(tree, place) {
                    same += 1;
                } else {
                    different += 1;
                    println!("DIFFERS {}\n     is {}", view(node), view(now));
                }
            }
            Err(failure) => {
                different += 1;
                println!("WITNESS {failure:?} for {} {:?}", node.role, node.name.expose());
            }
        }
    }
    println!("{same} same, {different} different, {:?} each", started.elapsed() / tree.nodes.len().max(1) as u32);
}
