"""The README's first example prints what the README shows."""

import contextlib
import io
import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_first_example_prints_what_is_shown():
    code, shown = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", README.read_text(encoding="utf-8"), re.S).groups()
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, {})
    assert printed.getvalue() == shown
