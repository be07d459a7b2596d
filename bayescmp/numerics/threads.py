"""One BLAS thread for many small products: more of them wait for each other, and round differently."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

_lock = Lock()
_inside: list[Any] = []
"""What the first thread within `one_blas_thread` has to restore, and one entry for each other one."""


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within it BLAS runs on one thread, so that results do not depend on the number of cores or workers.

    Of several Python threads within it, the last one to leave restores what the first one found.
    """
    with _lock:
        _inside.append(None if _inside else _controller().limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            if len(_inside) > 1:
                _inside.pop()
            else:
                _inside.pop().restore_original_limits()


@cache
def _controller() -> Any:
    import numpy  # noqa: F401  (its BLAS must be loaded to be found)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
