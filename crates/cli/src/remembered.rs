//! Observations that one command made and a later one may act on: which window, and the digest of each element.
//! No text from a screen is kept, and an action uses its observation up before anything is sent.

use crate::failure::Failure;
use rustix::process::geteuid;
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    env, fs,
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};
use surehand_contract::{Code, Digest, Target};
use surehand_host::{Observed, Refusal};

/// As long as an observation may be acted on (`observation_ttl_s` of the contract).
const LIFETIME: Duration = Duration::from_millis(surehand_contract::bounds::OBSERVATION_TTL_MS);
const LIVE: &str = "json";
const USED: &str = "used";

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Remembered {
    pub(crate) target: Target,
    pub(crate) window: String,
    pub(crate) elements: HashMap<u64, Digest>,
}

impl Remembered {
    /// Keeps an observation for later commands of this user, and drops what is too old.
    pub(crate) fn keep(observed: &Observed) -> Result<(), Failure> {
        let folder = folder()?;
        drop_old(&folder);
        let snapshot = observed.snapshot();
        let remembered = Self {
            target: snapshot.target.clone(),
            window: observed.window.clone(),
            elements: snapshot.elements.iter().map(|element| (element.stable_id, element.digest)).collect(),
        };
        let bytes = serde_json::to_vec(&remembered).map_err(io::Error::from).map_err(KEEPING)?;
        let path = file(&folder, &observed.observation.to_string(), LIVE);
        let opened = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        opened.and_then(|mut file| file.write_all(&bytes)).map_err(KEEPING)
    }

    /// Takes an observation for one action. A second taker of the same one gets `duplicate_action`.
    pub(crate) fn take(observation: &str) -> Result<Self, Failure> {
        let is_an_id =
            !observation.is_empty() && observation.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if !is_an_id {
            return Err(Refusal::of(Code::StaleObservation).into());
        }
        let folder = folder()?;
        let (live, used) = (file(&folder, observation, LIVE), file(&folder, observation, USED));
        let is_too_old =
            fs::metadata(&live).and_then(|status| status.modified()).is_ok_and(|made| age(made) > LIFETIME);
        if is_too_old {
            return Err(Refusal::of(Code::StaleObservation).into());
        }
        match fs::rename(&live, &used) {
            Ok(()) => {}
            Err(_) if used.exists() => return Err(Refusal::of(Code::DuplicateAction).into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Refusal::of(Code::StaleObservation).into());
            }
            Err(error) => return Err(KEEPING(error)),
        }
        let bytes = fs::read(&used).map_err(KEEPING)?;
        serde_json::from_slice(&bytes).map_err(|_| Refusal::of(Code::StaleObservation).into())
    }
}

const KEEPING: fn(io::Error) -> Failure =
    |source| Failure::Io { doing: "the folder for observations cannot be used", source };

fn file(folder: &Path, observation: &str, state: &str) -> PathBuf {
    folder.join(format!("{observation}.{state}"))
}

/// A folder of this user's alone.
fn folder() -> Result<PathBuf, Failure> {
    let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let parent = runtime.unwrap_or_else(|| env::temp_dir().join(format!("surehand-{}", geteuid().as_raw())));
    let folder = parent.join("surehand").join("observations");
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(KEEPING)?;
    let status = fs::symlink_metadata(&folder).map_err(KEEPING)?;
    let is_private = status.is_dir() && status.uid() == geteuid().as_raw() && status.mode() & 0o077 == 0;
    is_private.then_some(folder).ok_or_else(|| KEEPING(io::Error::from(io::ErrorKind::PermissionDenied)))
}

fn drop_old(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_old = entry.metadata().and_then(|status| status.modified()).is_ok_and(|made| age(made) > LIFETIME);
        if is_old {
            // Another command may have dropped it first.
            drop(fs::remove_file(entry.path()));
        }
    }
}

fn age(made: SystemTime) -> Duration {
    SystemTime::now().duration_since(made).unwrap_or_default()
}
