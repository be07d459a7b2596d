"""What the tool says: groups, the first line, cautions with measured rates, and one number in every place."""

import json
import math
import re
import time
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp import measured, sentences
from bayescmp.bayes.ranking.result import SampledAbilities
from bayescmp.cli.comparison import comparison_json
from bayescmp.comparison import show
from bayescmp.plots import plot_forest, plot_p_best
from bayescmp.text import percent, probability, short_p_value

DOMAINS = bc.load_domains()
DOCS = Path(__file__).parents[1] / "docs"


def as_json(c):
    """What the command line writes."""
    with click.Context(click.Command("compare")):
        return comparison_json(c)


def ranking(draws, rope=0.01, models="ABCDEFGH", **options):
    """A ranking with exactly these joint draws of the mean scores, draws x models."""
    draws = np.asarray(draws, dtype=float)
    return bc.bayes.RankingPosterior(
        models=tuple(models[: draws.shape[1]]), ability="mean score", inference=SampledAbilities(draws[None]),
        metric="accuracy", higher_is_better=True, scale="score", datasets=("d", "e"), n=2, rope=bc.Rope.of(rope),
        method="draws by hand", engine="draws", estimand="mean scores", **options,
    )  # fmt: skip


def datasets(k, n, gap=0.0, seed=0, sd=0.02):
    rng = np.random.default_rng(seed)
    level = rng.uniform(0.6, 0.8, n)
    return bc.Scores.from_arrays(
        {f"m{i}": level - gap * i + rng.normal(0, sd, n) for i in range(k)}, metric="accuracy", datasets=n
    )


# ---- groups


@pytest.mark.oracle("bayes.RankingPosterior.groups bayes.RankingPosterior.p_beaten bayes.rank_models", "brute force")
def test_groups_by_dirichlet_draws():
    """Uniform weights of the ten domains: P(within the rope of the best) and the joint claim, draw by draw."""
    g = bc.bayes.rank_models(DOMAINS, rope=1, random_seed=1).groups()
    weights = np.random.default_rng(3).dirichlet(np.ones(10), 100_000)
    means = weights @ DOMAINS.values[:, :, 0].T
    near = means >= means.max(axis=1, keepdims=True) - 1
    for m, name in enumerate(DOMAINS.models):
        assert g.p_within_rope[name] == pytest.approx(near[:, m].mean(), abs=0.01)
        group = g.top if near[:, m].mean() >= 0.95 else g.worse if near[:, m].mean() <= 0.05 else g.open
        assert name in group
    at = [DOMAINS.models.index(name) for name in g.not_worse]
    beaten = [DOMAINS.models.index(name) for name in g.beaten]
    assert g.beaten == ("B",)
    assert g.probability == pytest.approx(np.mean(means[:, at].min(axis=1) > means[:, beaten].max(axis=1)), abs=0.01)
    assert bc.bayes.Groups.from_json(g.to_json()) == g


def shares(**counts):
    """Draws of three mean scores: each named pattern this many times of 100."""
    patterns = {
        "tie": (0.80, 0.80, 0.70),
        "first": (0.80, 0.78, 0.70),
        "second": (0.78, 0.80, 0.70),
        "last": (0.78, 0.78, 0.80),
        "middle": (0.80, 0.70, 0.75),
    }
    assert sum(counts.values()) == 100
    return np.concatenate([np.tile(patterns[name], (n, 1)) for name, n in counts.items()])


def test_the_three_groups_by_hand():
    """w of A, B, C from counted draws; the threshold belongs to the top, its complement to the worse."""
    g = ranking(shares(tie=70, first=15, second=11, last=4)).groups()
    assert g.p_within_rope == pytest.approx({"A": 0.85, "B": 0.81, "C": 0.04})
    assert (g.top, g.open, g.worse) == ((), ("A", "B"), ("C",))
    assert (g.beaten, g.probability) == (("C",), pytest.approx(0.96))
    assert g.sentence().startswith("A and B: no practical difference in mean score shown; both beat C (P = ")
    g = ranking(shares(tie=95, last=5)).groups()
    assert (g.top, g.open, g.worse) == (("A", "B"), (), ("C",))
    assert ranking(shares(tie=94, last=6)).groups().worse == ()
    assert ranking(shares(tie=94, last=6)).groups().top == ()


