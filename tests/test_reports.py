"""Reports: what they say, that any name is only text in them, and that a file is written whole or not at all."""

import csv
import json
import re
import shutil
import subprocess
import warnings
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import bayescmp as bc
from bayescmp import reports
from bayescmp.bayes import signed_rank
from bayescmp.reports.content import addresses, content
from bayescmp.reports.curves import UNIT, curves
from bayescmp.reports.escape import latex, markdown
from bayescmp.reports.figures import inline_svg
from bayescmp.text import one_line, safe_text, visible

HOSTILE = (
    "<script>alert(1)</script>",
    "A & B_1%",
    "=cmd()",
    "مرحبا",
    "😀 model",
    "x" * 200,
    "a|b `c` \\d",
    "new\nline \u202egnp.exe",
    "</script><img src=x onerror=alert(2)>",
    "$x$ #1 {y} ~ ^ é ß \\end{document}",
)


class Page(HTMLParser):
    """The elements, the text outside of scripts, and every attribute that could lead elsewhere."""

    VOID = ("meta", "link", "input", "rect", "br", "img", "wbr")

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.texts, self.links, self.scripts, self.events = [], [], [], [], {}, []
        self.feed(text)
        self.close()
        assert not self.open, "every element is closed"

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append((tag, attrs))
        self.links += [x for name, x in attrs.items() if name in ("src", "href", "action", "xlink:href", "srcset")]
        self.events += [name for name in attrs if name.startswith("on")]
        if tag not in self.VOID:
            self.open.append((tag, attrs.get("id")))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        if self.open and self.open[-1][0] in ("script", "style"):
            self.scripts[self.open[-1][1] or self.open[-1][0]] = data
        else:
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def labour_c():
    return bc.compare(bc.load_labour(), rope=0.01)


@pytest.fixture(scope="module")
def domains_c():
    return bc.compare(bc.load_domains(), rope=1, random_seed=1)


@pytest.fixture(scope="module")
def hostile_c():
    rng = np.random.default_rng(3)
    scores = {name: 0.8 + i / 100 + 0.02 * rng.normal(size=8) for i, name in enumerate(HOSTILE)}
    return bc.compare(bc.Scores.from_arrays(scores, metric="accuracy", datasets=8), rope=0.01, bayes="sign_test")


@pytest.fixture(scope="module")
def many_c():
    """More pairs than a page of LaTeX has, of names with what LaTeX minds."""
    rng = np.random.default_rng(5)
    names = ("rf_100", "50% dropout", "a&b", "#1 {best}")
    scores = {f"{names[i % 4]}-v{i}": 0.8 + i / 300 + 0.02 * rng.normal(size=12) for i in range(10)}
    return bc.compare(bc.Scores.from_arrays(scores, metric="accuracy", datasets=12), rope=0.01, random_seed=1)


@pytest.fixture(scope="module")
def hostile_page(hostile_c, tmp_path_factory):
    path = hostile_c.report(tmp_path_factory.mktemp("hostile") / "report.html")
    return path.read_text(encoding="utf-8")


# ---- sentences


def test_sentence_of_one_dataset(labour_c):
    assert labour_c.sentences()[1] == (
        "SVM is practically better than DT with probability 0.940 (P(equivalent) = 0.036, rope ±0.01; mean difference "
        "0.082, 95% HDI [-0.009, 0.172]). SVM vs DT: corrected resampled t-test, n_test/n_train = 0.12, t(99) = 1.791, "
        "p = .076, holm-adjusted p = .229, d_z = .65, 95% CI [-.07, 1.36]; mean difference 0.082, 95% CI [-0.009, "
        "0.172]."  # both schools are undecided: nothing to add
    )


def test_sentence_of_many_datasets(domains_c):
    first, second, third = domains_c.sentences()
    assert re.fullmatch(
        r"On the average of the next two datasets \(rope ±1\): A better 9\d\.\d %, equivalent \d\.\d %, "
        r'B better 0\.0 %\. That "A better" is the most probable outcome is more than 99\.9 % certain\. A vs B: '
        r"Wilcoxon signed-rank test, exact, zeros: wilcox, T = 0, n = 10, p = \.002, holm-adjusted p = \.006, .*\.",
        first,
    )
    assert "That equivalence is the most probable outcome is " in second
    assert 'That "C better" is the most probable outcome is ' in third


@pytest.mark.parametrize("rope", [0, 0.01, 0.05, (-0.01, 0.3)])
def test_sentences_have_the_posteriors_numbers(rope):
    """The oracle is the sentence of the test called by hand, from the side of the same model."""
    scores = bc.load_labour().select(models=["SVM", "DT"])
    (text,) = bc.compare(scores, rope=rope).sentences()
    p = bc.bayes.correlated_ttest(scores.pair("SVM", "DT"), rope=rope)
    p = p if p.p_better >= p.p_worse else p.swap()
    assert text.startswith(p.sentence())


