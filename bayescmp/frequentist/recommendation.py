"""The tests that fit a setting, as data and as text."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from bayescmp.errors import MALFORMED

if TYPE_CHECKING:
    import pandas as pd

QUESTIONS = {
    "Q1": "Is the observed difference real, and how large is it?",
    "Q2": "Does it matter in practice?",
}


@dataclass(frozen=True, kw_only=True)
class Advice:
    """One test that fits: `getattr(bayescmp, school)` has a function of this name."""

    question: str
    school: str
    function: str
    why: str
    caveats: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, repr=False)
class Recommendation:
    """The tests that fit a setting.

    Attributes
    ----------
    setting : "2x1", "kx1", "2xm" or "kxm"
        Two or more models, on one dataset or many.
    reasons : tuple of str
        What was found in the scores, and what follows for all tests.
    rows : tuple of Advice
        Best first within each question and school.

    See Also
    --------
    recommend : makes one.

    Examples
    --------
    >>> import bayescmp as bc
    >>> bc.frequentist.recommend(bc.load_uci()).functions(school="bayes")[0]
    'hierarchical_ttest'
    """

    setting: str
    reasons: tuple[str, ...]
    rows: tuple[Advice, ...]

    def functions(self, question: str | None = None, school: str | None = None) -> tuple[str, ...]:
        """The names of the functions, best first; of one `question` or one `school` only, if given."""
        fit = (r for r in self.rows if question in (None, r.question) and school in (None, r.school))
        return tuple(dict.fromkeys(r.function for r in fit))

    def to_frame(self) -> "pd.DataFrame":
        """One row a test."""
        import pandas as pd

        names = ["setting", "question", "school", "function", "why", "caveats"]
        rows = [{"setting": self.setting} | asdict(r) | {"caveats": "; ".join(r.caveats)} for r in self.rows]
        return pd.DataFrame(rows, columns=names)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; `Recommendation.from_dict` reads it back."""
        rows = [asdict(row) | {"caveats": list(row.caveats)} for row in self.rows]
        return {"setting": self.setting, "reasons": list(self.reasons), "rows": rows}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> "Recommendation":
        """The result whose `to_dict` gave `data`, also after a trip through JSON."""
        try:
            rows = tuple(Advice(**row | {"caveats": tuple(row["caveats"])}) for row in data["rows"])
            return Recommendation(setting=data["setting"], reasons=tuple(data["reasons"]), rows=rows)
        except MALFORMED as error:
            raise ValueError(
                f"`data` must come from a Recommendation's to_dict; wrong or missing: {error!r}."
            ) from None

    def __repr__(self) -> str:
        lines = [f"Recommendation: setting {self.setting}", *(f"  {reason}" for reason in self.reasons)]
        for question, text in QUESTIONS.items():
            rows = [r for r in self.rows if r.question == question]
            if rows:
                lines.append(f"  {question}. {text}")
            for row in rows:
                lines.append(f"    {row.school}.{row.function}: {row.why}")
                lines += [f"      but {caveat}" for caveat in row.caveats]
        return "\n".join(lines)