def test_nothing_joint_is_claimed_that_single_probabilities_only_suggest():
    """B and C are each worse than the best in 95 of 100 draws, but both at once in 90 only."""
    draws = np.concatenate(
        [np.tile([0.8, 0.7, 0.6], (90, 1)), np.tile([0.7, 0.8, 0.6], (5, 1)), np.tile([0.7, 0.6, 0.8], (5, 1))]
    )
    g = ranking(draws).groups()
    assert (g.top, g.open, g.worse) == ((), ("A",), ("B", "C"))
    assert g.beaten == ("C",), "A is above C in 95 draws, above both in 90"
    assert not g.by_rope
    assert g.sentence() == "A leads in mean score; it beats C (P = 0.95); B looks worse, but not for certain."
    best = ranking(np.tile([0.8, 0.7, 0.6], (100, 1))).groups()
    assert best.by_rope
    assert best.sentence().startswith("A is better than B and C by more than 0.01 in mean score (P = 1.00")


def test_many_equal_models_have_no_top_and_no_claim():
    """Thirty exchangeable models without a rope: each is the best with probability 1/30, and nothing is said of any."""
    draws = np.random.default_rng(0).normal(size=(3000, 30))
    g = ranking(draws, rope=0, models=[f"m{i}" for i in range(30)]).groups()
    assert (g.top, g.open, len(g.worse), g.beaten) == ((), (), 30, ())
    assert g.sentence() == "No one of 30 models stands out in mean score."


def test_twins_share_the_top_and_the_cheapest_is_named(rng):
    x = rng.uniform(0.7, 0.9, 30)
    scores = bc.Scores.from_arrays({"a": x, "b": x, "c": x - 0.1}, metric="accuracy", datasets=30)
    c = bc.compare(scores, rope=0.01, random_seed=1)
    g = c.groups(cost={"a": 2, "b": 1, "c": 0})
    assert (g.top, g.worse, g.cheapest) == (("a", "b"), ("c",), "b")
    assert g.sentence().endswith("both beat c (P = 1.000). Cheapest of the top: b.")
    assert c.groups().cheapest is None
    for cost, words in (
        ({"a": 1, "b": 2}, '"c" has none'),
        ({"a": 1, "b": 2, "c": math.nan}, "finite"),
        ({"a": 1, "b": 2, "c": 3, "d": 4}, 'no model "d"'),
        ({"a": 1, "b": "x", "c": 3}, "must be a number"),
        ([1, 2, 3], "mapping"),
    ):
        with pytest.raises(ValueError, match=words):
            c.groups(cost=cost)
    with pytest.raises(ValueError, match="threshold"):
        c.ranking_posterior().groups(threshold=0.5)


def test_strengths_have_groups_in_their_own_words():
    g = bc.bayes.plackett_luce(bc.load_uci().select(models=["rf", "gbm", "tree"]), random_seed=1).groups()
    assert "in strength" in g.sentence()
    assert g.worse == ("tree",)


# ---- the first line


def test_the_first_line_is_the_answer_everywhere(tmp_path):
    for c in (
        bc.compare(datasets(4, 24, gap=0.01), rope=0.01, random_seed=1),
        bc.compare(bc.load_labour().select(models=["SVM", "DT"]), rope=0.01),
    ):
        line = c.headline()
        assert repr(c).splitlines()[0] == line
        assert c.report(tmp_path / "r.md", overwrite=True).read_text().splitlines()[2] == f"**{line}**"
        assert f'<p class="lead" id="headline">{line}</p>' in c.report(tmp_path / "r.html", overwrite=True).read_text()
        tex = c.report(tmp_path / "r.tex", overwrite=True).read_text()
        assert line.split(":")[0].split(";")[0] in tex.split(r"\maketitle")[1].split("itemize")[0]
        assert json.loads(as_json(c))["answer"] == line


def test_the_first_line_of_two_models_is_the_decision():
    labour = bc.load_labour().select(models=["SVM", "DT"])
    assert bc.compare(labour, rope=0.01).headline() == "SVM and DT: undecided, no outcome is 95 % certain."
    assert bc.compare(labour, rope=0).headline() == "SVM is better than DT (P = 0.962)."
    uci = bc.load_uci().select(models=["rf", "gbm"])
    assert bc.compare(uci, rope=0.01).headline() == (
        "rf and gbm: equivalence is the most probable outcome (P = 0.970; on the next dataset 69.8 %)."
    )


