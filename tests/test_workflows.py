"""The workflows and templates of .github ask for what is here: targets, scripts, Pythons, rights.

`make lint` compares the workflows with their schema.
"""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.yml")}
JOBS = {
    (name, job): body
    for name, workflow in WORKFLOWS.items()
    for job, body in workflow["jobs"].items()
    if "steps" in body
}
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def lines(body):
    return [step["run"] for step in body["steps"] if "run" in step]


def pythons(body):
    """The versions that a job sets up, those of its matrix included."""
    asked = [str(s["with"]["python-version"]) for s in body["steps"] if "setup-python" in s.get("uses", "")]
    matrix = body.get("strategy", {}).get("matrix", {})
    for row in [*matrix.get("include", []), *({"python": version} for version in matrix.get("python", []))]:
        asked.append(str(row["python"]))
    return {version for text in asked for version in re.findall(r"\b3\.\d+\b", text)}


def test_all_four_are_here():
    assert sorted(WORKFLOWS) == ["docs", "release", "tests", "weekly"]
    assert re.findall(r"workflows/(\w+)\.yml", MAKEFILE) == sorted(WORKFLOWS)


@pytest.mark.parametrize(("name", "job"), JOBS)
def test_a_job_runs_what_the_project_has(name, job):
    body = JOBS[name, job]
    commands = "\n".join(lines(body))
    targets = set(re.findall(r"^make ([\w-]+)", commands, re.M))
    assert targets <= set(re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.M)[1].split())
    for script in re.findall(r"scripts/[\w.]+", commands):
        assert (ROOT / script).exists()
    for group in re.findall(r"--group (\w+)", commands):
        assert group in PROJECT["dependency-groups"]
    assert commands or "publish" in str(body["steps"])
    assert 0 < body["timeout-minutes"] <= 120


def test_every_declared_python_runs_the_suite():
    declared = {c.rpartition(" ")[2] for c in PROJECT["project"]["classifiers"] if ":: 3." in c}
    assert pythons(JOBS["tests", "suite"]) == declared
    lowest, newest = min(declared), max(declared, key=lambda version: int(version[2:]))
    assert PROJECT["project"]["requires-python"] == f">={lowest}"
    assert pythons(JOBS["tests", "wheel"]) == pythons(JOBS["weekly", "lowest-and-newest"]) == {lowest, newest}


def test_the_week_has_the_lowest_and_the_newest_versions():
    assert "make validate-versions" in lines(JOBS["weekly", "lowest-and-newest"])
    assert any("--upgrade-strategy eager" in line for line in lines(JOBS["weekly", "newest"]))
    assert "schedule" in WORKFLOWS["weekly"][True]  # YAML 1.1 reads the key `on` as true


def test_only_publishing_has_a_right_beyond_reading():
    """And nobody keeps a token: neither in the clone nor as a secret."""
    for name, workflow in WORKFLOWS.items():
        assert workflow["permissions"] == {"contents": "read"}
        assert "secrets." not in (FOLDER / f"{name}.yml").read_text(encoding="utf-8")
    rights = {key: body["permissions"] for key, body in JOBS.items() if "permissions" in body}
    assert rights == {("release", "publish"): {"id-token": "write"}}
    checkouts = [s for body in JOBS.values() for s in body["steps"] if "checkout" in s.get("uses", "")]
    assert len(checkouts) == len(JOBS) - 1
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_nothing_is_published_that_the_tests_have_not_passed():
    jobs = WORKFLOWS["release"]["jobs"]
    assert jobs["tests"] == {"uses": "./.github/workflows/tests.yml"}
    assert "workflow_call" in WORKFLOWS["tests"][True]
    assert sorted(jobs["publish"]["needs"]) == ["build", "tests"]


def test_other_systems_are_shown_and_fail_nothing():
    body = JOBS["tests", "other-systems"]
    assert body["continue-on-error"] is True
    assert set(body["strategy"]["matrix"]["os"]) == {"macos-latest", "windows-latest"}


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda p: p.stem)
def test_an_issue_form_has_what_it_must(path):
    """The keys that the syntax of issue forms requires; one question at least must be answered."""
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= set(form)
    assert all(part["type"] in ("textarea", "input", "dropdown", "checkboxes", "markdown") for part in form["body"])
    labels = [part["attributes"]["label"] for part in form["body"] if part["type"] != "markdown"]
    assert len(set(labels)) == len(labels) > 0
    assert any(part.get("validations", {}).get("required") for part in form["body"])
