"""Keeps one private desktop: makes what must later be unmade, and unmakes it.

The keeper makes a directory and, as root, an ordinary user; says so in one JSON line on stdout; then waits until its
standard input ends. That happens when the desktop is stopped and equally when its owner is killed. It then ends every
process of the desktop, removes the user and the directory, and says in a second JSON line what it ended.

It is a process of its own, in a session of its own, because its owner may be killed at any time and the desktop must not
outlive it. Whatever a killed keeper leaves behind is removed by the next one.
"""

import errno
import fcntl
import glob
import json
import os
import pwd
import re
import secrets
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time

BASE = "/tmp"  # Short and fixed: socket paths below it may not pass 107 bytes.
PREFIX = "surehand-desktop-"
USER_PREFIX = "surehand-"
USER_COMMENT = "surehand private desktop"
MARKER_VARIABLE = b"SUREHAND_DESKTOP="
END_TIMEOUT_S = 10.0


def main():
    os.setsid()
    for ignored in (signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(ignored, signal.SIG_IGN)
    with Registry():
        sweep()
        if sys.argv[1:] == ["sweep"]:
            return
        premises, lock = make_premises()
    # The owner, should it be asked to end, must still find its keeper alive.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    say(premises)
    wait_for_end_of_input()
    ended = end_processes(premises)
    with Registry():
        unmake_premises(premises)
    lock.close()
    say(ended)
    if ended["survivors"]:
        sys.exit(1)


class Registry:
    """Held while users or directories come and go: the system's own lock on its user table waits whole seconds."""

    def __enter__(self):
        path = f"{BASE}/surehand-desktops-{os.geteuid()}.lock"
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        fcntl.flock(self.descriptor, fcntl.LOCK_EX)

    def __exit__(self, *_):
        os.close(self.descriptor)


def make_premises():
    marker = secrets.token_hex(4)
    directory = f"{BASE}/{PREFIX}{marker}"
    os.mkdir(directory, 0o711)
    lock = open(f"{directory}/keeper.lock", "w")
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    premises = {"directory": directory, "marker": marker, "user": None, "uid": os.getuid(), "gid": os.getgid()}
    if os.geteuid() == 0:
        premises["user"] = USER_PREFIX + marker
        make_user(premises)
        prepare_socket_directories()
    for name in ("home", "run", "tmp"):
        path = f"{directory}/{name}"
        os.mkdir(path, 0o700)
        os.chown(path, premises["uid"], premises["gid"])
    with open(f"{directory}/premises.json", "w") as file:
        json.dump(premises, file)
    return premises, lock


def make_user(premises):
    run_tool(
        "useradd",
        "--no-create-home",
        f"--home-dir={premises['directory']}/home",
        "--shell=/bin/sh",
        "--no-log-init",
        "--user-group",
        f"--comment={USER_COMMENT}",
        "--key=SUB_UID_COUNT=0",
        "--key=SUB_GID_COUNT=0",
        "--key=MAIL_DIR=/nonexistent",
        premises["user"],
    )
    entry = pwd.getpwnam(premises["user"])
    premises["uid"], premises["gid"] = entry.pw_uid, entry.pw_gid


def prepare_socket_directories():
    """An ordinary user's X server may not make these itself without a warning."""
    for path in ("/tmp/.X11-unix", "/tmp/.ICE-unix"):
        if not os.path.lexists(path):
            os.mkdir(path)
            os.chmod(path, 0o1777)


def wait_for_end_of_input():
    while os.read(0, 4096):
        pass


def sweep():
    """Unmakes what keepers that were killed left behind. A living keeper holds the lock in its directory."""
    for directory in glob.glob(f"{BASE}/{PREFIX}*"):
        information = os.lstat(directory)
        if not stat.S_ISDIR(information.st_mode) or information.st_uid != os.geteuid():
            continue
        with open(f"{directory}/keeper.lock", "a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            premises = recorded_premises(directory)
            end_processes(premises)
            unmake_premises(premises)
    if os.geteuid() == 0:
        for entry in pwd.getpwall():
            if entry.pw_gecos == USER_COMMENT and not os.path.exists(os.path.dirname(entry.pw_dir)):
                remove_user(entry.pw_name)


def recorded_premises(directory):
    nobody = {"user": None, "uid": None, "gid": None}
    try:
        with open(f"{directory}/premises.json") as file:
            premises = json.load(file)
    except (OSError, ValueError):
        return {"directory": directory, "marker": directory[len(f"{BASE}/{PREFIX}") :], **nobody}
    # A user that was already removed may have left its number to another desktop's.
    if premises["user"] is not None and not user_exists(premises["user"]):
        premises.update(nobody)
    return premises


def end_processes(premises):
    """Kills the desktop's processes until none is left. Each is held by a descriptor, so that a reused id is spared."""
    deadline = time.monotonic() + END_TIMEOUT_S
    ended = []
    while True:
        present = owned_processes(premises)
        if not present or time.monotonic() > deadline:
            break
        held = [(pid, descriptor) for pid in present if (descriptor := hold(pid)) is not None]
        still_owned = owned_processes(premises)
        poll = select.poll()
        waiting = set()
        for pid, descriptor in held:
            if pid in still_owned and kill(descriptor):
                ended.append(pid)
                poll.register(descriptor, select.POLLIN)
                waiting.add(descriptor)
        while waiting and (left_s := deadline - time.monotonic()) > 0:
            for descriptor, _ in poll.poll(left_s * 1000):
                poll.unregister(descriptor)
                waiting.discard(descriptor)
        for _, descriptor in held:
            os.close(descriptor)
    return {"ended": sorted(ended), "survivors": sorted(owned_processes(premises))}


def owned_processes(premises):
    """Every process of the desktop's own user, every one that carries its marker, and all their descendants.

    The marker alone would miss processes that overwrite their environment to show a title.
    """
    parents, owned = {}, set()
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        pid = int(entry)
        try:
            with open(f"/proc/{pid}/status") as file:
                status = file.read()
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ESRCH):
                continue
            raise
        if re.search(r"^State:\s+[ZX]", status, re.M):
            continue
        parents[pid] = int(re.search(r"^PPid:\s+(\d+)", status, re.M)[1])
        uid = int(re.search(r"^Uid:\s+(\d+)", status, re.M)[1])
        if (premises["user"] is not None and uid == premises["uid"]) or carries_marker(pid, premises["marker"]):
            owned.add(pid)
    owned.discard(os.getpid())
    grew = True
    while grew:
        heirs = {pid for pid, parent in parents.items() if parent in owned and pid not in owned}
        owned |= heirs
        grew = bool(heirs)
    return owned


def carries_marker(pid, marker):
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            variables = file.read().split(b"\0")
    except OSError:
        return False
    for variable in variables:
        if variable.startswith(MARKER_VARIABLE):
            return marker.encode() in variable[len(MARKER_VARIABLE) :].split(b":")
    return False


def hold(pid):
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return None


def kill(descriptor):
    try:
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        return True
    except (ProcessLookupError, PermissionError):
        return False


def remove_dead_displays(uid):
    """A killed X server leaves its socket behind, and its lock where it made one. Nobody answers at such a socket."""
    for path in glob.glob(f"{BASE}/.X11-unix/X*"):
        try:
            if os.lstat(path).st_uid != uid:
                continue
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(path)
        except ConnectionRefusedError:
            remove_file(path)
            remove_file(f"{BASE}/.X{os.path.basename(path)[1:]}-lock")
        except OSError:
            continue


def unmake_premises(premises):
    remove_dead_displays(premises["uid"])
    if premises["user"] is not None:
        remove_strays(premises["uid"])
        remove_user(premises["user"])
    shutil.rmtree(premises["directory"], ignore_errors=True)


def remove_strays(uid):
    """Applications may write beside their home directory; what belongs to a user who ends here ends as well."""
    for directory in ("/tmp", "/var/tmp", "/dev/shm", "/tmp/.X11-unix", "/tmp/.ICE-unix"):
        try:
            entries = list(os.scandir(directory))
        except OSError:
            continue
        for entry in entries:
            try:
                if entry.stat(follow_symlinks=False).st_uid != uid:
                    continue
            except OSError:
                continue
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                remove_file(entry.path)
    remove_shared_memory(uid)


def remove_shared_memory(uid):
    with open("/proc/sysvipc/shm") as file:
        rows = [line.split() for line in file]
    identifier, owner = rows[0].index("shmid"), rows[0].index("uid")
    for row in rows[1:]:
        if int(row[owner]) == uid:
            run_tool("ipcrm", "-m", row[identifier])


def remove_file(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def remove_user(name):
    if user_exists(name):
        run_tool("userdel", name)


def user_exists(name):
    try:
        pwd.getpwnam(name)
        return True
    except KeyError:
        return False


def run_tool(*command):
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with status {done.returncode}: {done.stderr.strip()}")


def say(value):
    try:
        os.write(1, (json.dumps(value) + "\n").encode())
    except BrokenPipeError:
        pass


if __name__ == "__main__":
    main()
