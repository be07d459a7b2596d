"""The JSON of values: what it cannot hold, and what it refuses to read, by the name of the place."""

from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

import bayescmp as bc
from bayescmp.values import DEEPEST, Value


@dataclass(frozen=True, eq=False)
class Sample(Value):
    numbers: NDArray[np.float64]
    two: tuple[int, int] = (1, 2)
    names: dict[str, str] = field(default_factory=dict)
    more: Any = None


def nested(depth):
    inner = []
    for _ in range(depth):
        inner = [inner]
    return inner


SAMPLE = Sample(
    np.array([1.0, np.inf, np.nan]), more={"x": [1, "-inf", "\\inf", 2.5, None, True], "s": Sample(np.ones(1))}
)


def test_json_and_back():
    again = Sample.from_json(SAMPLE.to_json())
    assert again == SAMPLE
    assert again.more["x"] == [1, "-inf", "\\inf", 2.5, None, True]
    assert isinstance(again.more["s"], Sample)
    many = Sample(np.linspace(0, 1, 20_000).reshape(100, 200))
    assert np.array_equal(Sample.from_json(many.to_json()).numbers, many.numbers)


def test_a_copy_with_other_content_is_that_of_replace():
    """Checked like a new one, without what the first one had computed; also of a class with a constant of its own."""
    first = bc.bayes.correlated_ttest(bc.load_labour().pair("SVM", "DT"), rope=0.01)

    @dataclass(frozen=True, kw_only=True, eq=False, repr=False)
    class Mine(type(first)):
        LABEL: ClassVar[str] = "mine"

    mine = Mine(**{f.name: getattr(first, f.name) for f in fields(first)})
    for one in (first, mine):
        before = one.three
        other = one.with_rope(0.05)
        assert other == replace(one, rope=bc.Rope.of(0.05))
        assert type(other) is type(one)
        assert other.three != before
        assert one.three == before
    with pytest.raises(ValueError, match="scale"):
        first._copy(scale="none")


def test_only_values_of_one_kind_are_equal():
    assert SAMPLE != "a text"
    assert Sample(np.ones(2)) != Sample(np.ones(3))


def test_what_json_has_no_form_for():
    with pytest.raises(ValueError, match="A object has no form in JSON"):
        Sample(np.ones(1), more=object()).to_dict()


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("numbers", "many", "numbers must be an array of numbers"),
        ("numbers", {"shape": [3], "base64": "?"}, "numbers must be an array of numbers"),
        ("numbers", {"shape": [3]}, "numbers must be an array of numbers"),
        ("two", 3, "two must be a list"),
        ("two", [1, 2, 3], "two must be a list of 2"),
        ("two", [1, 2.5], r"two\[1\] must be"),
        ("names", [1], "names must be an object"),
        ("names", {"a": 1}, "names.a must be"),
        ("more", {1, 2}, "more must be plain data"),
        ("more", nested(DEEPEST + 1), "nested too deeply"),
        ("more", nested(100), "nested too deeply"),
        ("other", 1, "a Sample has no such field"),
    ],
)
def test_what_does_not_fit_is_named(name, data, words):
    with pytest.raises(ValueError, match=words):
        Sample.from_dict(SAMPLE.to_dict() | {name: data})