def test_a_repr_starts_nothing_long(monkeypatch):
    """A large table is not ranked for a repr, which names what would; afterwards the line is there."""
    c = bc.compare(datasets(30, 400), rope=0.01, bayes="sign_test", frequentist="nemenyi_test")
    start = time.perf_counter()
    text = repr(c)
    assert time.perf_counter() - start < 5, "a second on an idle machine"
    assert text.startswith("30 models: c.groups() says who is tied at the top")
    assert not c.is_ranked
    monkeypatch.setattr(show, "MOST_WORK", 30 * 30 * 400)
    assert repr(c).splitlines()[0] == c.headline()


def test_holes_do_not_stop_the_ranking():
    """One dataset of five has all models: the joint model uses all of them, the first lines say what is missing."""
    frame = (
        bc.load_uci().select(models=["rf", "svm", "nb"], datasets=["iris", "wine", "zoo", "glass", "sonar"]).to_frame()
    )
    gone = {("nb", "iris"), ("nb", "wine"), ("rf", "zoo"), ("svm", "glass")}
    frame = frame[[names not in gone for names in zip(frame.model, frame.dataset, strict=True)]]
    with pytest.warns(bc.MissingWarning):
        c = bc.compare(bc.Scores.from_frame(frame, metric="accuracy"), rope=0.01, bayes="sign_test")
    assert len(c.ranking_posterior().datasets) == 5
    assert "CAUTION: All models were run on 1 of 5 datasets only (missing: nb on 2, rf on 1, svm on 1)" in repr(c)
    assert json.loads(as_json(c))["groups"]["open"] == list(c.groups().open)


def test_no_ranking_is_said_in_the_first_line():
    """Ropes of their own need the bootstrap, and that needs datasets with all models."""
    run = {"ab": ("rf", "svm"), "cd": ("svm", "nb"), "ef": ("rf", "nb")}
    rows = [(m, d, 0.6 + i / 10) for names, models in run.items() for d in names for i, m in enumerate(models)]
    scores = bc.Scores.from_frame(pd.DataFrame(rows, columns=["model", "dataset", "score"]), metric="accuracy")
    with pytest.warns(bc.MissingWarning):
        c = bc.compare(scores, rope=dict.fromkeys("abcdef", 0.01), bayes="sign_test")
    assert repr(c).startswith("No ranking: ")
    assert json.loads(as_json(c))["groups"] is None


# ---- cautions


@pytest.mark.parametrize("n", [3, 5, 6, 19, 20])
@pytest.mark.parametrize("ranking", ["joint", "bootstrap"])
def test_a_ranking_of_few_datasets_quotes_its_measured_rate(n, ranking, tmp_path):
    scores = datasets(3, n, gap=0.05, sd=0.005)
    rope = 0.01 if ranking == "joint" else dict.fromkeys(scores.datasets, 0.01)
    c = bc.compare(scores, rope=rope, random_seed=1, bayes="sign_test")

    def rate_of(rates):
        at = max((tried for tried in rates[ranking] if tried <= n), default=min(rates[ranking]))
        return at, rates[ranking][at]

    at, rate = rate_of(measured.P_BEST)
    note = f"with {at} datasets, P(best) of 0.9 or more came true in {100 * rate:.0f} % of"
    texts = [repr(c), repr(c.ranking_posterior()), c.report(tmp_path / "r.md").read_text(), as_json(c)]
    for text in texts:
        assert (note in text) == (rate < 0.9)
    at, groups_rate = rate_of(measured.GROUPS)
    caution = f"with {at} datasets, such claims came true in {100 * groups_rate:.0f} %"
    assert (caution in c.headline()) == (groups_rate < 0.9), "c beats the others"
    assert (caution in repr(c.groups())) == (groups_rate < 0.9)
    assert ("is the best of 3 models with probability" in texts[2]) == (rate >= 0.8)
    assert ("too few for a probability of being the best" in texts[2]) == (rate < 0.8)


