"""Every public number is confirmed by a source other than itself, and the marks that say so are right."""

import re
import tomllib
from pathlib import Path

import oracles
import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent


def test_every_public_number_has_an_independent_oracle():
    wrong = oracles.problems(oracles.read(HERE), oracles.public_numbers())
    assert not wrong, "\n".join(wrong)


def test_functions_and_methods_are_asked_for():
    needed = oracles.public_numbers()
    for name in ("bayes.sign_test", "frequentist.anova", "compare", "bayes.Posterior.rope_curve"):
        assert name in needed
    assert "frequentist.recommend" not in needed
    assert "bayes.DifferencePosterior.to_dict" not in needed


def marked(marks, body="def test_it():\n    pass\n"):
    return oracles.read_text(marks + body, Path("test_x.py"))


def test_what_is_missing_slow_or_misspelt_is_named():
    slow = marked('@pytest.mark.slow\n@pytest.mark.oracle("bayes.hdi compare", "scipy", "example: W1")\n')
    assert [(o.name, o.source, o.detail, o.slow) for o in slow[:3:2]] == [
        ("bayes.hdi", "scipy", "", True),
        ("bayes.hdi", "example", "W1", True),
    ]
    misspelt = marked('@pytest.mark.oracle("bayes.sing_test", "scipy")\n')
    wrong = oracles.problems(slow + misspelt, ["bayes.hdi", "bayes.sign_test"])
    assert [line[:40] for line in wrong] == [
        "bayescmp.bayes.sing_test does not exist,",
        "bayescmp.bayes.hdi has slow oracles only",
        "bayescmp.bayes.sign_test has no independ",
    ]
    assert "test_x::test_it" in wrong[0]


@pytest.mark.parametrize(
    ("mark", "words"),
    [
        ('("bayes.hdi", "R")', "must be one of closed form"),
        ('("bayes.hdi", "published")', "say which"),
        ('("bayes.hdi")', "at least one source"),
        ('(name, "scipy")', "must be text"),
        ("", "must be text"),
    ],
)
def test_a_mark_that_breaks_the_rules_is_refused(mark, words):
    with pytest.raises(ValueError, match=words):
        marked(f"@pytest.mark.oracle{mark}\n")


def test_the_page_of_validation_is_not_older_than_the_project():
    """`python scripts/validate.py --page` writes it anew in seconds, `make validate-versions` measures the versions."""
    page = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `([\w.]+)` \|", page, re.M))
    assert set(oracles.public_numbers()) - listed == set()
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    lowest = re.search(r"^The lowest declared versions: Python [\d.]+, (.*)\.$", page, re.M)[1]
    for package in lowest.split(", "):
        assert any(f"{package}.".startswith(f"{d.replace('>=', ' ')}.") for d in declared), package
