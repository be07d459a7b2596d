"""What looks wrong in a table although every cell is a number; and what is in a table, in a few lines for people."""

import re
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bayescmp.errors import RepeatsWarning, ScaleWarning, ScoresError, few_words, name_list, warn
from bayescmp.scores.metrics import is_share

if TYPE_CHECKING:
    from bayescmp.scores.table import Scores

AVERAGES = frozenset("average avg mean overall total".split())
MOST_READ = 1000
"""So many scores show how many decimals a table has."""
CHANCE_DIGITS = 6
"""Datasets whose scores have fewer digits in all may well be equal by chance."""
LEAST_PERCENT = 10
"""Scores of an accuracy between 1 and this are not percent but something else, such as simulated ones."""


def check_table(scores: "Scores") -> None:
    """Raise or warn where shares are mixed with percent, a dataset is the mean of the others, or there twice."""
    _check_units(scores)
    _check_averages(scores)
    groups = same_datasets(scores)
    if groups:
        more = f", and so have {len(groups) - 1} more groups" if groups[1:] else ""
        copies = [name for same in groups for name in same[1:]]
        drop = f'"{few_words(copies[0])}"' + (", ..." if copies[1:] else "")
        warn(
            f"The datasets {name_list(groups[0])} have the same scores in every cell{more}, and each of them counts. "
            f"If they are copies, count them once: scores.drop({drop}).",
            RepeatsWarning,
        )


def overview(scores: "Scores") -> dict[str, str]:
    """What is in a table and what may be wrong with it, one line each."""
    designs = dict.fromkeys(f"{r.name}, rho = {r.rho:.3g}" for r in scores.resampling if r is not None)
    sizes = sorted({len(keys) for keys in scores.keys})
    each = f"{sizes[0]} scores each" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} scores"
    unknown = sum(r is None for r in scores.resampling)
    if sizes == [1]:
        design = "one score of each model on each dataset"
    else:
        known = "; ".join(list(designs)[:3]) + (f"; and {len(designs) - 3} more" if len(designs) > 3 else "")
        open_ = "unknown" + (f" on {unknown} of {len(scores.datasets)} datasets" if designs else "") if unknown else ""
        design = f"{'; '.join(filter(None, (known, open_)))} ({each})"
    holes = int((scores.counts == 0).sum())
    part = int(((scores.counts > 0) & (scores.counts < [len(keys) for keys in scores.keys])).sum())
    cells = scores.counts.size
    lacking = [f"{holes} of {cells} cells empty" if holes else "", f"{part} without some resamples" if part else ""]
    same = "; ".join(f"{name_list(names)} have the same scores" for names in same_datasets(scores))
    return {
        "metric": f"{scores.metric or 'not named'}, {'higher' if scores.higher_is_better else 'lower'} is better",
        "design": design,
        "holes": ", ".join(filter(None, lacking)) or "none",
        "copies": same or "none",
        "units": _units(scores),
        "ties": _ties(scores),
    }


def same_datasets(scores: "Scores") -> list[tuple[str, ...]]:
    """Datasets with equal scores in every cell, where that is more than chance."""
    groups: dict[bytes, list[int]] = {}
    for d in range(len(scores.datasets)):
        groups.setdefault(scores.values[:, d].tobytes(), []).append(d)
    return [
        tuple(scores.datasets[d] for d in group)
        for group in groups.values()
        if len(group) > 1 and not _may_be_chance(scores.values, group)
    ]


def _may_be_chance(values: NDArray[np.float64], group: list[int]) -> bool:
    """Whether equal scores are no surprise: ranks, few digits, or each of them found on other datasets too."""
    same = values[:, group[0]]
    if (np.isnan(same) | (same % 1 == 0)).all() and np.nanmax(same) <= len(values):
        return True
    different = np.unique(same[np.isfinite(same)])[:CHANCE_DIGITS].tolist()
    digits = sum(len(Decimal(f"{x:.12g}").normalize().as_tuple().digits) for x in different)
    if len(different) < 2 or digits < CHANCE_DIGITS:
        return True
    elsewhere = ((values == same[:, None]) | np.isnan(same[:, None])).all(axis=2).sum(axis=1) - len(group)
    return bool((elsewhere > 0).all())