@pytest.mark.parametrize(("test", "few"), [("sign_test", 6), ("signed_rank_test", 6)])
def test_few_datasets_are_a_caution_of_the_test(test, few, tmp_path):
    for n in (few - 1, few):
        scores = datasets(2, n)
        c = bc.compare(scores, rope=0.01, bayes=test, random_seed=1)
        rate = measured.FALSE_DECISIONS[test][n]
        note = f"ew datasets: with {n}, one of two equal models was called better in {100 * rate:.0f} % of simulated"
        posterior = c.pairs[0].posterior
        places = [*posterior.notes, repr(posterior), repr(c), c.report(tmp_path / f"{n}.md").read_text(), as_json(c)]
        assert [note in text for text in places] == ([True] * 5 if n < few else [False] * 4)
        sure = bc.compare(datasets(2, n, gap=0.1, sd=0.001), rope=0.01, bayes=test, random_seed=1)
        assert (note in sure.headline()) == (n < few and sure.pairs[0].decided)


def test_two_datasets_are_a_caution_of_the_hierarchical_test():
    scores = bc.load_uci().select(models=["rf", "svm"])
    with pytest.warns(bc.PriorWarning):
        two = bc.bayes.hierarchical_ttest(scores.select(datasets=["iris", "wine"]).pair("rf", "svm"), rope=0.01)
    three = bc.bayes.hierarchical_ttest(scores.select(datasets=["iris", "wine", "zoo"]).pair("rf", "svm"), rope=0.01)
    assert ["few datasets" in " ".join(p.notes) for p in (two, three)] == [True, False]


def test_measured_rates_are_those_of_the_page():
    page = (DOCS / "statements.md").read_text(encoding="utf-8")
    for ranking in ("joint", "bootstrap"):
        part = page.split(f"**{ranking}: claims of the first line, by the number of datasets**")[1].split("**")[0]
        rows = dict(re.findall(r"^\| (\d+) \| [\d.]+ \| ([\d.]+) ± ", part, re.M))
        found = {int(n): float(x) for n, x in rows.items()}
        assert found == pytest.approx(measured.P_BEST[ranking], abs=0.0051)
        rows = dict(re.findall(r"^\| (\d+) \| .* \| [\d.]+ \| ([\d.]+) ± [\d.]+ \|$", part, re.M))
        found = {int(n): float(x) for n, x in rows.items()}
        assert found == pytest.approx(measured.GROUPS[ranking], abs=0.0051)
    for test, n, cells in re.findall(r"^\| (\w+_t\w*) \| (\d+) \| (.*) \|$", page, re.M):
        largest = max(float(cell.split(" ± ")[0]) for cell in cells.split(" | "))
        assert measured.FALSE_DECISIONS[test][int(n)] == pytest.approx(largest, abs=0.0051)


@pytest.mark.parametrize("n", [3, 4, 5, 6, 8, 10])
def test_measured_false_decisions_of_the_sign_test_are_the_binomial_ones(n):
    """Wins of two equal models are Binomial(n, 1/2); without a rope theta is Beta(wins + 1/2, losses + 1/2)."""
    from scipy import stats

    def sure(wins):
        return (
            max(stats.beta(wins + 0.5, n - wins + 0.5).sf(0.5), stats.beta(wins + 0.5, n - wins + 0.5).cdf(0.5)) >= 0.95
        )

    exact = sum(stats.binom(n, 0.5).pmf(wins) for wins in range(n + 1) if sure(wins))
    # the larger of two rates of 500 studies each
    assert measured.FALSE_DECISIONS["sign_test"][n] == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 500))


@pytest.mark.oracle("bayes.rank_models", "closed form")
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_equal_models_are_called_the_best_as_often_as_signs_agree(n):
    """One of two equal models wins on all n datasets, P(best) = 1, in 2 / 2^n of studies: what the caution is about."""
    rng = np.random.default_rng(n)
    sure = 0
    for i in range(150):
        scores = bc.Scores.from_arrays(
            dict(zip("ab", rng.normal(size=(2, n)), strict=True)), datasets=n, higher_is_better=True
        )
        sure += max(bc.bayes.rank_models(scores, rope=0, draws=1000, random_seed=i).p_best.values()) == 1.0
    p = 2.0 ** (1 - n)
    assert sure / 150 == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 150) + 0.02)


# ---- words