def test_sentence_with_no_rope_and_of_each_dataset():
    domains = bc.load_domains()
    text = bc.compare(domains, rope=0, bayes="sign_test").sentences()[0]
    assert text.startswith(
        'On the next dataset: A better 95.5 %, B better 4.5 %. That "A better" is the most probable outcome is more'
    )
    assert "equivalent" not in text
    ropes = dict.fromkeys(domains.datasets, 1.0)
    text = bc.compare(domains, rope=ropes, bayes="sign_test").sentences()[0]
    assert text.startswith("On the next dataset (rope each dataset's rope): A better")


def test_methods_say_what_was_run(labour_c, domains_c):
    text = labour_c.methods_text()
    for words in ("3 models on 1 dataset", ": all pairs of models (3 pairs). Each pair was",
                  "error rate (lower is better)",
                  "Bayesian correlated t-test (Corani and", "rope) ±0.01", "corrected resampled t-test (Nadeau", "0.05",
                  "Holm", "reaches 0.95"):  # fmt: skip
        assert words in text
    text = domains_c.methods_text()
    for words in ("signed-rank", "Wilcoxon", "Friedman", "random seed 1", "(multilevel model)", "average difference"):
        assert words in text
    assert "bootstrap" not in text
    each = dict.fromkeys(domains_c.scores.datasets, 1.0)  # no joint model
    text = bc.compare(domains_c.scores, rope=each, bayes="sign_test", random_seed=1).methods_text()
    assert "the Bayesian bootstrap of the datasets (Rubin, 1981)" in text
    nemenyi = bc.compare(bc.load_domains(), rope=0, bayes="sign_test", frequentist="nemenyi_test", control="A")
    text = nemenyi.methods_text()
    assert "the Nemenyi test (Nemenyi, 1963" in text
    assert "A with each other model (2 pairs)." in text
    assert "Kruschke" not in text
    text = bc.compare(bc.load_domains().select(models=["A", "C"]), rope=0, bayes="sign_test").methods_text()
    assert text.startswith(
        "We compared A with C on 10 datasets, by accuracy (higher is better). They were compared by the"
    )


def test_bibtex_has_what_the_methods_cite_and_no_more(labour_c, domains_c):
    keys = re.findall(r"@\w+\{(\w+),", labour_c.bibtex())
    assert keys == [
        "benavoli2017time",
        "corani2015bayesian",
        "holm1979simple",
        "kruschke2018rejecting",
        "nadeau2003inference",
    ]
    for c in (labour_c, domains_c):
        assert c.bibtex().isascii()
        assert c.bibtex().count("{") == c.bibtex().count("}")


# ---- escaping


@pytest.mark.parametrize("name", HOSTILE)
def test_latex_is_ascii_balanced_and_escaped(name):
    text = latex(name)
    assert text.isascii()
    bare = re.sub(r"\\[{}$&#%_]|\\textbackslash\{\}|\\char34", "", text)
    assert bare.count("{") == bare.count("}")
    assert not re.search(r"(?<!\\)[$&#%_]", text)
    assert not re.search(r"\\end\b", text)


def test_latex_keeps_what_it_can_and_names_the_rest():
    assert latex("Müller é Ł 5 ± 1") == r"M\"{u}ller \'{e} \L{} 5 \ensuremath{\pm} 1"
    assert latex("😀") == r"{\ttfamily U+1F600}\hspace{0pt}"
    assert latex("λ") == r"\ensuremath{\lambda}"


@settings(max_examples=60)
@given(st.text(st.sampled_from("ab1 _*`[](){}<>&#+-=.!|~$^:/@\\\"'e") | st.characters(categories=["L", "S", "P"])))
@example("1. a").via("a list")
@example("[0.1, 0.2](http://b)").via("a link")
@example("-").via("a heading, or a list")
def test_any_text_stands_for_itself_in_markdown(text):
    """markdown-it's parser finds the same text, at the start of a line and in a table, and nothing else."""
    from markdown_it import MarkdownIt

    parse = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse
    shown = one_line(text).strip()
    assume(shown)
    for source, wanted in ((markdown(shown), [shown]), (f"| x |\n|---|\n| {markdown(shown)} |", ["x", shown])):
        inline = [token for token in parse(source) if token.type == "inline"]
        assert ["".join(child.content for child in token.children) for token in inline] == wanted
        assert {child.type for token in inline for child in token.children} <= {"text", "text_special"}
    assert [token.type for token in parse(markdown(shown))] == ["paragraph_open", "inline", "paragraph_close"]


def test_markdown_leaves_numbers_as_they_are():
    for text in ("-0.053", "[-0.148, 0.041]", ".528", "1e-12", "Rope 0.01. Bayesian: n = 100 (of 2)."):
        assert markdown(text) == text


def test_markdown_and_csv_texts():
    assert markdown("a|b `c`\n<b> *d*") == r"a\|b \`c\` &lt;b&gt; \*d\*"
    assert [safe_text(x) for x in ("=1", "+1", "-1", "@x", "\tx", "a=1", -1.0)] == [
        "'=1", "'+1", "'-1", "'@x", "'\tx", "a=1", -1.0
    ]  # fmt: skip
    assert one_line("new\nline \u202ex") == "new line \ufffdx"


