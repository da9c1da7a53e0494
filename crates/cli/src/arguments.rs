//! The command line, as it is parsed and as `--help` shows it.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::{ffi::OsString, path::PathBuf};

/// Lets an agent work in real desktop applications: it acts only on what it has just observed, at most once, on
/// exactly the control it observed.
#[derive(Debug, Parser)]
#[command(name = "surehand", version, after_help = EXIT_CODES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  refused: nothing was changed; the code says why
  2  the command line is wrong
  3  outcome unknown: something was or may have been sent, and will not be repeated
  4  the desktop or the executor cannot be reached
  5  a claim of this machine is not met (doctor), or a wait ran out";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve an agent over MCP on standard input and output
    #[command(after_help = "Example:\n  claude mcp add surehand -- surehand mcp")]
    Mcp,
    /// List the applications that can be observed
    #[command(after_help = "Examples:\n  surehand apps\n  surehand apps calculator --json")]
    Apps {
        /// Only those whose id or name contains this
        filter: Option<String>,
        #[command(flatten)]
        output: Output,
    },
    /// List the windows, front to back
    #[command(after_help = "Example:\n  surehand windows --json")]
    Windows {
        #[command(flatten)]
        output: Output,
    },
    /// Look at one window
    #[command(
        after_help = "Examples:\n  surehand observe --app gnome-calculator\n  surehand observe --app gedit --query save --json\n  surehand observe --window w4 --screenshot window.png"
    )]
    Observe {
        #[command(flatten)]
        window: WindowArguments,
        /// Only elements whose name, value, description or role contains this
        #[arg(long)]
        query: Option<String>,
        /// Also write the window's picture to this PNG file
        #[arg(long, value_name = "FILE")]
        screenshot: Option<PathBuf>,
        #[command(flatten)]
        output: Output,
    },
    /// Act once on one element
    #[command(
        after_help = "Examples:\n  surehand act click --app gnome-calculator --name 7\n  surehand act set-value hello --app gedit --role text\n  surehand act click --observation k3f2-17 --element 12\n  surehand act click --app gnome-calculator --expect sha256:…\n\nWithout --observation and --expect it acts on a look of its own and says so."
    )]
    Act {
        #[command(subcommand)]
        verb: Verb,
    },
    /// Wait until a window shows something
    #[command(
        after_help = "Examples:\n  surehand wait --app gedit --text Saved\n  surehand wait --app gedit --window-title 'Save As' --timeout-ms 5000"
    )]
    Wait {
        #[command(flatten)]
        window: WindowArguments,
        #[command(flatten)]
        condition: ConditionArguments,
        /// How long to wait at most, in milliseconds
        #[arg(long, default_value_t = 10_000)]
        timeout_ms: u64,
        #[command(flatten)]
        output: Output,
    },
    /// Start an application in the background, so that it can be observed
    #[command(after_help = "Examples:\n  surehand launch gnome-calculator\n  surehand launch chromium")]
    Launch {
        /// A desktop entry's id, an application's name, or a program
        application: String,
        #[command(flatten)]
        output: Output,
    },
    /// Say what works on this machine, with the evidence, and how to repair what does not
    #[command(after_help = "Example:\n  surehand doctor --json")]
    Doctor {
        #[command(flatten)]
        output: Output,
    },
    /// A private desktop, for agents that should not see yours
    Desktop {
        #[command(subcommand)]
        command: DesktopCommand,
    },
    /// The executor alone, on standard input and output
    #[command(after_help = "Speaks surehand.executor/1, one JSON object a line; the host starts it.")]
    Executor,
    /// Print a shell's completion script
    #[command(after_help = "Example:\n  surehand completions bash > /etc/bash_completion.d/surehand")]
    Completions { shell: clap_complete::Shell },
    /// Write the manual pages into a folder
    Man { folder: PathBuf },
}

