"""Progress bars: one at a time, only for work that takes a while, and only where a person looks on."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from threading import Lock, Timer
from typing import Any

SECONDS = 1.0
"""After so long a person wants to see how far it is."""


@contextmanager
def progress_bar(total: int, done: int, what: str, wanted: bool | None) -> Iterator[Callable[..., None]]:
    """A progress bar on stderr, parts done and time left: after a second where a person looks on, or as wanted.

    What it yields is called after each part, with their number if they were several. Within another one's work it is
    shown only where it is wanted, and nothing is shown within work whose bar is not.
    """
    if wanted is False:
        _at_work.append(None)
        try:
            yield lambda n=1: None
        finally:
            _at_work.remove(None)
        return
    if (wanted is None and (_at_work or not _watched())) or total < 2:
        yield lambda n=1: None
        return
    bar = _Bar(total, done, what, transient=wanted is None)
    timer = Timer(SECONDS, bar.show)
    timer.daemon = True
    if wanted:
        bar.show()
    else:
        timer.start()
    _at_work.append(bar)
    try:
        yield bar.advance
    finally:
        _at_work.remove(bar)
        timer.cancel()
        bar.close()


def _watched() -> bool:
    """Whether a person looks on: at a terminal, or at a notebook that can show a bar."""
    return sys.stderr.isatty() or ("ipykernel" in sys.modules and find_spec("ipywidgets") is not None)


_at_work: "list[_Bar | None]" = []


class _Bar:
    """A bar that can be shown at any time, by another thread."""

    def __init__(self, total: int, done: int, what: str, transient: bool) -> None:
        self.total, self.done, self.what, self.transient = total, done, what, transient
        self.bar: Any = None
        self.closed = False
        self.lock = Lock()

    def show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with self.lock:
            if self.closed:
                return
            self.bar = Progress(*columns, console=Console(stderr=True), transient=self.transient)
            self.bar.start()
            self.bar.add_task(self.what, total=self.total, completed=self.done)

    def advance(self, n: int = 1) -> None:
        with self.lock:
            self.done += n
            if self.bar is not None:
                self.bar.update(self.bar.task_ids[0], completed=self.done)

    def close(self) -> None:
        with self.lock:
            self.closed = True
            if self.bar is not None:
                self.bar.stop()
