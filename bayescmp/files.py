"""Files are written whole or not at all, and an existing one is replaced only where that was asked for."""

import os
import shutil
import stat
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bayescmp.checks import check_switch


def checked_path(path: object) -> Path:
    """The path as given; raises if it is not one."""
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(name, str) or not name or "\0" in name:
        raise ValueError(f'`path` must be the path of a file, such as "report.html" or a pathlib.Path, got {path!r}.')
    return Path(name)


def check_target(path: str | os.PathLike[str], overwrite: bool) -> Path:
    """The file that the path leads to; raises, before any work is done, if it cannot or must not be written."""
    check_switch("overwrite", overwrite)
    given = checked_path(path)
    mode = _mode(given)
    if mode is not None and stat.S_ISDIR(mode):
        raise ValueError(f"`path` must be a file, but {path} is a folder.")
    if mode is not None and not (stat.S_ISREG(mode) or _is_stream(mode)):
        raise ValueError(f"`path` must be a file, but {path} is a block device or a socket. Give another path.")
    target = given if mode is not None and _is_stream(mode) else given.resolve()
    if not target.parent.is_dir():
        raise ValueError(
            f"`path` must be in a folder that exists, but there is no folder {target.parent}. Make it first."
        )
    if mode is not None and not overwrite:
        what = "write into" if _is_stream(mode) else "replace"
        raise ValueError(f"{path} exists already. Use overwrite=True to {what} it, or give another path.")
    return target


@contextmanager
def whole_file(path: str | os.PathLike[str], overwrite: bool) -> Iterator[Path]:
    """A draft to write to; it takes the target's place in one step when all went well.

    A device or a named pipe keeps its place: the finished draft is copied into it.
    """
    target = check_target(path, overwrite)
    into = _is_stream(_mode(target) or 0)
    folder = Path(tempfile.mkdtemp()) if into else target.parent
    draft = folder / f".{uuid.uuid4().hex}{target.suffix}"
    try:
        yield draft
        with draft.open("rb") as written:
            os.fsync(written.fileno())
            check_target(path, overwrite)
            if into:
                with os.fdopen(os.open(target, os.O_WRONLY), "wb") as stream:  # which neither makes nor empties a file
                    shutil.copyfileobj(written, stream)
                return
        if target.exists():
            draft.chmod(target.stat().st_mode & 0o777)
        draft.replace(target)
    except OSError as error:
        raise OSError(error.errno, f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
            if into:
                folder.rmdir()


def write_text(path: str | os.PathLike[str], text: str, overwrite: bool) -> Path:
    """Write a text in UTF-8; returns the path as it was given."""
    with whole_file(path, overwrite) as draft:
        draft.write_bytes(text.encode("utf-8", "backslashreplace"))
    return Path(path)


def holds(path: str | os.PathLike[str], mark: str) -> bool:
    """Whether this is a regular file that has the mark near its beginning or its end."""
    given, reach = checked_path(path), 4096
    mode = _mode(given)
    if mode is None or not stat.S_ISREG(mode) or not os.access(given, os.R_OK):
        return False
    with given.open("rb") as file:
        start = file.read(reach)
        file.seek(max(0, given.stat().st_size - reach))
        return mark.encode() in start or mark.encode() in file.read()


def _mode(path: Path) -> int | None:
    """What is at the path, behind all links; None where there is nothing."""
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError:
        raise
    except OSError as error:  # a name that is too long, links in a circle
        raise ValueError(f"`path` must be the path of a file, but {error.strerror}: {str(path)[:80]!r}.") from None


def _is_stream(mode: int) -> bool:
    """Whether this is a device such as a terminal, or a named pipe: something to write into."""
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)
