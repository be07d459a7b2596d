"""The works that the tests rest on, as text for a list of references and as BibTeX."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Reference:
    """A published work. `fields` are the BibTeX fields besides author, title and year; `cite` stands in the text."""

    key: str
    cite: str
    author: str
    year: int
    title: str
    kind: str
    fields: tuple[tuple[str, str], ...]
    doi: str = ""

    @property
    def text(self) -> str:
        """For the list of references."""
        values = dict(self.fields)
        where = values.get("journal") or values.get("booktitle") or values.get("publisher")
        where = where or f"PhD thesis, {values.get('school')}"
        volume = values.get("volume", "")
        issue = f"({values['number']})" if "number" in values else ""
        pages = f", {values['pages'].replace('--', '-')}" if "pages" in values else ""
        names = self.author.replace(" and ", "; ")
        return f"{names} ({self.year}). {self.title}. {where} {volume}{issue}".rstrip() + f"{pages}."

    @property
    def bibtex(self) -> str:
        """The entry, in ASCII."""
        found = [("author", self.author), ("title", f"{{{self.title}}}"), ("year", str(self.year)), *self.fields]
        found += [("doi", self.doi)] if self.doi else []
        lines = [f"  {name} = {{{value}}}" for name, value in found]
        return f"@{self.kind}{{{self.key},\n" + ",\n".join(lines).replace("š", r"{\v{s}}") + "\n}"


def _article(
    key: str, cite: str, author: str, year: int, title: str, where: tuple[str, str, str, str], doi: str = ""
) -> Reference:
    names = ("journal", "volume", "number", "pages")
    fields = tuple((name, x) for name, x in zip(names, where, strict=True) if x)
    return Reference(key, cite, author, year, title, "article", fields, doi)


REFERENCES = {
    r.key: r
    for r in (
        _article(
            "benavoli2017time",
            "Benavoli et al., 2017",
            "Benavoli, Alessio and Corani, Giorgio and Demšar, Janez and Zaffalon, Marco",
            2017,
            "Time for a change: a tutorial for comparing multiple classifiers through Bayesian analysis",
            ("Journal of Machine Learning Research", "18", "77", "1--36"),
        ),
        _article(
            "corani2015bayesian",
            "Corani and Benavoli, 2015",
            "Corani, Giorgio and Benavoli, Alessio",
            2015,
            "A Bayesian approach for comparing cross-validated algorithms on multiple data sets",
            ("Machine Learning", "100", "2-3", "285--304"),
            "10.1007/s10994-015-5486-z",
        ),
        _article(
            "corani2017statistical",
            "Corani et al., 2017",
            "Corani, Giorgio and Benavoli, Alessio and Demšar, Janez and Mangili, Francesca and Zaffalon, Marco",
            2017,
            "Statistical comparison of classifiers through Bayesian hierarchical modelling",
            ("Machine Learning", "106", "11", "1817--1837"),
            "10.1007/s10994-017-5641-9",
        ),
        Reference(
            "benavoli2014wilcoxon",
            "Benavoli et al., 2014",
            "Benavoli, Alessio and Corani, Giorgio and Mangili, Francesca and Zaffalon, Marco and Ruggeri, Fabrizio",
            2014,
            "A Bayesian Wilcoxon signed-rank test based on the Dirichlet process",
            "inproceedings",
            (
                ("booktitle", "Proceedings of the 31st International Conference on Machine Learning"),
                ("pages", "1026--1034"),
            ),
        ),
        _article(
            "kruschke2018rejecting",
            "Kruschke, 2018",
            "Kruschke, John K.",
            2018,
            "Rejecting or accepting parameter values in Bayesian estimation",
            ("Advances in Methods and Practices in Psychological Science", "1", "2", "270--280"),
            "10.1177/2515245918771304",
        ),
        _article(
            "rubin1981bootstrap",
            "Rubin, 1981",
            "Rubin, Donald B.",
            1981,
            "The Bayesian bootstrap",
            ("The Annals of Statistics", "9", "1", "130--134"),
            "10.1214/aos/1176345338",
        ),
        _article(
            "nadeau2003inference",
            "Nadeau and Bengio, 2003",
            "Nadeau, Claude and Bengio, Yoshua",
            2003,
            "Inference for the generalization error",
            ("Machine Learning", "52", "3", "239--281"),
            "10.1023/A:1024068626366",
        ),
        _article(
            "wilcoxon1945individual",
            "Wilcoxon, 1945",
            "Wilcoxon, Frank",
            1945,
            "Individual comparisons by ranking methods",
            ("Biometrics Bulletin", "1", "6", "80--83"),
            "10.2307/3001968",
        ),
        _article(
            "demsar2006statistical",
            "Demšar, 2006",
            "Demšar, Janez",
            2006,
            "Statistical comparisons of classifiers over multiple data sets",
            ("Journal of Machine Learning Research", "7", "", "1--30"),
        ),
        Reference(
            "nemenyi1963distribution",
            "Nemenyi, 1963",
            "Nemenyi, Peter B.",
            1963,
            "Distribution-free multiple comparisons",
            "phdthesis",
            (("school", "Princeton University"),),
        ),
        _article(
            "friedman1937use",
            "Friedman, 1937",
            "Friedman, Milton",
            1937,
            "The use of ranks to avoid the assumption of normality implicit in the analysis of variance",
            ("Journal of the American Statistical Association", "32", "200", "675--701"),
            "10.1080/01621459.1937.10503522",
        ),
        _article(
            "iman1980approximations",
            "Iman and Davenport, 1980",
            "Iman, Ronald L. and Davenport, James M.",
            1980,
            "Approximations of the critical region of the Friedman statistic",
            ("Communications in Statistics - Theory and Methods", "9", "6", "571--595"),
            "10.1080/03610928008827904",
        ),
        _article(
            "holm1979simple",
            "Holm, 1979",
            "Holm, Sture",
            1979,
            "A simple sequentially rejective multiple test procedure",
            ("Scandinavian Journal of Statistics", "6", "2", "65--70"),
        ),
        _article(
            "benjamini1995controlling",
            "Benjamini and Hochberg, 1995",
            "Benjamini, Yoav and Hochberg, Yosef",
            1995,
            "Controlling the false discovery rate: a practical and powerful approach to multiple testing",
            ("Journal of the Royal Statistical Society: Series B", "57", "1", "289--300"),
            "10.1111/j.2517-6161.1995.tb02031.x",
        ),
        Reference(
            "bouckaert2003choosing",
            "Bouckaert, 2003",
            "Bouckaert, Remco R.",
            2003,
            "Choosing between two learning algorithms based on calibrated tests",
            "inproceedings",
            (
                ("booktitle", "Proceedings of the 20th International Conference on Machine Learning"),
                ("pages", "51--58"),
            ),
        ),
        _article(
            "alpaydin1999combined",
            "Alpaydin, 1999",
            "Alpaydin, Ethem",
            1999,
            "Combined 5 x 2 cv F test for comparing supervised classification learning algorithms",
            ("Neural Computation", "11", "8", "1885--1892"),
            "10.1162/089976699300016007",
        ),
        _article(
            "dietterich1998approximate",
            "Dietterich, 1998",
            "Dietterich, Thomas G.",
            1998,
            "Approximate statistical tests for comparing supervised classification learning algorithms",
            ("Neural Computation", "10", "7", "1895--1923"),
            "10.1162/089976698300017197",
        ),
        _article(
            "schuirmann1987comparison",
            "Schuirmann, 1987",
            "Schuirmann, Donald J.",
            1987,
            "A comparison of the two one-sided tests procedure and the power approach for assessing the equivalence of "
            "average bioavailability",
            ("Journal of Pharmacokinetics and Biopharmaceutics", "15", "6", "657--680"),
            "10.1007/BF01068419",
        ),
        _article(
            "welch1947generalization",
            "Welch, 1947",
            "Welch, B. L.",
            1947,
            "The generalization of 'Student's' problem when several different population variances are involved",
            ("Biometrika", "34", "1-2", "28--35"),
            "10.1093/biomet/34.1-2.28",
        ),
        _article(
            "mcnemar1947note",
            "McNemar, 1947",
            "McNemar, Quinn",
            1947,
            "Note on the sampling error of the difference between correlated proportions or percentages",
            ("Psychometrika", "12", "2", "153--157"),
            "10.1007/BF02295996",
        ),
        _article(
            "miller2024adding",
            "Miller, 2024",
            "Miller, Evan",
            2024,
            "Adding error bars to evals: a statistical approach to language model evaluations",
            ("arXiv preprint arXiv:2411.00640", "", "", ""),
        ),
        _article(
            "tango1998equivalence",
            "Tango, 1998",
            "Tango, Toshiro",
            1998,
            "Equivalence test and confidence interval for the difference in proportions for the paired-sample design",
            ("Statistics in Medicine", "17", "8", "891--908"),
        ),
        _article(
            "newcombe1998improved",
            "Newcombe, 1998",
            "Newcombe, Robert G.",
            1998,
            "Improved confidence intervals for the difference between binomial proportions based on paired data",
            ("Statistics in Medicine", "17", "22", "2635--2650"),
        ),
        Reference(
            "box1973bayesian",
            "Box and Tiao, 1973",
            "Box, George E. P. and Tiao, George C.",
            1973,
            "Bayesian inference in statistical analysis",
            "book",
            (("publisher", "Addison-Wesley"),),
        ),
    )
}


def found(citations: "Iterable[Reference | str]") -> list[Reference]:
    """The works behind keys of `REFERENCES` and references of one's own, each once."""
    works = [c if isinstance(c, Reference) else REFERENCES[c] for c in citations]
    return list(dict.fromkeys(works))