def test_html_shows_hostile_names_as_text(hostile_page):
    page = Page(hostile_page)
    for name in HOSTILE:
        assert one_line(name) in page.text
    assert not page.events
    assert not [tag for tag, _ in page.tags if tag in ("img", "iframe", "object", "embed", "form")]
    assert len([tag for tag, _ in page.tags if tag == "script"]) == 2


def test_html_leads_nowhere_but_to_the_citations(hostile_page):
    page = Page(hostile_page)
    outside = [link for link in page.links if not link.startswith(("#", "data:"))]
    assert outside
    assert all(link.startswith("https://doi.org/10.") for link in outside)
    hidden = page.scripts["style"] + page.scripts["script"]
    assert not re.search(r"https?:|//[a-z]|url\(|@import|fetch|XMLHttp|innerHTML|eval\(", hidden)
    (policy,) = [a["content"] for _, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy


def test_policy_has_the_hash_of_what_runs(hostile_page):
    import base64
    import hashlib

    page = Page(hostile_page)
    for name in ("script", "style"):
        digest = base64.b64encode(hashlib.sha256(page.scripts[name].encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in hostile_page.replace("&#39;", "'")


def test_a_hostile_metric_and_dataset_are_text_too(tmp_path):
    scores = {"a": [0.1, 0.2, 0.4, 0.3], "b": [0.2, 0.2, 0.3, 0.1]}
    table = bc.Scores.from_arrays(
        scores, metric="</script><b>&", higher_is_better=True, datasets=["<i>", "$", "|", "_"]
    )
    c = bc.compare(table, rope=0.01, bayes="sign_test")
    page = Page(c.report(tmp_path / "r.html").read_text(encoding="utf-8"))
    assert "2 models, </script><b>&" in page.text
    assert not [tag for tag, _ in page.tags if tag == "i"]
    c.report(tmp_path / "r.tex")
    c.report(tmp_path / "r.md")


def cells(line):
    return len(re.findall(r"(?<!\\)\|", line))


@pytest.mark.parametrize("name", ["hostile_c", "labour_c", "domains_c"])
def test_markdown_tables_keep_their_columns(name, request, tmp_path):
    c = request.getfixturevalue(name)
    for text in (c.to_markdown(), c.report(tmp_path / "r.md").read_text(encoding="utf-8")):
        tables = re.findall(r"(?:^\|.*\n)+", text, re.M)
        assert tables
        for table in tables:
            assert len({cells(line) for line in table.splitlines()}) == 1, table
            assert set(table.splitlines()[1]) <= set("|-:")
    assert "<script" not in text
    assert len([line for line in c.to_markdown().splitlines() if line.startswith("|")]) == len(c.pairs) + 2


@pytest.mark.parametrize("name", ["hostile_c", "labour_c", "domains_c", "many_c"])
def test_latex_is_well_formed(name, request, tmp_path):
    c = request.getfixturevalue(name)
    whole = c.report(tmp_path / "r.tex").read_text(encoding="ascii")
    for text in (whole, c.to_latex(caption="P & Q_1", label="tab:x")):
        bare = re.sub(r"\\[\\{}$&#%_]", "", text)
        assert bare.count("{") == bare.count("}")
        assert sorted(re.findall(r"\\begin\{(\w+)\}", text)) == sorted(re.findall(r"\\end\{(\w+)\}", text))
        assert bare.count("$") % 2 == 0
        for body in re.findall(r"\\midrule\n(.*?)\\bottomrule", text, re.S):
            rows = [line for line in body.splitlines() if line.endswith(r"\\")]
            assert len({len(re.findall(r"(?<!\\)&", row)) for row in rows}) == 1
    assert r"\VAR" not in whole
    assert r"\BLOCK" not in whole


def test_latex_tables_are_continued(many_c):
    """45 pairs: 35 with the caption, then 10 with a reference to it and the note; ten models in two groups."""
    for table in ("pairs", "tests"):
        text = many_c.to_latex(table=table, label="tab:x")
        parts = text.split(r"\begin{table}")[1:]
        assert [part.count(r" \\" + "\n") - 1 for part in parts] == [35, 10]
        assert [r"\caption{" in part for part in parts] == [True, False]
        assert r"Table~\ref{tab:x}, continued" in parts[1]
        assert text.count(r"\label{tab:x}") == text.count(r"\parbox") == 1
    assert many_c.to_latex(table="results").count(r"\begin{table}") == 2


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX here: LaTeX is only checked by a parser")
@pytest.mark.parametrize("name", ["hostile_c", "labour_c", "domains_c", "many_c"])
def test_latex_compiles(name, request, tmp_path):
    c = request.getfixturevalue(name)
    c.report(tmp_path / "r.tex")
    tables = [c.to_latex(caption="P & Q_1", table=table) for table in ("pairs", "tests", "results")]
    text = "\n".join([r"\documentclass{article}\usepackage{array,booktabs,graphicx}\begin{document}", *tables])
    (tmp_path / "t.tex").write_text(text + r"\end{document}", encoding="ascii")
    for file in ("r.tex", "t.tex"):
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", file]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
        assert run.returncode == 0, run.stdout[-2000:]
        assert (tmp_path / file).with_suffix(".pdf").stat().st_size > 1000
        assert "multiply" not in run.stdout, "two tables have one label"
        if name != "hostile_c":
            assert "Overfull" not in run.stdout, "a line or table is wider than the page"


def test_csv_is_safe_and_exact(hostile_c, tmp_path):
    path = hostile_c.to_csv(tmp_path / "table.csv")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    frame = hostile_c.table(full=True)
    assert [float(row["p_better"]) for row in rows] == frame["p_better"].tolist()
    assert [visible(safe_text(a), "\n\t") for a in frame["a"]] == [row["a"] for row in rows]
    assert {row["a"] for row in rows} >= {"'=cmd()", HOSTILE[0]}
    for row in rows:
        assert not row["decision"].startswith(("=", "+", "-", "@"))
    assert any(row["statistic"].startswith("-") or float(row["effect_size"]) < 0 for row in rows)  # numbers stay


# ---- the numbers of the slider


@pytest.mark.parametrize("name", ["labour_c", "domains_c", "hostile_c"])
def test_the_page_holds_the_numbers_of_python(name, request, tmp_path):
    c = request.getfixturevalue(name)
    page = Page(c.report(tmp_path / "r.html").read_text(encoding="utf-8"))
    data = json.loads(page.scripts["curves"])
    assert len(data["pairs"]) == len(c.pairs)
    found = curves(c)
    assert data["texts"][data["at"]] == found.text(found.at)
    for at in (0, 3, found.at, len(found.ropes) - 1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            frame = c.rope_curve([found.ropes[at]])
        for i, row in enumerate(frame.to_dict("records")):
            three = data["pairs"][i][3 * at : 3 * at + 3]
            wanted = [row[x] for x in ("p_better", "p_equivalent", "p_worse")]
            assert np.divide(three, data["unit"]) == pytest.approx(wanted, abs=1.01e-5)
            if "expected_better" in row:
                assert data["shares"][i][3 * at] / data["unit"] == pytest.approx(row["expected_better"], abs=1e-5)
            reached = [p >= data["edge"] for p in three]
            code = reached.index(True) if any(reached) else 3
            words = [f"{row['a']} better", "equivalent", f"{row['b']} better", "undecided"][code]
            assert (data["about"] if code < 3 else "") + words == row["decision"]


def test_between_the_ropes_the_page_is_off_by_no_more_than_it_says(labour_c):
    """The oracle is the exact posterior at the positions that are interpolated."""
    found = curves(labour_c)
    shown = np.array([found._between(row) for row in found._p / UNIT])
    places = range(5, len(found.texts), 40)
    ropes = [float(found.texts[x].removeprefix("±")) for x in places]
    for i, p in enumerate(labour_c.posteriors):
        exact = np.array([q.three for q in p.at_ropes(ropes)])
        assert np.abs(exact - shown[i, list(places)]).max() <= found.error + 1e-5
    assert found.error < 0.002


def test_the_grid_is_finer_where_a_pair_changes_quickly():
    """Two models that differ by a thousandth of the rope: the whole curve lies between its first two ropes."""
    rng = np.random.default_rng(1)
    base = rng.normal(0.8, 0.03, (10, 10))
    near = {"a": base, "b": base + rng.normal(0, 2e-5, base.shape), "c": base + rng.normal(0, 0.02, base.shape)}
    scores = bc.Scores.from_arrays(near, metric="accuracy", resampling=bc.Resampling.kfold(10, repeats=10))
    c = bc.compare(scores, rope=0.01)
    coarse, found = curves(c, ropes=[rope / 1000 for rope in range(0, 41, 1)]), curves(c)
    assert len(found.ropes) > len(coarse.ropes)
    ropes = np.array([(rope.low, rope.high) for rope in found.ropes])
    middles = [bc.Rope(*ends) for ends in (ropes[1:] + ropes[:-1]) / 2]
    for row, p in zip(found._p / UNIT, c.posteriors, strict=True):
        exact = np.array([q.three for q in p.at_ropes(middles)])
        assert np.abs((row[1:] + row[:-1]) / 2 - exact).max() <= 1.2 * found.error  # "about"
    assert found.error < coarse.error / 2


def test_a_rope_of_the_grid_is_answered_once(monkeypatch):
    """Five datasets have steps, where the grid is refined pass by pass: earlier passes are not drawn again."""
    asked = []

    def counted(inferences, plans, ropes, means, plain=signed_rank._plain):
        asked.extend(ropes)
        return plain(inferences, plans, ropes, means)

    rng = np.random.default_rng(1)
    few = dict(zip("ab", rng.normal(0.8, 0.03, (2, 5)), strict=True))
    scores = bc.Scores.from_arrays(few, metric="accuracy", datasets=5)
    c = bc.compare(scores, rope=0.01, bayes="signed_rank_test", random_seed=1)
    monkeypatch.setattr(signed_rank, "_plain", counted)
    found = curves(c)
    assert len(found.ropes) > 42, "the grid was refined"
    assert len(asked) == len(set(asked)) == len(found.ropes) - 1, "the comparison's own rope was there"


def test_ticks_are_where_the_exact_posterior_changes_its_decision():
    c = bc.compare(bc.load_labour(), rope=0.03, threshold=0.8)
    found = curves(c)
    assert found.ticks
    ropes = [float(text.removeprefix("±")) for text in found.texts]
    decisions = np.array([[q.decision(0.8).value for q in p.at_ropes(ropes)] for p in c.posteriors])
    exact = np.flatnonzero((decisions[:, 1:] != decisions[:, :-1]).any(axis=0)) + 1
    assert len(exact) == len(found.ticks)
    assert np.abs(exact - found.ticks).max() <= 1


def test_the_curve_tells_where_the_schools_differ_as_compare_does(labour_c):
    found = curves(labour_c, ropes=[0, 0.05])
    for rope, at in ((0, 0), (0.01, 1), (0.05, 2)):
        again = bc.compare(bc.load_labour(), rope=rope).table(full=True)
        assert [points[at].kind for points in found.points] == again["agreement_kind"].tolist()
        assert found.ropes[at] == bc.Rope.of(rope)


def test_grid_of_a_comparison_without_rope_and_with_an_asymmetric_one():
    labour = bc.load_labour()
    found = curves(bc.compare(labour, rope=0))
    assert found.at == 0
    assert len(found.ropes) > 10
    found = curves(bc.compare(labour, rope=(-0.01, 0.02), control="DT"))
    assert found.ropes[found.at] == bc.Rope(-0.01, 0.02)
    assert curves(bc.compare(labour, rope=0.01), ropes=()) is None


def test_no_slider_no_ranking_is_said(tmp_path):
    c = bc.compare(bc.load_labour(), rope=(-0.01, 0.02), control="DT")
    page = Page(c.report(tmp_path / "r.html", ropes=()).read_text(encoding="utf-8"))
    assert json.loads(page.scripts["curves"]) is None
    assert "[-0.01, 0.02]" in page.text


# ---- the whole report


def test_report_has_every_part(domains_c, tmp_path):
    text = domains_c.report(tmp_path / "r.html").read_text(encoding="utf-8")
    page = Page(text)
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    for part in (
        "answer",
        "cards",
        "pairs",
        "tests",
        "appendix",
        "ranking",
        "sensitivity",
        "datasets",
        "methods",
        "diagnostics",
        "reproduce",
    ):
        assert part in ids
    assert text.index('id="answer"') < text.index('id="pairs"') < text.index('id="methods"')
    for sentence in domains_c.sentences():
        assert sentence.split(". ")[0] in page.text
    assert reports.data_hash(domains_c.scores) in page.text
    assert "bc.compare(scores, rope=1.0, bayes='signed_rank_test', frequentist='wilcoxon_test'" in page.text
    assert "random_seed=1" in page.text
    assert "p-values are adjusted" in page.text
    labels = {a["for"] for tag, a in page.tags if tag == "label"}
    assert labels == {"search", "rope"}
    assert [a for tag, a in page.tags if tag == "a" and a.get("class") == "skip"]


@pytest.mark.parametrize(
    "options",
    [
        {"random_seed": None},
        {"control": "A", "adjust": "hochberg"},
        {"against": "best", "frequentist": "nemenyi_test"},
        {"bayes": "sign_test", "bayes_options": {"prior": 2.0}, "random_seed": None},
        {"switching_cost": 0.2, "control": "A", "rope": (-0.5, 1)},
    ],
    ids=lambda options: next(iter(options)),
)
def test_the_call_of_the_report_gives_the_same_comparison(options, tmp_path):
    c = bc.compare(bc.load_domains(), **({"rope": 1, "random_seed": 3} | options))
    text = c.report(tmp_path / "r.md").read_text(encoding="utf-8")
    (call,) = re.findall(r"^    (bc\.compare.*)$", text, re.M)
    assert eval(call, {"bc": bc, "scores": bc.load_domains()}) == c


def test_a_decision_about_outcomes_says_so_on_the_page(domains_c, tmp_path):
    page = Page(domains_c.report(tmp_path / "r.html").read_text(encoding="utf-8"))
    assert domains_c.pairs[0].verdict.decision == "most probable: A better"
    assert "most probable: A better" in page.text


def test_many_pairs_open_with_the_groups(hostile_c, hostile_page):
    page = Page(hostile_page)
    assert one_line(hostile_c.groups().sentence()) in page.text
    assert "is the best of 10 models with probability" in page.text
    assert len(hostile_c.pairs) == 45
    cards = [a for tag, a in page.tags if tag == "article"]
    assert len(cards) == 45
    assert hostile_page.index("<article") < hostile_page.index("37 more pairs in words")
    assert len([1 for tag, a in page.tags if tag == "tr" and "data-i" in a]) == 45


def test_no_rope_and_no_end_of_the_rope_have_a_report(tmp_path):
    for i, rope in enumerate((float("inf"), 0)):
        c = bc.compare(bc.load_labour(), rope=rope)
        assert c.report(tmp_path / f"{i}.html").exists()


def test_ropes_of_each_dataset_and_lopsided_ones_are_said_in_words(tmp_path):
    scores = bc.load_uci().select(models=["rf", "svm", "tree"], datasets=["iris", "wine", "glass", "sonar"])
    more = bc.load_uci().select(models=["rf", "svm", "tree"], datasets=list(bc.load_uci().datasets[:6]))
    own = bc.compare(scores, rope=dict.fromkeys(scores.datasets, 0.02), bayes="sign_test", random_seed=1)
    text = own.report(tmp_path / "own.md").read_text()
    assert "4 datasets are too few for a probability of being the best." in text
    assert "such claims came true in" in text.splitlines()[2]
    assert "times each dataset's rope |" in text
    assert "±1" not in text
    options = {"bayes": "sign_test", "control": "rf", "random_seed": 1}
    lopsided = bc.compare(more, rope=(-0.01, 0.03), **options).report(tmp_path / "side.md")
    assert "within ±0.03 (the wider side of the rope [-0.01, 0.03]) of" in lopsided.read_text()


def test_the_best_is_marked_only_where_there_was_a_contest(tmp_path):
    datasets = ["one", "two", "two", "three", "three"]
    frame = pd.DataFrame({"dataset": datasets, "model": [*"aabab"], "accuracy": [0.7, 0.7, 0.5, 0.8, 0.6]})
    scores = bc.Scores.from_frame(frame)
    with pytest.warns(bc.MissingWarning):
        text = bc.compare(scores, rope=0.01, random_seed=1).report(tmp_path / "r.md").read_text()
    assert text.count("**0") == 2


def test_a_link_is_followed_and_stays_a_link(labour_c, domains_c, tmp_path):
    (tmp_path / "far").mkdir()
    link = tmp_path / "link.md"
    link.symlink_to(tmp_path / "far" / "report.md")
    labour_c.report(link)
    assert link.is_symlink()
    assert "Model comparison" in (tmp_path / "far" / "report.md").read_text()
    labour_c.report(link)
    assert link.is_symlink(), "an earlier report of the same scores is replaced"
    with pytest.raises(ValueError, match="exists already"):
        domains_c.report(link)


def test_citations_are_those_of_the_tests_not_of_the_names():
    scores = bc.load_labour().rename({"SVM": "(Wilcoxon, 1945)", "DT": "Rubin, 1981"})
    c = bc.compare(scores, rope=0.01, control="(Wilcoxon, 1945)")
    assert "(Wilcoxon, 1945) with each other model (2 pairs)" in c.methods_text()
    assert "wilcoxon1945" not in c.bibtex()


def test_equal_models_are_told_as_equal():
    scores = bc.Scores.from_arrays(
        {"a": [0.8, 0.7, 0.9], "b": [0.8, 0.7, 0.9], "c": [0.1, 0.2, 0.3]}, higher_is_better=True, datasets=3
    )
    c = bc.compare(scores, rope=0, bayes="sign_test")
    assert "a and b are equally likely to be the one that is more often better: 50.0 % each" in c.sentences()[0]


def test_brackets_and_stars_do_not_follow_a_line_break_in_latex():
    scores = bc.Scores.from_arrays(
        {"[x]": [0.8, 0.7, 0.9], "*y": [0.7, 0.6, 0.85], "]z[": [0.6, 0.5, 0.9]}, higher_is_better=True, datasets=3
    )
    text = bc.compare(scores, rope=0.01, bayes="sign_test").to_latex()
    assert "{[}x{]}" in text
    assert not re.search(r"\\\\\s*[\[*]", text)


def test_data_hash_follows_the_data():
    labour = bc.load_labour()
    assert reports.data_hash(labour) == reports.data_hash(bc.Scores.from_dict(labour.to_dict()))
    assert reports.data_hash(labour) != reports.data_hash(labour.select(models=["DT", "LR"]))


def test_models_named_like_columns(tmp_path):
    rng = np.random.default_rng(1)
    scores = bc.Scores.from_arrays(
        {x: rng.normal(size=6) for x in ("n", "rho", "resampling")}, higher_is_better=True, datasets=6
    )
    c = bc.compare(scores, rope=0.1, bayes="sign_test")
    assert "resampling" in c.report(tmp_path / "r.md").read_text(encoding="utf-8")


def test_a_missing_dataset_is_said(tmp_path):
    values = np.array([[0.8, 0.9, 0.7, 0.8], [0.7, 0.8, 0.6, 0.9], [0.6, 0.7, 0.9, np.nan]])
    scores = bc.Scores.from_arrays(
        {f"m{i}": row[:3] for i, row in enumerate(values)}, higher_is_better=True, datasets=3
    )
    frame = scores.to_frame()
    frame = frame[(frame["model"] != "m2") | (frame["dataset"] != scores.datasets[0])]
    with pytest.warns(bc.MissingWarning):
        c = bc.compare(
            bc.Scores.from_frame(frame, model="model", dataset="dataset", score="score", higher_is_better=True),
            rope=0,
            bayes="sign_test",
        )
    text = Page(c.report(tmp_path / "r.html").read_text(encoding="utf-8")).text
    assert "did not run on every dataset" in text
    assert "not run" in text


def test_hierarchical_report(tmp_path):
    uci = bc.load_uci()
    c = bc.compare(uci.select(models=["rf", "gbm"], datasets=list(uci.datasets[:6])), rope=0.01)
    text = c.report(tmp_path / "r.html").read_text(encoding="utf-8")
    assert "hierarchical correlated t-test (Corani et al., 2017)" in text
    assert "To the prior" in text
    assert c.sentences()[0].startswith("On the next dataset")


# ---- files


def test_an_existing_file_is_kept_unless_asked(labour_c, tmp_path):
    for name, write in (("r.html", labour_c.report), ("r.md", labour_c.report), ("t.csv", labour_c.to_csv)):
        path = tmp_path / name
        path.write_text("mine")
        with pytest.raises(ValueError, match=r"exists already\. Use overwrite=True"):
            write(path)
        assert path.read_text() == "mine"
        assert write(path, overwrite=True) == path
        assert path.read_text(encoding="utf-8") != "mine"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r.html", "r.md", "t.csv"]


def test_a_failed_write_leaves_the_old_file_and_no_draft(labour_c, tmp_path, monkeypatch):
    path = tmp_path / "r.md"
    path.write_text("old")

    def fail(self, target):
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        labour_c.report(path, overwrite=True)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["r.md"]


def test_wrong_paths_are_refused(labour_c, tmp_path):
    with pytest.raises(ValueError, match=r"must end in .html, .md or .tex"):
        labour_c.report(tmp_path / "r.docx")
    with pytest.raises(ValueError, match="folder that exists"):
        labour_c.report(tmp_path / "nowhere" / "r.md")
    (tmp_path / "d.md").mkdir()
    with pytest.raises(ValueError, match="is a folder"):
        labour_c.report(tmp_path / "d.md")


def test_the_same_comparison_gives_the_same_file(domains_c, tmp_path):
    one, two = (domains_c.report(tmp_path / name, ropes=[0, 2]).read_bytes() for name in ("1.html", "2.html"))
    assert one == two


# ---- one page says one thing


@pytest.mark.parametrize("name", ["labour_c", "domains_c", "hostile_c"])
def test_cards_table_and_comparison_have_the_same_decisions(name, request):
    c = request.getfixturevalue(name)
    found = content(c)
    assert sorted(card.i for card in found.cards) == list(range(len(c.pairs)))
    for card in found.cards:
        assert card.row.point.words == c.pairs[card.i].verdict.decision
        assert card.says == c.pairs[card.i].three_sentences
    undecided = sum(pair.verdict.decision == "undecided" for pair in c.pairs)
    assert found.counts["undecided"] == undecided
    assert sum(found.counts.values()) == len(c.pairs)
    if found.curves is not None:
        assert found.curves.headlines[found.curves.at] == found.answer


def test_cards_come_by_interest(domains_c):
    """A and C may both be the best: their pair is first; it is undecided, and the two others are not."""
    first = content(domains_c).cards[0]
    assert (first.row.pair.a, first.row.pair.b) == ("A", "C")
    assert first.row.point.words == "undecided"


@pytest.mark.parametrize("name", ["labour_c", "domains_c"])
def test_a_column_has_one_number_format(name, request):
    c = request.getfixturevalue(name)
    found = content(c)
    columns = [[row.difference for row in found.pairs], [p for row in found.pairs for p in row.point.probabilities]]
    columns += [[row.estimate for row in found.tests], [row.detectable for row in found.tests]]
    for column in columns:
        assert len({len(text.partition(".")[2]) for text in column}) == 1, column


def test_every_pair_has_an_address_of_its_own():
    pairs = [
        ("rf", "svm"),
        ("RF", "SVM"),
        ("a-vs-b", "c"),
        ("a", "b-vs-c"),
        ("مرحبا", "😀"),
        ("😀", "مرحبا"),
        ("x" * 99, "y"),
    ]
    found = addresses(pairs)
    assert found[0] == "rf-vs-svm"
    assert len(set(found)) == len(pairs)
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in found)


def test_more_pairs_than_a_page_can_list_are_counted_and_the_rest_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr("bayescmp.reports.content.MOST_ROWS", 20)
    monkeypatch.setattr("bayescmp.reports.content.MOST_MODELS", 5)
    monkeypatch.setattr("bayescmp.reports.overview.MOST_MODELS", 5)
    rng = np.random.default_rng(1)
    scores = {f"m{i}": 0.8 + i / 100 + 0.02 * rng.normal(size=9) for i in range(9)}
    c = bc.compare(bc.Scores.from_arrays(scores, metric="accuracy", datasets=9), rope=0.01, bayes="sign_test")
    page = Page(c.report(tmp_path / "r.html").read_text(encoding="utf-8"))
    assert len([1 for tag, a in page.tags if tag == "tr" and "data-i" in a]) == 20
    assert "20 of 36 pairs" in page.text
    assert 'c.to_csv("pairs.csv") has all' in page.text
    assert "The first 5 of 9 models by expected rank." in page.text
    decided = sum(pair.decided for pair in c.pairs)
    assert f"{decided} decided for one model" in page.text
    assert "m8" in page.text


def test_progress_of_a_report_is_shown_where_asked(labour_c, tmp_path, capsys):
    labour_c.report(tmp_path / "r.md", progress=True)
    assert "report, parts" in capsys.readouterr().err
    labour_c.report(tmp_path / "r.md", progress=False)
    assert capsys.readouterr().err == ""


# ---- tables of papers


def test_results_table_has_means_deviations_and_who_is_not_worse():
    """The oracle is numpy for the means, and the correlated t-test called by hand on every dataset."""
    uci = bc.load_uci()
    scores = uci.select(models=["rf", "svm", "nb"], datasets=list(uci.datasets[:4]))
    c = bc.compare(scores, rope=0.03, bayes="sign_test")
    table = reports.results_table(c).set_index(["dataset", "model"])
    for d, dataset in enumerate(scores.datasets):
        values = dict(zip(scores.models, scores.values[:, d], strict=True))
        best = max(values, key=lambda name: np.mean(values[name]))
        for model, x in values.items():
            row = table.loc[dataset, model]
            assert (row["mean"], row["sd"]) == pytest.approx((np.mean(x), np.std(x, ddof=1)))
            assert row["best"] == (model == best)
            p = 1.0
            if model != best:
                p = 1 - bc.bayes.correlated_ttest(scores.pair(model, best), rope=0.03, dataset=dataset).p_worse
            assert row["p_not_worse"] == pytest.approx(p)
            assert row["not_worse"] == (p >= 0.95)
    assert 4 < table["not_worse"].sum() < 12
    text = c.to_markdown(table="results")
    assert text.count("**") == 8
    assert text.count(" ± 0.") == 12
    assert text.count(" † |") == table["not_worse"].sum() - 4
    assert c.to_latex(table="results").count(r"\textbf{") == 4


def test_results_of_one_score_per_dataset_have_no_deviation(domains_c):
    table = reports.results_table(domains_c)
    assert table["sd"].isna().all()
    assert table["p_not_worse"].isna().all()
    assert "±" not in domains_c.to_markdown(table="results")


@pytest.mark.parametrize("form", ["html", "md", "tex"])
def test_every_format_has_effect_interval_and_detectable_difference(labour_c, form, tmp_path):
    """The numbers of SVM and DT, from the tests called by hand."""
    text = labour_c.report(tmp_path / f"r.{form}").read_text(encoding="utf-8")
    text = Page(text).text if form == "html" else re.sub(r"[\\{}$]", "", text)
    pair = bc.load_labour().pair("DT", "SVM")
    low, high = bc.frequentist.corrected_ttest(pair).confidence_interval()
    d = bc.frequentist.cohens_dz(pair).interval
    assert f"[{low:.3f}, {high:.3f}]" in text
    assert "[-1.36, .07]" in text
    assert d is not None
    assert f"{bc.frequentist.detectable_difference(pair):.3f}" in text
    assert "1 - (1 - 0.05)^3 = 0.143" in text.replace("textasciicircum", "^")


def test_a_table_must_be_one_of_three(labour_c):
    with pytest.raises(ValueError, match='"pairs", "tests" or "results", got \'result\''):
        labour_c.to_latex(table="result")


# ---- figures


def test_figures_take_the_colours_of_the_page():
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path style="fill: #1a1a1a; stroke: #0072B2"/>'
        '<rect style="fill: #ffffff"/><text>A</text><path fill="#123456"/></svg>'
    )
    safe = inline_svg(svg, "f1")
    for part in ('fill="currentColor"', 'stroke="var(--a)"', 'fill="var(--paper)"', 'fill="#123456"'):
        assert part in safe
    assert '<text fill="currentColor">A' in safe


def test_svg_is_made_safe_for_the_page():
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9pt" height="9pt" '
        'viewBox="0 0 9 9"><metadata>http://x</metadata><style>*{}</style><script>alert(1)</script><defs><path id="p" '
        'd="M0 0"/></defs><g id="g" style="fill: #fff; stroke: none" onclick="x()" clip-path="url(#c)">'
        '<use xlink:href="#p"/><use xlink:href="http://evil"/>'
        "<text style=\"font: 10px 'DejaVu Sans'; text-anchor: middle\">A &lt; B</text></g></svg>"
    )
    safe = inline_svg(svg, "f1")
    assert not re.search(r"style|script|metadata|onclick|evil|width", safe)
    for part in ('id="f1-p"', 'href="#f1-p"', "url(#f1-c)", 'fill="#fff"', 'font-size="10px"', "A &lt; B"):
        assert part in safe
