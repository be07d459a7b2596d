"""The examples of the README print what the README shows."""

import contextlib
import io
import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_examples_print_what_is_shown():
    examples = re.findall(r"```python\n((?:(?!```).)*?)```\n\n```\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    assert len(examples) == 2
    names = {}
    for code, shown in examples:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, names)
        assert printed.getvalue() == shown
