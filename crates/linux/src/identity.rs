//! Who an application is when a person grants something to it: the desktop entry that starts it, else the script
//! an interpreter runs, else the file itself.

use std::{
    collections::HashMap,
    env, fs,
    path::{Path, PathBuf},
    sync::Mutex,
};
use surehand_contract::ProcessInstance;
use surehand_executor::ApplicationIdentity;

/// One installed desktop entry, as far as starting and naming an application needs it.
#[derive(Debug, Clone)]
pub(crate) struct DesktopEntry {
    /// The file's name without `.desktop`.
    pub(crate) id: String,
    pub(crate) name: String,
    /// Program and arguments, field codes removed.
    pub(crate) command: Vec<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Identities {
    entries: Mutex<Option<HashMap<String, DesktopEntry>>>,
}

impl Identities {
    pub(crate) fn of(&self, process: &ProcessInstance) -> ApplicationIdentity {
        if let Some(id) = flatpak_id(process.pid) {
            return ApplicationIdentity::Flatpak(id);
        }
        if let Some(id) = snap_id(&process.exe.path) {
            return ApplicationIdentity::Snap(id);
        }
        if let Some(path) = script_of(process) {
            return ApplicationIdentity::Script { interpreter: process.exe.path.clone(), path };
        }
        let entries = self.entries();
        let started_by = |entry: &&DesktopEntry| {
            entry
                .command
                .first()
                .and_then(|program| find_program(program))
                .is_some_and(|path| same_program(&path, &process.exe.path))
        };
        let mut fitting: Vec<&DesktopEntry> = entries.values().filter(started_by).collect();
        fitting.sort_by_key(|entry| (entry.command.len(), entry.id.len(), entry.id.clone()));
        match fitting.first() {
            Some(entry) => ApplicationIdentity::DesktopEntry(entry.id.clone()),
            None => ApplicationIdentity::Executable(process.exe.path.clone()),
        }
    }

    /// By id, by the shown name, or by the program's file name; without case.
    pub(crate) fn find(&self, wanted: &str) -> Option<DesktopEntry> {
        let entries = self.entries();
        let program_name = |entry: &DesktopEntry| {
            entry
                .command
                .first()
                .and_then(|program| Path::new(program).file_name())
                .map(|name| name.to_string_lossy().into_owned())
        };
        let mut sorted: Vec<&DesktopEntry> = entries.values().collect();
        sorted.sort_by_key(|entry| (entry.command.len(), entry.id.len(), entry.id.clone()));
        let first = |matches: &dyn Fn(&DesktopEntry) -> bool| {
            sorted.iter().find(|entry| matches(entry)).map(|entry| (*entry).clone())
        };
        first(&|entry| entry.id.eq_ignore_ascii_case(wanted.trim_end_matches(".desktop")))
            .or_else(|| first(&|entry| entry.name.to_lowercase() == wanted.to_lowercase()))
            .or_else(|| first(&|entry| program_name(entry).is_some_and(|name| name.eq_ignore_ascii_case(wanted))))
    }

    fn entries(&self) -> HashMap<String, DesktopEntry> {
        let mut entries = self.entries.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        entries.get_or_insert_with(read_entries).clone()
    }
}

fn flatpak_id(pid: u32) -> Option<String> {
    let info = fs::read_to_string(format!("/proc/{pid}/root/.flatpak-info")).ok()?;
    info.lines().find_map(|line| line.strip_prefix("name=")).map(str::to_owned)
}

fn snap_id(exe: &str) -> Option<String> {
    exe.strip_prefix("/snap/").and_then(|rest| rest.split('/').next()).map(str::to_owned)
}

/// The first argument that is a file, where the file that runs is an interpreter.
fn script_of(process: &ProcessInstance) -> Option<String> {
    let program = Path::new(&process.exe.path).file_name()?.to_string_lossy().into_owned();
    let interpreters = ["python", "perl", "ruby", "node", "bash", "dash", "sh", "gjs"];
    if !interpreters.iter().any(|interpreter| is_version_of(&program, interpreter)) {
        return None;
    }
    let command_line = fs::read(format!("/proc/{}/cmdline", process.pid)).ok()?;
    let directory = fs::read_link(format!("/proc/{}/cwd", process.pid)).unwrap_or_default();
    command_line
        .split(|byte| *byte == 0)
        .skip(1)
        .map(|argument| String::from_utf8_lossy(argument).into_owned())
        .find(|argument| !argument.is_empty() && !argument.starts_with('-'))
        .map(|argument| directory.join(argument))
        .filter(|path| path.is_file())
        .map(|path| path.to_string_lossy().into_owned())
}

/// `python3.11` is a version of `python`; `bashful` is none of `bash`.
fn is_version_of(program: &str, interpreter: &str) -> bool {
    program.strip_prefix(interpreter).is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

pub(crate) fn find_program(program: &str) -> Option<PathBuf> {
    let is_program = |path: &Path| path.is_file();
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|path| is_program(path));
    }
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(program)).find(|path| is_program(path))
}

