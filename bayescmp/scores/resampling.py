"""How the scores of one dataset were resampled, and the correlation rho between them that follows."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from bayescmp.checks import is_number, is_one_of
from bayescmp.errors import ResamplingError, name_list
from bayescmp.values import Value

WAYS_TO_GIVE = (
    "Give it: Resampling.kfold(folds, repeats=...) for (repeated) cross-validation, "
    "Resampling.subsampling(n_train, n_test, repeats) for random splits, Resampling.independent() for scores on "
    "independent test sets, Resampling.runs() for runs (seeds) that cannot be paired, Resampling.items() for the cases "
    "of one test set, or Resampling.custom(rho); also leave_one_out, bootstrap, and blocked for time series."
)

SCHEMES = (
    *("kfold", "subsampling", "holdout", "bootstrap", "blocked", "prequential"),
    *("independent", "runs", "items", "custom"),
)

MOST_SCORES = 10_000_000
"""More scores per dataset are a mistake, and their keys would fill the memory."""


MOST_CASES = 1e300
"""Sizes beyond leave no room for the sum of two."""

FEW_CASES = 30
"""With fewer test cases, the score of a fold may be far from normal."""


@dataclass(frozen=True, kw_only=True)
class Resampling(Value):
    """A resampling design. Make one with the class methods; `rho` is what the correlated tests need of it.

    Two scores of one dataset are correlated because their training sets overlap; Nadeau and Bengio (2003) put the
    correlation at rho = n_test / (n_train + n_test), which is 1/k for k-fold cross-validation.

    See Also
    --------
    bayescmp.bayes.correlated_ttest : the test that needs one.

    References
    ----------
    Nadeau, Bengio (2003). Inference for the generalization error. Machine Learning 52.

    Examples
    --------
    >>> Resampling.kfold(10, repeats=10)
    Resampling: 10 x 10-fold CV (n=100, rho=0.100)
    >>> Resampling.subsampling(50, 6, repeats=100).rho
    0.10714285714285714
    """

    scheme: str
    rho: float
    n: int | None = None
    folds: int | None = None
    repeats: int | None = None
    n_train: float | None = None
    n_test: float | None = None
    samples: int | None = None

    def __post_init__(self) -> None:
        if not is_one_of(self.scheme, SCHEMES):
            raise ResamplingError(f"`scheme` must be one of {', '.join(SCHEMES)}, got {self.scheme!r}.")
        if not is_number(self.rho) or not 0 <= self.rho < 1:  # NaN fails this as well
            raise ResamplingError(f"`rho` must be in [0, 1), got {self.rho}.")
        object.__setattr__(self, "rho", float(self.rho))
        for name, least in (("n", 1), ("folds", 2), ("repeats", 1), ("samples", 1)):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _count(name, getattr(self, name), least))
        for name in ("n_train", "n_test"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _size(name, getattr(self, name)))
        if self.n is not None and self.n > MOST_SCORES:
            raise ResamplingError(f"A design must have at most {MOST_SCORES:,} scores per dataset, got {self.n:,}.")
        of_items = self.scheme == "items"
        if (
            self.n != self._scores()
            or (self.n_train is None) != (self.n_test is None)
            or (self.samples is not None) != of_items
            or (of_items and self.rho != 0)
        ):
            raise ResamplingError(
                f"The numbers of a resampling design must fit each other, got {self.scheme} with n = {self.n}, folds = "
                f"{self.folds}, repeats = {self.repeats}, n_train = {self.n_train}, n_test = {self.n_test}. "
                + WAYS_TO_GIVE
            )

    def _scores(self) -> int | None:
        """How many scores the scheme makes; None where that is not fixed."""
        if self.scheme == "kfold":
            return self.folds * self.repeats if self.folds and self.repeats else -1
        if self.scheme in ("subsampling", "holdout", "bootstrap"):
            expected = 1 if self.scheme == "holdout" else self.repeats
            return expected if expected and self.n_train and self.folds is None else -1
        if self.scheme == "blocked":
            return self.folds if self.folds and self.repeats is None else -1
        if self.scheme == "prequential":
            fits = self.folds and self.n and self.repeats is None and self.n < self.folds
            return self.n if fits else -1
        return None if self.folds is None and (self.repeats is None or self.scheme == "items") else -1

    @classmethod
    def kfold(cls, folds: int, repeats: int = 1) -> "Resampling":
        """Cross-validation with `folds` folds, repeated `repeats` times. 5x2 is `kfold(2, repeats=5)`."""
        folds, repeats = _count("folds", folds, 2), _count("repeats", repeats, 1)
        return cls(scheme="kfold", rho=1 / folds, n=folds * repeats, folds=folds, repeats=repeats)

    @classmethod
    def subsampling(cls, n_train: float, n_test: float, repeats: int) -> "Resampling":
        """Random splits into `n_train` training and `n_test` test cases, `repeats` times."""
        n_train, n_test = _size("n_train", n_train), _size("n_test", n_test)
        repeats = _count("repeats", repeats, 1)
        rho = _rho(n_train, n_test)
        return cls(scheme="subsampling", rho=rho, n=repeats, repeats=repeats, n_train=n_train, n_test=n_test)

    @classmethod
    def holdout(cls, n_train: float, n_test: float) -> "Resampling":
        """One split into `n_train` training and `n_test` test cases: one score."""
        n_train, n_test = _size("n_train", n_train), _size("n_test", n_test)
        return cls(scheme="holdout", rho=_rho(n_train, n_test), n=1, n_train=n_train, n_test=n_test)

    @classmethod
    def leave_one_out(cls, n: int) -> "Resampling":
        """Each of `n` cases tested once, with all others as training set: rho = 1/n, as in n-fold cross-validation.

        For scores that are means over cases, such as accuracy; one case has no AUC and no correlation.
        """
        n = _count("n", n, 2)
        return cls(scheme="kfold", rho=1 / n, n=n, folds=n, repeats=1, n_train=n - 1, n_test=1)

    @classmethod
    def bootstrap(cls, n: int, repeats: int) -> "Resampling":
        """`repeats` training sets, drawn from `n` cases with replacement and scored on the cases left out (out of bag).

        A case is left out with probability (1 - 1/n)^n, about 0.368. That is also the correlation rho: two sets of
        left-out cases have this share of their cases in common. Scores that blend in the training score (.632, .632+)
        are another design: see the page on correlated folds.
        """
        n, repeats = int(_size("n", _whole("n", n, 2))), _count("repeats", repeats, 1)
        left_out = math.exp(n * math.log1p(-1 / n))
        return cls(
            scheme="bootstrap",
            rho=left_out,
            n=repeats,
            repeats=repeats,
            n_train=n * (1 - left_out),
            n_test=n * left_out,
        )

    @classmethod
    def blocked(cls, blocks: int, *, warm_up: int = 0) -> "Resampling":
        """A time series in `blocks` consecutive blocks of equal length, each much longer than errors stay alike.

        Without `warm_up` each block is tested once, with the others as training set: rho = 1/blocks. With it the order
        of time is kept (prequential, forward chaining): the first `warm_up` blocks are for training only, each later
        one is tested after training on all blocks before it. Of two training sets the smaller is part of the larger;
        rho is the mean over all pairs of n_test / (n_train + n_test) with the larger one.
        """
        blocks, warm_up = _count("blocks", blocks, 2), _count("warm_up", warm_up, 0)
        n = blocks - warm_up
        if n < 1:
            raise ResamplingError(f"`warm_up` must leave blocks to test on, got {warm_up} of {blocks} blocks.")
        if not warm_up:
            return cls(scheme="blocked", rho=1 / blocks, n=n, folds=blocks)
        later = np.arange(1, n)  # for each tested block but the first, the number of those before it
        rho = float(np.average(1 / (warm_up + later + 1), weights=later)) if n > 1 else 1 / blocks
        return cls(scheme="prequential", rho=rho, n=n, folds=blocks)

    @classmethod
    def independent(cls) -> "Resampling":
        """Every score has its own training and test data: rho = 0."""
        return cls(scheme="independent", rho=0.0)

    @classmethod
    def runs(cls) -> "Resampling":
        """Independent runs (seeds) that cannot be paired; models may have different numbers of them.

        Where all models had the same splits and seeds, run 1 of one model belongs to run 1 of another: that is
        `independent()`.
        """
        return cls(scheme="runs", rho=0.0)

    @classmethod
    def items(cls, samples: int = 1, runs: int = 1) -> "Resampling":
        """Every score is that of one item: a case of a test set, a question of a benchmark.

        Nothing is trained on the other items, so that rho = 0. With `samples` above 1 a model answered every item so
        often, and with `runs` above 1 (seeds) it was trained so often, and each of these trained models answered. The
        score is the mean over both: neither samples nor runs are items.
        """
        runs = _count("runs", runs, 1)
        return cls(scheme="items", rho=0.0, samples=_count("samples", samples, 1), repeats=runs if runs > 1 else None)

    @classmethod
    def custom(cls, rho: float) -> "Resampling":
        """Any other design whose correlation `rho` you know."""
        return cls(scheme="custom", rho=rho)

    @classmethod
    def from_sizes(
        cls,
        n_train: ArrayLike,
        n_test: ArrayLike,
        *,
        folds: int | None = None,
        repeats: int | None = None,
    ) -> "Resampling":
        """Splits whose sizes are known one by one; rho is the mean of n_test / (n_train + n_test).

        With `folds` (and `repeats`) they are those of k-fold cross-validation, else random splits.
        """
        try:
            if any(np.asarray(x).dtype.kind in "bc" for x in (n_train, n_test)):
                raise ValueError
            train, test = np.asarray(n_train, dtype=float), np.asarray(n_test, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise ResamplingError(f"`n_train` and `n_test` must be numbers, got {n_train!r} and {n_test!r}.") from None
        if train.shape != test.shape or train.size == 0:
            raise ResamplingError(
                f"`n_train` and `n_test` must have one size per split, got {train.size} and {test.size} sizes."
            )
        if train.ndim != 1:
            raise ResamplingError(
                f"`n_train` and `n_test` must be lists with one size per split, got {n_train!r} and {n_test!r}. For "
                "splits of equal sizes use Resampling.subsampling(n_train, n_test, repeats)."
            )
        for size in (*train, *test):
            _size("n_train and n_test", size)
        if folds is None:
            scheme, repeats = "subsampling", train.size if repeats is None else repeats
        else:
            scheme, folds = "kfold", _count("folds", folds, 2)
            repeats = max(train.size // folds, 1) if repeats is None else repeats
        return cls(
            scheme=scheme,
            rho=float(np.mean(test / (train + test))),
            n=train.size,
            folds=folds,
            repeats=repeats,
            n_train=float(train.mean()),
            n_test=float(test.mean()),
        )

    @property
    def paired(self) -> bool:
        """Whether a score of one model belongs to one of another: all designs but `runs()`."""
        return self.scheme != "runs"

    def check(self, n: int, where: str) -> None:
        """Raise if this design cannot have produced n scores; `where` names them in the message."""
        if self.n is None or n == self.n:
            return
        hint = "Give the score of every resample, or the design that produced these scores."
        if self.scheme == "kfold" and n in (self.repeats, self.folds):
            hint = (
                f"{n} scores look like averages over the {'folds' if n == self.repeats else 'repeats'}: the test "
                "needs the score of every fold of every repeat, because averaging hides how much the folds vary."
            )
        raise ResamplingError(f"{self.name} makes {self.n} scores, but {where} has {n}. {hint}")

    @property
    def name(self) -> str:
        """The design in words."""
        sizes = f"{self.n_train:g} train / {self.n_test:g} test" if self.n_train else ""
        if self.scheme == "kfold":
            if self.repeats == self.n_test == 1 and self.n_train == self.n - 1:  # type: ignore[operator]
                return f"leave-one-out CV of {self.n} cases"
            repeated = f"{self.repeats} x " if self.repeats and self.repeats > 1 else ""
            return f"{repeated}{self.folds}-fold CV"
        if self.scheme == "bootstrap":
            return f"{self.repeats} bootstrap samples of {self.n_train + self.n_test:.6g} cases, out of bag"  # type: ignore[operator]
        if self.scheme == "blocked":
            return f"{self.folds} blocks in time"
        if self.scheme == "prequential":
            return f"{self.n} of {self.folds} blocks in time, each trained on the past"
        if self.scheme == "subsampling":
            return f"{self.repeats} random splits ({sizes})"
        if self.scheme == "holdout":
            return f"one split ({sizes})"
        if self.scheme == "items":
            several = [(self.repeats, "runs"), (self.samples, "samples")]
            return ", ".join(["items", *(f"up to {n} {what} each" for n, what in several if n and n > 1)])
        return {"independent": "independent scores", "runs": "independent runs"}.get(self.scheme, "custom design")

    @property
    def repeats_by_folds(self) -> tuple[int, int] | None:
        """The shape of a table of the scores of one dataset, repeats x folds; None where one run makes them all."""
        return (self.repeats, self.folds) if self.repeats and self.folds and self.repeats > 1 else None

    @property
    def notes(self) -> tuple[str, ...]:
        """The note on folds with few test cases, where their number is known."""
        if self.n_test is None or self.n_test >= FEW_CASES:
            return ()
        cases = "1 test case" if self.n_test == 1 else f"{self.n_test:.3g} test cases"
        return (f"{cases} per fold: below {FEW_CASES}, the score of a fold may be far from normal",)

    @cached_property
    def keys(self) -> tuple[tuple[int, int], ...] | None:
        """(repeat, fold) of every score in repeat-major order; None where the design has no fixed size."""
        if self.n is None:
            return None
        if self.folds:
            return tuple((i // self.folds + 1, i % self.folds + 1) for i in range(self.n))
        return tuple((i + 1, 1) for i in range(self.n))

    def __repr__(self) -> str:
        if not self.paired:
            return f"Resampling: {self.name}, not paired"
        n = f"n={self.n}, " if self.n is not None else ""
        return f"Resampling: {self.name} ({n}rho={self.rho:.3f})"


def unknown_design(test: str, datasets: Iterable[str]) -> ResamplingError:
    """The error of a test that needs the design of these datasets."""
    return ResamplingError(
        f"`{test}` needs the resampling design of the scores, which is not known for {name_list(datasets)}. "
        + WAYS_TO_GIVE
    )


def not_paired(test: str) -> ResamplingError:
    """The error of a test of pairs on runs that cannot be paired."""
    return ResamplingError(
        f"`{test}` needs scores that are paired, but these are independent runs: run 1 of one model has nothing to do "
        "with run 1 of another. On one dataset use welch_ttest (bayes or frequentist), on many hierarchical_ttest, or "
        "signed_rank_test and wilcoxon_test of the mean scores. If all models had the same splits and seeds, read the "
        "scores with resampling=Resampling.independent()."
    )


def check_design(resampling: object) -> None:
    """Raise if this is not a `Resampling`; None is one that is not known."""
    if resampling is not None and not isinstance(resampling, Resampling):
        raise ResamplingError(f"`resampling` must be a Resampling, got {resampling!r}. " + WAYS_TO_GIVE)


def _whole(name: str, value: float, least: int) -> float:
    if not is_number(value) or value % 1 or not value >= least:
        raise ResamplingError(f"`{name}` must be a whole number of at least {least}, got {value!r}.")
    return value


def _count(name: str, value: float, least: int) -> int:
    _whole(name, value, least)
    if value > MOST_SCORES:
        raise ResamplingError(f"A design must have at most {MOST_SCORES:,} scores per dataset, got more for `{name}`.")
    return int(value)


def _size(name: str, value: float) -> float:
    try:
        size = float(value) if is_number(value) else math.nan
    except OverflowError:
        size = math.inf
    if not 0 < size <= MOST_CASES:
        came = "more" if size > MOST_CASES else repr(value)
        raise ResamplingError(f"`{name}` must be positive numbers of cases, at most {MOST_CASES:g}, got {came}.")
    return size


def _rho(n_train: float, n_test: float) -> float:
    rho = n_test / (n_train + n_test)
    if rho == 1:
        raise ResamplingError(f"`n_train` must not be negligible beside `n_test`, got {n_train:g} and {n_test:g}.")
    return rho
