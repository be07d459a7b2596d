"""Looking more than once: the e-process of wins against losses, which may be looked at after every case."""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import betainc, betaln

from bayescmp.checks import check_alpha, check_alternative, check_count
from bayescmp.text import p_value, statistic, versions
from bayescmp.values import Value


def e_test(wins: int, losses: int, *, alternative: str = "two-sided") -> "ETest":
    """Evidence against P(win) = 1/2 that stays valid however often one looks, and whenever one stops.

    Under the null hypothesis the e-value E is a fair bet that starts at 1: the probability that it ever reaches 1/alpha
    is at most alpha (Ville's inequality). It bets on a P(win) from Beta(1/2, 1/2): E = 2^(w + l) B(w + 1/2, l + 1/2) /
    B(1/2, 1/2).

    Parameters
    ----------
    wins, losses : int
        Cases on which only A is right and on which only B is; datasets on which A is ahead and on which B is.
    alternative : "two-sided", "greater" (A better) or "less"
        One-sided tests bet on P(win) above, or below, 1/2 only. They test P(win) <= 1/2 (or >=), not just 1/2.

    Returns
    -------
    ETest

    See Also
    --------
    sign_test, mcnemar_test : for one look, at a size that was fixed before.

    References
    ----------
    Ville (1939). Etude critique de la notion de collectif. Ramdas, Grunwald, Vovk, Shafer (2023). Game-theoretic
    statistics and safe anytime-valid inference. Statistical Science 38.

    Examples
    --------
    >>> from bayescmp.frequentist import e_test
    >>> round(e_test(25, 5).e_value, 1)
    208.2
    """
    won, lost = check_count("wins", wins, 0), check_count("losses", losses, 0)
    check_alternative(alternative)
    log_e = (won + lost) * np.log(2.0) + betaln(won + 0.5, lost + 0.5) - betaln(0.5, 0.5)
    if alternative != "two-sided":
        ahead, behind = (won, lost) if alternative == "greater" else (lost, won)
        tail = betainc(behind + 0.5, ahead + 0.5, 0.5)
        # too small for a double: what lies beyond 1/2 falls from there at the rate 2 (behind - ahead)
        log_e = log_e + np.log(2 * tail) if tail > 1e-290 else np.log(2 / np.pi / (behind - ahead))
    return ETest(wins=won, losses=lost, alternative=alternative, log_e=float(log_e))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ETest(Value):
    """Evidence against "no difference" that may be looked at at any time.

    Attributes
    ----------
    wins, losses : int
    alternative : str
    log_e : float
        The natural logarithm of the e-value.

    See Also
    --------
    e_test : makes one.

    Examples
    --------
    >>> from bayescmp.frequentist import e_test
    >>> e_test(12, 5).rejects(0.05)
    False
    """

    wins: int
    losses: int
    alternative: str
    log_e: float
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def e_value(self) -> float:
        """How many times its stake the bet against "no difference" is worth now."""
        return float(np.exp(min(self.log_e, 700.0)))

    @property
    def p_value(self) -> float:
        """An anytime-valid p-value: 1/E, at most 1."""
        return float(np.exp(min(-self.log_e, 0.0)))

    def rejects(self, alpha: float = 0.05) -> bool:
        """Whether E is at least 1/alpha, which under the null hypothesis has at most probability alpha, ever."""
        return bool(self.log_e >= -np.log(check_alpha(alpha)))

    def __repr__(self) -> str:
        return (
            f"ETest: {self.wins} wins, {self.losses} losses, {self.alternative}\n"
            f"  E = {statistic(self.e_value)}, {p_value(self.p_value)} at any time, however often one looks"
        )
