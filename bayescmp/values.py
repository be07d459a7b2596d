"""`Value`, the base of every result: frozen, equal by content, with one way to JSON and back.

A value is a frozen dataclass. Its JSON is read back by the types of its fields, so that whatever does not fit is
refused by name. The rules are the same everywhere: arrays and tuples are lists, a value is an object with its class's
name as "kind", and what JSON has no number for is the text "inf", "-inf" or "nan" (a text that reads like one of these,
such as the name of a model, has a backslash before it). An array of many numbers is packed: its shape, and its doubles
as base64.
"""

import base64
import binascii
import json
import math
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from functools import cache
from inspect import isabstract
from typing import Any, ClassVar, Self, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from bayescmp.errors import name_list
from bayescmp.lazy import load_values

NOT_FINITE = ("inf", "-inf", "nan")
DEEPEST = 40
MOST_NUMBERS = 10_000
"""An array of more is packed."""
NOT_KEPT: dict[str, bool] = {"kept": False}
"""`field(metadata=NOT_KEPT)` marks what neither JSON nor pickle keeps, such as the sampler's own record."""


_fields: Callable[[Any], tuple[Field[Any], ...]] = cache(fields)
_hints: Callable[[Any], dict[str, Any]] = cache(get_type_hints)


class Value:
    """A frozen dataclass that is equal by content and survives JSON and pickle.

    What a subclass computes once and keeps in itself (cached properties) is left out of both; what is small and costly
    to compute goes into `_kept()` and comes back through `_restore()`.

    See Also
    --------
    bayescmp.Comparison, bayescmp.PairResult, bayescmp.bayes.Posterior, bayescmp.frequentist.TestResult

    Examples
    --------
    >>> import bayescmp as bc
    >>> rope = bc.Rope(-0.01, 0.01)
    >>> rope.to_dict()
    {'kind': 'Rope', 'low': -0.01, 'high': 0.01}
    >>> bc.Rope.from_json(rope.to_json()) == rope
    True
    """

    KINDS: ClassVar[dict[str, type["Value"]]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        Value.KINDS[cls.__name__] = cls

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(same(getattr(self, f.name), getattr(other, f.name)) for f in _fields(type(self)) if f.compare)

    __hash__ = None  # type: ignore[assignment]

    def _copy(self, **content: Any) -> Self:
        """A copy with other content in these fields, as by `dataclasses.replace`; takes a tenth of its time."""
        made = object.__new__(type(self))
        made.__dict__.update({f.name: self.__dict__[f.name] for f in _fields(type(self))}, **content)
        if hasattr(made, "__post_init__"):
            made.__post_init__()
        return made

    # ---- JSON

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; `from_dict` reads it back."""
        data = {f.name: encode(getattr(self, f.name)) for f in _fields(type(self)) if _is_kept(f)}
        summary = self._summarised()  # may compute what is then kept
        kept = self._kept()
        data |= {"kept": encode(kept)} if kept else {}
        return {"kind": type(self).__name__, **data} | ({"summary": encode(summary)} if summary else {})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The value whose `to_dict` gave `data`, also after a trip through JSON; raises if it does not fit."""
        found = decode(cls, data, f"`data` of {cls.__name__}")
        assert isinstance(found, cls)
        return found

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The value whose `to_json` gave `text`."""
        try:
            data = json.loads(text)
        except (json.JSONDecodeError, RecursionError, TypeError) as error:
            raise ValueError(f"`text` must be JSON from {cls.__name__}.to_json, but {error}.") from None
        return cls.from_dict(data)

    def _kept(self) -> dict[str, "Value"]:
        """What was computed, is small, and would be costly to compute again."""
        return {}

    def _restore(self, kept: Mapping[str, "Value"]) -> None:
        """Take back what `_kept` gave."""

    def _summarised(self) -> dict[str, Any]:
        """Numbers for those who read the JSON without this package; read back only to see that they fit."""
        return {}

    # ---- pickle

    def __getstate__(self) -> dict[str, Any]:
        state = {f.name: getattr(self, f.name) for f in _fields(type(self)) if _is_kept(f)}
        return state | {"_kept": self._kept()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        kept = state.pop("_kept")
        for f in _fields(type(self)):
            object.__setattr__(self, f.name, state[f.name] if f.name in state else _default(f))
        self._restore(kept)

    def bare(self) -> Self:
        """The same value without the grids and draws that it computed and keeps in itself."""
        made = object.__new__(type(self))
        made.__setstate__({k: x.bare() if isinstance(x, Value) else x for k, x in self.__getstate__().items()})
        return made


def same(x: Any, y: Any) -> bool:
    """Whether two contents are equal: arrays element by element, a list like a tuple, NaN like NaN."""
    if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
        one, two = np.asarray(x), np.asarray(y)
        return one.shape == two.shape and bool(np.array_equal(one, two, equal_nan=one.dtype.kind in "fc"))
    if isinstance(x, Mapping):
        return isinstance(y, Mapping) and x.keys() == y.keys() and all(same(x[key], y[key]) for key in x)
    if isinstance(x, Sequence) and not isinstance(x, str):
        return isinstance(y, Sequence) and not isinstance(y, str) and len(x) == len(y) and all(map(same, x, y))
    return bool(x == y) or (isinstance(x, float) and isinstance(y, float) and math.isnan(x) and math.isnan(y))


def encode(value: Any) -> Any:
    """The content as JSON has it."""
    if isinstance(value, Value):
        return value.to_dict()
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f" and value.size > MOST_NUMBERS:
            packed = base64.b64encode(value.astype("<f8").tobytes()).decode()
            return {"shape": list(value.shape), "base64": packed}
        return value.tolist() if value.dtype.kind != "f" or np.isfinite(value).all() else encode(value.tolist())
    if isinstance(value, np.generic):
        return encode(value.item())
    if isinstance(value, Mapping):
        return {str(key): encode(x) for key, x in value.items()}
    if isinstance(value, str):
        return f"\\{value}" if value.lstrip("\\") in NOT_FINITE else value
    if isinstance(value, Sequence):
        return [encode(x) for x in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    raise ValueError(f"A {type(value).__name__} has no form in JSON.")


def decode(hint: Any, data: Any, where: str, depth: int = 0) -> Any:
    """The content of type `hint` that `encode` turned into `data`; `where` names the place in an error."""
    if depth > DEEPEST:
        raise ValueError(f"{where} is nested too deeply.")
    reader = _reader(hint)
    return reader(hint, data, where, depth)


# ---- one reader for each form of type


def _reader(hint: Any) -> Any:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _read_union
    if origin in (np.ndarray, NDArray) or hint is np.ndarray:
        return _read_array
    if origin in (tuple, list, Sequence):
        return _read_sequence
    if origin in (dict, Mapping) or hint is dict:
        return _read_mapping
    if hint is Any or hint is object:
        return _read_any
    if isinstance(hint, type) and issubclass(hint, Value):
        return _read_value
    return _read_scalar


def _wrong(where: str, must: str, data: Any) -> ValueError:
    shown = repr(data)
    return ValueError(f"{where} must be {must}, got {shown if len(shown) <= 60 else shown[:57] + '...'}.")


def _read_value(cls: type[Value], data: Any, where: str, depth: int) -> Value:
    if not isinstance(data, Mapping) or not isinstance(data.get("kind"), str):
        raise _wrong(where, f'an object with a "kind", as {cls.__name__}.to_dict gives it', data)
    found = _kind(data["kind"])
    if found is None or not issubclass(found, cls) or isabstract(found):
        known = sorted(name for name, kind in Value.KINDS.items() if issubclass(kind, cls) and not isabstract(kind))
        raise ValueError(
            f"{where} must have a kind of {', '.join(known)}, got {data['kind'][:40]!r}. A kind of another package is "
            "known once that package is imported."
        )
    hints, names = _hints(found), [f.name for f in _fields(found) if _is_kept(f) and f.init]
    required = [f.name for f in _fields(found) if f.name in names and f.default is f.default_factory is MISSING]
    if missing := [name for name in required if name not in data]:
        raise ValueError(f"{where} of a {found.__name__} must have {name_list(missing)}, which is missing.")
    if unknown := [str(name) for name in data if name not in (*names, "kind", "kept", "summary")]:
        raise ValueError(f"{where} must not have {name_list(unknown, 3)}: a {found.__name__} has no such field.")
    values = {name: decode(hints[name], data[name], f"{where}.{name}", depth + 1) for name in names if name in data}
    made = found(**values)
    kept = data.get("kept", {})
    made._restore(decode(dict[str, Value], kept, f"{where}.kept", depth + 1))
    if "summary" in data and not _agree(data["summary"], encode(made._summarised())):
        raise ValueError(
            f"{where}.summary must be that of the other fields, but its numbers are others. It is for reading only: "
            "change the data and compute the result again."
        )
    return made


def _agree(x: Any, y: Any) -> bool:
    """Whether two contents of JSON are equal, numbers up to what another machine may compute."""
    if isinstance(x, Mapping) and isinstance(y, Mapping):
        return x.keys() == y.keys() and all(_agree(x[key], y[key]) for key in x)
    if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)):
        return len(x) == len(y) and all(map(_agree, x, y))
    if isinstance(x, (int, float)) and isinstance(y, (int, float)):
        return math.isclose(x, y, rel_tol=1e-6, abs_tol=1e-9)
    return same(x, y)


def _read_union(hint: Any, data: Any, where: str, depth: int) -> Any:
    options, errors = get_args(hint), []
    if isinstance(data, Mapping) and isinstance(data.get("kind"), str):
        found = _kind(data["kind"]) or object
        fit = [option for option in options if isinstance(option, type) and issubclass(found, option)]
        options = tuple(fit) or options
    for option in options:
        try:
            return decode(option, data, where, depth)
        except ValueError as error:
            errors.append(error)
    raise errors[0]


def _read_array(hint: Any, data: Any, where: str, depth: int) -> Any:
    args = get_args(hint)
    if get_origin(hint) is not NDArray and args:  # NDArray was ndarray[shape, dtype[kind]] before NumPy 2.5
        args = get_args(args[1])
    kind = args[0] if args and isinstance(args[0], type) else np.float64
    try:
        if isinstance(data, Mapping):
            numbers = np.frombuffer(base64.b64decode(data["base64"], validate=True), "<f8")
            return numbers.reshape(data["shape"]).astype(kind)
        if np.iscomplexobj(data):
            raise ValueError
        array = np.array(data, dtype=float if issubclass(kind, np.floating) else None)
    except (TypeError, ValueError, KeyError, OverflowError, binascii.Error):
        raise _wrong(where, "an array of numbers", data) from None
    if array.dtype.kind not in "fiub" or data is None or isinstance(data, str):
        raise _wrong(where, "an array of numbers", data)
    return array.astype(kind)


def _read_sequence(hint: Any, data: Any, where: str, depth: int) -> Any:
    make, args = get_origin(hint), get_args(hint)
    if not isinstance(data, (list, tuple)):
        raise _wrong(where, "a list", data)
    if make is not tuple or args[-1:] == (Ellipsis,):
        args = (args[0],) * len(data)
    if len(args) != len(data):
        raise _wrong(where, f"a list of {len(args)}", data)
    return (list if make is list else tuple)(
        decode(x, item, f"{where}[{i}]", depth + 1) for i, (x, item) in enumerate(zip(args, data, strict=True))
    )


def _read_mapping(hint: Any, data: Any, where: str, depth: int) -> Any:
    if not isinstance(data, Mapping) or not all(isinstance(key, str) for key in data):
        raise _wrong(where, "an object", data)
    of = get_args(hint)[1] if get_args(hint) else Any
    return {key: decode(of, x, f"{where}.{key}", depth + 1) for key, x in data.items()}


def _read_any(hint: Any, data: Any, where: str, depth: int) -> Any:
    """Whatever it is: values by their kind, texts that stand for numbers as these."""
    if isinstance(data, Mapping):
        if isinstance(data.get("kind"), str) and _kind(data["kind"]) is not None:
            return _read_value(Value, data, where, depth)
        return _read_mapping(dict, data, where, depth)
    if isinstance(data, (list, tuple)):
        return [decode(Any, x, f"{where}[{i}]", depth + 1) for i, x in enumerate(data)]
    if isinstance(data, str):
        return _text_or_number(data)
    if data is None or isinstance(data, (bool, int, float)):
        return data
    raise _wrong(where, "plain data", data)


def _read_scalar(hint: Any, data: Any, where: str, depth: int) -> Any:
    if hint is type(None) and data is None:
        return None
    if hint is float:
        found = _text_or_number(data) if isinstance(data, str) else data
        if isinstance(found, (int, float)) and not isinstance(found, bool):
            try:
                return float(found)
            except OverflowError:
                pass
    elif (hint is int and isinstance(data, int) and not isinstance(data, bool)) or (
        hint is bool and isinstance(data, bool)
    ):
        return data
    elif hint is str and isinstance(data, str) and isinstance(found := _text_or_number(data), str):
        return found
    must = {float: "a number", int: "a whole number", bool: "true or false", str: "a text", type(None): "null"}
    raise _wrong(where, must.get(hint, str(hint)), data)


def _text_or_number(text: str) -> str | float:
    if text in NOT_FINITE:
        return float(text)
    return text[1:] if text.startswith("\\") and text.lstrip("\\") in NOT_FINITE else text


# ---- about a class


def _kind(name: str) -> type[Value] | None:
    """The class of this name, which may be in a module that nothing has imported so far."""
    if name not in Value.KINDS:
        load_values()
    return Value.KINDS.get(name)


def _is_kept(f: Any) -> bool:
    return bool(f.metadata.get("kept", True))


def _default(f: Any) -> Any:
    return f.default_factory() if f.default_factory is not MISSING else None if f.default is MISSING else f.default
