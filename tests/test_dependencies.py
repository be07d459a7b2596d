"""What docs/dependencies.md says of the packages that bayescmp needs."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAGE = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")


def name_of(requirement):
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()


def reached():
    """Every installed package that the dependencies lead to, without extras."""
    found, todo = {}, list(PROJECT["dependencies"])
    while todo:
        requirement = todo.pop()
        if (name := name_of(requirement)) in found or "extra ==" in requirement.replace("'", '"'):
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # for another Python or system
            continue
        todo += found[name].requires or []
    return found


def licence(distribution):
    about = distribution.metadata
    words = [about.get("License-Expression") or "", (about.get("License") or "").split("\n")[0]]
    words += [c for c in about.get_all("Classifier") or [] if c.startswith("License")]
    if not any(words):  # only the file itself
        files = [f for f in distribution.files or [] if "license" in f.name.lower() and ".dist-info" in str(f)]
        words = [f.locate().read_text(encoding="utf-8")[:2000] for f in files]
    return " ".join(words)


def test_the_page_lists_every_dependency_and_its_lowest_version():
    rows = re.findall(r"^\| ([\w-]+) \| ([\d.]+) \| .* \| .* \|$", PAGE, re.M)
    assert [f"{name}>={version}" for name, version in rows] == PROJECT["dependencies"]


def test_the_page_names_every_optional_package_and_its_licence():
    (line,) = re.findall(r"^Optional: (.*)$", PAGE, re.M)
    optional = {name_of(requirement) for extra in PROJECT["optional-dependencies"].values() for requirement in extra}
    assert {name.lower() for name in re.findall(r"(\w+) \([\w.-]+\)", line)} == optional


def test_nothing_is_under_another_gpl():
    """The licences as the installed packages declare them; `cons` comes with PyMC 5."""
    found = {name: licence(distribution) for name, distribution in reached().items()}
    assert len(found) > 30
    assert {name for name, text in found.items() if not text} == set()
    assert {name for name, text in found.items() if re.search(r"GPL|GNU|General Public", text)} <= {"cons"}