def _check_units(scores: "Scores") -> None:
    """Raise if a share stands beside a percentage; of errors, which may be 0.8 % and 25 %, warn."""
    if not is_share(scores.metric):
        return
    values = scores.values
    share, percent = (values > 0) & (values <= 1), (values >= LEAST_PERCENT) & (values <= 100)
    if not share.any() or not percent.any() or (values[np.isfinite(values)] % 1 == 0).all():
        return
    few, many = sorted((np.argwhere(share), np.argwhere(percent)), key=len)
    message = (
        f"All scores must be shares of 1, or all percent, but {_place(scores, few[0])} stands beside "
        f"{_place(scores, many[0])}: {share.sum()} are at most 1, {percent.sum()} between {LEAST_PERCENT} and 100. "
        "Write all of them in one unit; if all are percent, divide them by 100."
    )
    if scores.higher_is_better:
        raise ScoresError(message)
    warn(message, ScaleWarning)


def _place(scores: "Scores", index: NDArray[np.intp]) -> str:
    m, d, i = index.tolist()
    fold = f", score {i + 1}" if len(scores.keys[d]) > 1 else ""
    return f'{scores.values[m, d, i]:g} of "{few_words(scores.models[m])}" on "{few_words(scores.datasets[d])}"{fold}'


def _check_averages(scores: "Scores") -> None:
    """Raise if a dataset is the mean or the sum of the others by its name and its scores; warn by its name alone."""
    named = [d for d, name in enumerate(scores.datasets) if re.sub("[^a-z]", "", name.lower()) in AVERAGES]
    others = [d for d in range(len(scores.datasets)) if d not in named]
    for d in named if others else ():
        name = few_words(scores.datasets[d])
        what = _summary(scores, d, others) if len(others) > 1 else None
        if what:
            raise ScoresError(
                f'"{name}" is the {what} of the other {len(others)} datasets, and would count as one more. Leave it '
                "out of the table; if it is a dataset of its own, rename it."
            )
        warn(
            f'"{name}" counts as a dataset, but has the name of a summary of the others. If it is one, leave it out: '
            f'scores.drop("{name}").',
            RepeatsWarning,
        )


def _summary(scores: "Scores", d: int, others: list[int]) -> str | None:
    """Whether a dataset is the "mean" or the "sum" of the others, within the rounding of what is printed."""
    counts = scores.counts
    means = np.nansum(scores.values, axis=2) / np.where(counts, counts, np.nan)
    ran = (counts[:, d] > 0) & (counts[:, others] > 0).any(axis=1)
    if not ran.any():
        return None
    of_others = means[ran][:, others]
    there, total = np.isfinite(of_others).sum(axis=1), np.nansum(of_others, axis=1)
    half, half_of_others = (0.5 * 10.0 ** -_decimals(scores.values[:, x]) for x in ([d], others))
    for what, expected, n in (("mean", total / there, 1), ("sum", total, there)):
        slack = half + n * half_of_others + 1e-9 * np.abs(expected)
        if (np.abs(means[ran, d] - expected) <= slack).all():
            return what
    return None


def _decimals(values: NDArray[np.float64]) -> int:
    """The most decimals of these numbers."""
    some = values[np.isfinite(values)][:MOST_READ].tolist()
    return max((-int(Decimal(repr(x)).normalize().as_tuple().exponent) for x in some), default=0)


def _units(scores: "Scores") -> str:
    """The range of the scores, and how far the typical sizes of the datasets are apart."""
    values = scores.values[np.isfinite(scores.values)]
    text = f"scores from {values.min():.4g} to {values.max():.4g}"
    with np.errstate(all="ignore"):
        sizes = np.array([np.median(x[np.isfinite(x)]) for x in np.abs(scores.values).transpose(1, 0, 2)])
    sizes = sizes[sizes > 0]
    if scores.scale != "score" or sizes.size < 2:
        return text
    ratio = np.log10(sizes.max()) - np.log10(sizes.min())
    if ratio < 1:
        return f"{text}, of the same order of magnitude on all datasets"
    apart = f"{sizes.min():.4g} to {sizes.max():.4g}, {ratio:.1f} orders of magnitude apart"
    return f"{text}; typical sizes of the datasets from {apart}"


def _ties(scores: "Scores") -> str:
    """On how many datasets, or resamples of the only dataset, two models have the same score."""
    if len(scores.models) < 2:
        return "none"
    if len(scores.datasets) > 1:
        counts = scores.counts
        table, what = np.nansum(scores.values, axis=2) / np.where(counts, counts, np.nan), "datasets"
    else:
        table, what = scores.values[:, 0], "scores of each model"
    ordered = np.sort(table, axis=0)
    tied = np.abs(ordered[1:] - ordered[:-1]) <= 1e-12 * np.abs(ordered[1:])
    n = int(tied.any(axis=0).sum())
    return f"two models are equal on {n} of {table.shape[1]} {what}" if n else "none"