def test_percentages_have_the_digits_of_the_probability():
    for p, mcse, words in (
        (0.6981, 0.0, "69.8 %"), (0.9697, 0.0, "97.0 %"), (0.97, 0.01, "97 %"), (1.0, 0.0, "100.0 %"),
        (0.99999, 0.0, "more than 99.9 %"), (1e-7, 0.0, "less than 0.1 %"), (1.0, 0.001, "more than 99.9 %"),
    ):  # fmt: skip
        assert percent(p, mcse) == words
    assert percent(0.9497, 0.0, 0.95) == "94.97 %"


def test_a_report_has_one_rule(tmp_path):
    """The marks of the forest are the decisions of the table, also where the HDI of the mean says something else."""
    c = bc.compare(bc.load_uci().select(models=["rf", "gbm", "svm"]), rope=0.01)
    rules = c.decisions()
    assert list(rules.columns[2:5]) == ["outcome_by_probability", "mean_by_hdi", "loss"]
    row = rules.set_index(["a", "b"]).loc[("gbm", "svm")]
    assert row.tolist()[:3] == ["undecided", "equivalent", "take svm"]
    marks = {"o": "undecided", "s": "most probable: equivalent"}
    ax = plot_forest(c, sort=False)
    drawn = [marks[line.get_marker()] for line in ax.get_lines() if line.get_gid() == "estimate"]
    assert drawn == c.table()["decision"].tolist() == rules["outcome_by_probability"].tolist()
    assert {text.get_text() for text in ax.get_legend().get_texts()} >= {"undecided", "most probable: equivalent"}


# ---- one number in every place


@st.composite
def comparisons(draw):
    """A small comparison of any design; scores on a coarse grid have ties."""
    k, seed = draw(st.integers(2, 4)), draw(st.integers(0, 10**6))
    rope = draw(st.sampled_from([0.0, 0.01, 0.05]))
    rng = np.random.default_rng(seed)
    design = draw(st.sampled_from(["folds", "datasets", "datasets x folds"]))
    gaps = rng.normal(0, draw(st.sampled_from([0.0, 0.01, 0.05])), k)
    names = [f"model-{i}" for i in range(k)]
    options = {"metric": draw(st.sampled_from(["accuracy", "rmse"]))}
    n = draw(st.integers(3, 24))
    if design == "datasets":
        x = rng.normal(0.7, 0.05, n) + gaps[:, None] + rng.normal(0, 0.02, (k, n))
        options["datasets"] = n
    elif design == "folds":
        x = 0.7 + gaps[:, None] + rng.normal(0, 0.03, (k, 10))
        options["resampling"] = bc.Resampling.kfold(10)
    else:
        x = rng.normal(0.7, 0.05, (n, 1)) + gaps[:, None, None] + rng.normal(0, 0.03, (k, n, 10))
        options["resampling"] = bc.Resampling.kfold(10)
    x = np.round(x, draw(st.sampled_from([2, 6])))
    # the hierarchical test would take most of the time, and has the same places
    bayes = (
        None
        if design == "folds"
        else "sign_test"
        if design == "datasets x folds"
        else draw(st.sampled_from([None, "sign_test"]))
    )
    return bc.compare(
        bc.Scores.from_arrays(dict(zip(names, x, strict=True)), **options), rope=rope, bayes=bayes, random_seed=seed
    )


@settings(max_examples=6, deadline=None)
@given(c=comparisons())
@pytest.mark.filterwarnings("ignore::bayescmp.DegenerateWarning")
def test_a_number_that_stands_in_two_places_is_the_same_number(c, tmp_path_factory):
    """repr, table, csv, Markdown, HTML, JSON and figures: every number by its name, against the results themselves."""
    folder = tmp_path_factory.mktemp("places")
    markdown = c.report(folder / "r.md").read_text(encoding="utf-8")
    page = c.report(folder / "r.html", ropes=()).read_text(encoding="utf-8")
    data = json.loads(as_json(c))
    check_pairs(c, markdown, page, data)
    if len(c.models) > 2:
        check_ranking(c, markdown, page, data)
    line = c.headline()
    assert [repr(c).splitlines()[0], markdown.splitlines()[2].strip("*"), data["answer"]] == [line] * 3
    assert f'<p class="lead" id="headline">{line}</p>' in page.replace("&#34;", '"')


def cells(row):
    return [cell.strip().replace("&lt;", "<") for cell in row.strip("| ").split(" | ")]