/// The same file, or a wrapper script of the same name as the file it ends in running.
fn same_program(program: &Path, exe: &str) -> bool {
    fs::canonicalize(program).is_ok_and(|real| real == Path::new(exe))
        || program.file_name().is_some_and(|name| Path::new(exe).file_name() == Some(name))
}

fn read_entries() -> HashMap<String, DesktopEntry> {
    let home = env::var_os("XDG_DATA_HOME")
        .map(PathBuf::from)
        .or_else(|| env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/share")));
    let shared = env::var("XDG_DATA_DIRS")
        .ok()
        .filter(|folders| !folders.is_empty())
        .unwrap_or_else(|| "/usr/local/share:/usr/share".to_owned());
    let folders = home.into_iter().chain(env::split_paths(&shared));
    let mut entries = HashMap::new();
    for folder in folders {
        let Ok(files) = fs::read_dir(folder.join("applications")) else { continue };
        for path in
            files.flatten().map(|file| file.path()).filter(|path| path.extension().is_some_and(|end| end == "desktop"))
        {
            if let Some(entry) = fs::read_to_string(&path).ok().and_then(|text| parse_entry(&path, &text)) {
                entries.entry(entry.id.clone()).or_insert(entry);
            }
        }
    }
    entries
}

/// The keys of the Desktop Entry Specification that matter here, from its main group.
fn parse_entry(path: &Path, text: &str) -> Option<DesktopEntry> {
    let group = text
        .lines()
        .skip_while(|line| line.trim() != "[Desktop Entry]")
        .skip(1)
        .take_while(|line| !line.starts_with('['));
    let keys: HashMap<&str, &str> =
        group.filter_map(|line| line.split_once('=')).map(|(key, value)| (key.trim(), value.trim())).collect();
    if keys.get("Type") != Some(&"Application") {
        return None;
    }
    let command: Vec<String> =
        split_command(keys.get("Exec")?).into_iter().filter(|word| !is_field_code(word)).collect();
    let id = path.file_stem()?.to_string_lossy().into_owned();
    (!command.is_empty()).then(|| DesktopEntry { id, name: (*keys.get("Name").unwrap_or(&"")).to_owned(), command })
}

fn is_field_code(word: &str) -> bool {
    word.len() == 2 && word.starts_with('%') && word != "%%"
}

/// Words separated by spaces; double quotes group, a backslash inside them quotes the next character.
fn split_command(exec: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut in_quotes = false;
    let mut has_word = false;
    let mut characters = exec.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                in_quotes = !in_quotes;
                has_word = true;
            }
            '\\' if in_quotes => word.extend(characters.next()),
            ' ' if !in_quotes => {
                if has_word {
                    words.push(std::mem::take(&mut word));
                    has_word = false;
                }
            }
            other => {
                word.push(other);
                has_word = true;
            }
        }
    }
    if has_word {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_keeps_quoted_words_and_drops_field_codes() {
        let entry = parse_entry(
            Path::new("/x/a.b.desktop"),
            "[Other]\nName=no\n[Desktop Entry]\nType=Application\nName=A B\nExec=\"my program\" --open \"a \\\"b\\\"\" %U\n[Action]\nExec=z\n",
        )
        .expect("it is an application");
        assert_eq!(entry.id, "a.b");
        assert_eq!(entry.name, "A B");
        assert_eq!(entry.command, ["my program", "--open", "a \"b\""]);
    }

    #[test]
    fn an_interpreter_is_known_with_its_version_only() {
        assert!(is_version_of("python3.11", "python"));
        assert!(!is_version_of("bashful", "bash"));
    }
}
