"""Files are written whole or not at all, and an existing one is replaced only where that was asked for."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def check_target(path: str | os.PathLike[str], overwrite: bool) -> Path:
    """The file that the path leads to; raises, before any work is done, if it cannot or must not be written."""
    target = Path(path).resolve()
    if target.is_dir():
        raise ValueError(f"`path` must be a file, but {path} is a folder.")
    if not target.parent.is_dir():
        raise ValueError(
            f"`path` must be in a folder that exists, but there is no folder {target.parent}. Make it first."
        )
    if target.exists() and not overwrite:
        raise ValueError(f"{path} exists already. Use overwrite=True to replace it, or give another path.")
    return target


@contextmanager
def whole_file(path: str | os.PathLike[str], overwrite: bool) -> Iterator[Path]:
    """A draft in the same folder to write to; it takes the target's place in one step when all went well."""
    target = check_target(path, overwrite)
    draft = target.with_name(f".{uuid.uuid4().hex}{target.suffix}")
    try:
        yield draft
        with draft.open("rb") as written:
            os.fsync(written.fileno())
        if target.exists():
            draft.chmod(target.stat().st_mode & 0o777)
        check_target(target, overwrite)
        draft.replace(target)
    except OSError as error:
        raise OSError(error.errno, f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str, overwrite: bool) -> Path:
    """Write a text in UTF-8; returns the path as it was given."""
    with whole_file(path, overwrite) as draft:
        draft.write_bytes(text.encode("utf-8", "backslashreplace"))
    return Path(path)
