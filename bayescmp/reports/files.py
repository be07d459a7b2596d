"""Files are written whole or not at all, and an existing one is replaced only where that was asked for."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def check_target(path: str | os.PathLike[str], overwrite: bool) -> Path:
    """The path, refused before any work is done where it cannot or must not be written."""
    target = Path(path)
    if target.is_dir():
        raise ValueError(f"`path` must be a file, but {target} is a folder.")
    if not target.parent.is_dir():
        raise ValueError(f"`path` must be in a folder that exists, but there is no {target.parent}.")
    if target.exists() and not overwrite:
        raise ValueError(f"{target} exists already. Say overwrite=True to replace it, or give another path.")
    return target


def write_whole(target: Path, text: str, overwrite: bool) -> Path:
    """Write a temporary file in the same folder, then move it to its place in one step."""
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".tmp", dir=target.parent)
    draft = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        check_target(target, overwrite)
        draft.replace(target)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise
    return target


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