#[derive(Debug, Args)]
pub(crate) struct Output {
    /// Print facts as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct WindowArguments {
    /// The frontmost window of an application, by id or name
    #[arg(long)]
    pub(crate) app: Option<String>,
    /// A window, by the id that `windows` prints
    #[arg(long)]
    pub(crate) window: Option<String>,
    /// The frontmost window of a process
    #[arg(long)]
    pub(crate) pid: Option<u32>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct ConditionArguments {
    /// Some element's name, value or description contains this
    #[arg(long)]
    pub(crate) text: Option<String>,
    /// None contains it any more
    #[arg(long)]
    pub(crate) text_gone: Option<String>,
    /// The application has a window whose title contains this
    #[arg(long)]
    pub(crate) window_title: Option<String>,
    /// The application announced nothing for half a second
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Click it, by the action that does what a click does
    Click(ActArguments),
    /// Replace its text or number
    SetValue {
        value: String,
        #[command(flatten)]
        act: ActArguments,
    },
    /// Make it the selected one of its container
    Select(ActArguments),
    /// Scroll it
    Scroll {
        direction: ScrollDirection,
        #[arg(long, default_value_t = 1)]
        pages: u32,
        #[command(flatten)]
        act: ActArguments,
    },
    /// Perform one of its own actions, by name
    Perform {
        action: String,
        #[command(flatten)]
        act: ActArguments,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ScrollDirection {
    Up,
    Down,
    Left,
    Right,
}

#[derive(Debug, Args)]
pub(crate) struct ActArguments {
    #[command(flatten)]
    pub(crate) window: OptionalWindowArguments,
    /// An observation that `observe` printed a short while ago; used up by the action
    #[arg(long, requires = "element", conflicts_with_all = ["expect", "app", "window", "pid"])]
    pub(crate) observation: Option<String>,
    /// The element's number in that observation
    #[arg(long, requires = "observation")]
    pub(crate) element: Option<u64>,
    /// The element whose digest this is, as `observe --json` prints it
    #[arg(long, value_name = "DIGEST", conflicts_with_all = ["name", "role"])]
    pub(crate) expect: Option<String>,
    /// The element with exactly this name
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The element with this role
    #[arg(long)]
    pub(crate) role: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct OptionalWindowArguments {
    /// The frontmost window of an application, by id or name
    #[arg(long)]
    pub(crate) app: Option<String>,
    /// A window, by the id that `windows` prints
    #[arg(long)]
    pub(crate) window: Option<String>,
    /// The frontmost window of a process
    #[arg(long)]
    pub(crate) pid: Option<u32>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DesktopCommand {
    /// Run a command on a private desktop, and end the desktop with it
    #[command(
        after_help = "Examples:\n  surehand desktop run -- gnome-calculator\n  surehand desktop run --screen 1920x1080 -- sh -c 'gedit & surehand observe --app gedit'"
    )]
    Run {
        /// Width and height of its screen, in pixels
        #[arg(long, default_value = "1280x1024", value_parser = parse_screen)]
        screen: (u16, u16),
        /// The command and its arguments
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
}

fn parse_screen(text: &str) -> Result<(u16, u16), String> {
    let parsed = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    parsed
        .filter(|(width, height)| *width > 0 && *height > 0)
        .ok_or_else(|| "write it as WIDTHxHEIGHT, such as 1280x1024".to_owned())
}

impl Command {
    /// Whether facts, and so failures, are to be printed as JSON.
    pub(crate) fn wants_json(&self) -> bool {
        match self {
            Self::Apps { output, .. }
            | Self::Windows { output }
            | Self::Observe { output, .. }
            | Self::Wait { output, .. }
            | Self::Launch { output, .. }
            | Self::Doctor { output } => output.json,
            Self::Act { verb } => match verb {
                Verb::Click(act) | Verb::Select(act) => act.output.json,
                Verb::SetValue { act, .. } | Verb::Scroll { act, .. } | Verb::Perform { act, .. } => act.output.json,
            },
            Self::Mcp | Self::Desktop { .. } | Self::Executor | Self::Completions { .. } | Self::Man { .. } => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    const PAGE: &str = include_str!("../../../docs/reference/commands.md");

    fn rows(heading: &str) -> impl Iterator<Item = Vec<&str>> {
        let section = PAGE.split("\n## ").find(|section| section.trim_start_matches('#').trim().starts_with(heading));
        let lines = section.expect("the page has that section").lines();
        let rows = lines.filter(|line| line.starts_with("| ")).skip(2);
        rows.map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect())
    }

    #[test]
    fn the_page_lists_every_command_and_no_other() {
        let mut command_line = CommandLine::command();
        command_line.build();
        let mut known: Vec<String> = command_line
            .get_subcommands()
            .filter(|command| command.get_name() != "help")
            .map(|command| command.get_name().to_owned())
            .collect();
        let mut listed: Vec<String> = rows("Commands")
            .map(|row| row[0].trim_matches('`').split(' ').nth(1).unwrap_or_default().to_owned())
            .collect();
        known.sort();
        listed.sort();
        assert_eq!(listed, known);
    }

    #[test]
    fn the_page_and_the_help_give_the_same_exit_codes() {
        let help = EXIT_CODES.lines().skip(1).map(|line| {
            let (code, meaning) = line.trim().split_once("  ").expect("a code and its meaning");
            vec![code.to_owned(), meaning.to_owned()]
        });
        let page = rows("Exit codes").map(|row| row.iter().map(|cell| cell.replace('`', "")).collect::<Vec<_>>());
        assert_eq!(page.collect::<Vec<_>>(), help.collect::<Vec<_>>());
    }

    #[test]
    fn the_command_line_is_well_formed() {
        CommandLine::command().debug_assert();
    }
}