def check_pairs(c, markdown, page, data):
    table = c.table(full=True)
    head = next(line for line in markdown.splitlines() if line.startswith("| A | B |"))
    rows = re.findall(r'<tr data-i="\d+">.*?</tr>', page, re.S)
    for i, pair in enumerate(c.pairs):
        p, row = pair.posterior, table.iloc[i]
        three = [probability(x, p.largest_mcse, c.threshold) for x in p.three]
        shares = None if p.expected is None else " / ".join(map(probability, p.expected.values()))
        shown = short_p_value(pair.p, c.alpha)
        assert [row["p_better"], row["p_equivalent"], row["p_worse"]] == list(p.three)
        (line,) = [x for x in repr(c).splitlines() if re.match(rf"{pair.a} +{pair.b} ", x)]
        apart = r" / " if shares else " +"
        middle = rf"{shares}  +{apart.join(three)}" if shares else apart.join(three)
        assert re.search(rf" {middle} +{re.escape(shown)}  {pair.verdict.decision}$", line)
        md = next(x for x in markdown.splitlines() if x.startswith(f"| {pair.a} | {pair.b} |"))
        named = dict(zip(cells(head), cells(md), strict=True))
        names = ("P(A better)", "P(equivalent)", "P(B better)")
        names = names if shares is None else ("Most probable: A better", "equivalent", "B better")
        assert [named[name] for name in names] == three
        assert named["decision"] == pair.verdict.decision == row["decision"]
        assert named["p (holm)" if len(c.pairs) > 1 else "p"] == shown
        for k, text in enumerate(three):
            number, found = re.search(rf'<td class="num p{k}" data-v="([^"]*)">([^<]*)</td>', rows[i]).groups()
            assert (number, found) == (f"{p.three[k]:.6g}", text)
        if shares is not None:
            assert named[p.next_heading.capitalize()] == shares
            assert f'<td class="num shares">{shares}</td>' in rows[i]
            assert [row[f"expected_{x}"] for x in ("better", "equivalent", "worse")] == list(p.expected.values())
            sentence, leader = pair.three_sentences[0], p.swap() if sentences.is_behind(p) else p
            for j, (label, x) in enumerate(leader.expected.items()):
                assert f"{label} {percent(x)}" in sentence or (j == 1 and p.rope.is_zero)
        for name in ("p_better", "p_equivalent", "p_worse", "p_value", "p_adjusted", "mean", "expected_better"):
            one, two = data["pairs"][i][name], row[name]
            assert one == two or (one is None and (two is None or np.isnan(two)))
        assert data["pairs"][i]["decision"] == pair.verdict.decision


def check_ranking(c, markdown, page, data):
    r, g = c.ranking_posterior(), c.groups()
    frame = c.ranking()
    assert frame["expected_rank"].is_monotonic_increasing
    assert [row["model"] for row in data["ranking"]] == frame["model"].tolist()
    part = markdown.split("## Ranking")[1]
    ax = plot_p_best(r)
    bars = [p.get_width() for p in ax.patches if p.get_gid() == "best"]
    assert bars == [r.p_best[name] for name in frame["model"]]
    for row, kept in zip(frame.to_dict("records"), data["ranking"], strict=True):
        name = row["model"]
        assert row["p_best"] == kept["p_best"] == r.p_best[name] <= r.p_within_rope[name]
        assert row["p_within_rope"] == kept["p_within_rope"] == r.p_within_rope[name] == g.p_within_rope[name]
        assert data["groups"]["p_within_rope"][name] == r.p_within_rope[name]
        assert row["n"] == kept["n"] == r.n
        best, within = (probability(row[x], r.largest_mcse) for x in ("p_best", "p_within_rope"))
        assert re.search(rf"^{name} +{best} +{within} +{row['expected_rank']:.1f} ", repr(c), re.M)
        assert re.search(rf"^  {name} +{best} +{within} +{row['expected_rank']:.1f} ", repr(r), re.M)
        assert f"| {name} | {best} | {within} | {row['expected_rank']:.1f} |" in part
        assert f'data-v="{row["p_best"]:.6g}">{best}</td>' in page
        assert f'data-v="{row["p_within_rope"]:.6g}">{within}</td>' in page
        assert any(text.get_text().startswith(best) for text in ax.texts)
