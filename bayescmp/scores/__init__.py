"""The input side: results of models on datasets, pairs of models, resampling designs, readers, bundled results."""

from typing import TYPE_CHECKING

from bayescmp.lazy import import_lazily

if TYPE_CHECKING:
    from bayescmp.scores.bundled import load_domains, load_items, load_labour, load_uci
    from bayescmp.scores.files import read_scores
    from bayescmp.scores.pair import Pair
    from bayescmp.scores.resampling import Resampling
    from bayescmp.scores.table import Scores

import_lazily(
    __name__,
    {
        "bundled": "load_domains load_items load_labour load_uci",
        "files": "read_scores",
        "pair": "Pair",
        "resampling": "Resampling",
        "table": "Scores",
    },
)

__all__ = [
    "Pair",
    "Resampling",
    "Scores",
    "load_domains",
    "load_items",
    "load_labour",
    "load_uci",
    "read_scores",
]
