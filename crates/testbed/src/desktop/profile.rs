//! What a home directory needs so that no application greets its new user.

use std::path::Path;

use super::error::DesktopError;
use super::keeper::Premises;

const LIBREOFFICE: &str = ".config/libreoffice/4/user/registrymodifications.xcu";

/// No tip of the day, no word on what is new, no call for donations.
const LIBREOFFICE_SETTINGS: [(&str, &str, &str); 5] = [
    ("/org.openoffice.Office.Common/Misc", "ShowTipOfTheDay", "false"),
    ("/org.openoffice.Office.Common/Misc", "FirstRun", "false"),
    ("/org.openoffice.Setup/Product", "ooSetupLastVersion", "99.9"),
    ("/org.openoffice.Setup/Product", "LastTimeGetInvolvedShown", "4102444800"),
    ("/org.openoffice.Setup/Product", "LastTimeDonateShown", "4102444800"),
];

/// Writes the files, and hands them to the desktop's user.
pub(super) fn lay_out(premises: &Premises) -> Result<(), DesktopError> {
    let home = premises.directory.join("home");
    let path = home.join(LIBREOFFICE);
    let directory = path.parent().expect("the file is below the home directory");
    std::fs::create_dir_all(directory).map_err(DesktopError::file(directory))?;
    std::fs::write(&path, libreoffice_settings()).map_err(DesktopError::file(&path))?;
    for owned in path.ancestors().take_while(|ancestor| *ancestor != home.as_path()) {
        hand_over(owned, premises)?;
    }
    Ok(())
}

fn hand_over(path: &Path, premises: &Premises) -> Result<(), DesktopError> {
    std::os::unix::fs::chown(path, Some(premises.uid), Some(premises.gid)).map_err(DesktopError::file(path))
}

fn libreoffice_settings() -> String {
    let items = LIBREOFFICE_SETTINGS.map(|(path, name, value)| {
        format!(
            "<item oor:path=\"{path}\"><prop oor:name=\"{name}\" oor:op=\"fuse\"><value>{value}</value></prop></item>\n"
        )
    });
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <oor:items xmlns:oor=\"http://openoffice.org/2001/registry\" \
         xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n\
         {}</oor:items>\n",
        items.concat()
    )
}
