"""Checks the built site and the Markdown beside it, without a network.

python scripts/check_site.py docs/_build/html: fails on a link or an anchor that leads nowhere, an image without
alternative text, a page without a title or without what to read next, a cross-reference that did not become a link, and
a word that people search for and whose page the search would not find.
"""

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).parents[1]
LEADS_ON = re.compile("read next", re.I)
NO_NEXT = ("genindex", "search", "changelog", "py-modindex")
"""Pages without a next one: indices, and the log that is read from its top."""
SEARCHED = {
    "seeds": "howto/seeds",
    "missing": "howto/missing_runs",
    "units": "howto/units",
    "metrics": "howto/many_metrics",
    "grid": "howto/grid_search",
    "experiment": "design",
    "rope": "choosing_a_rope",
}
"""What a new user types into the search, and the page that answers it."""


class Page(HTMLParser):
    """Links, anchors, images and cross-references of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.bare_images: list[str] = []
        self.dead_references: list[str] = []
        self.headings = 0
        self._inside_links = 0
        self._reference = False
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        at = dict(attributes)
        self.anchors |= {name for name in (at.get("id"), at.get("name") if tag == "a" else None) if name}
        self.headings += tag == "h1"
        if tag == "a":
            self._inside_links += 1
        for link in (at.get("href") if tag in ("a", "link") else None, at.get("src")):
            if link is not None:
                self.links.append(link)
        if tag == "img" and not (at.get("alt") or "").strip():
            self.bare_images.append(at.get("src") or "?")
        if tag == "code" and "xref" in (at.get("class") or "").split() and not self._inside_links:
            self._reference = True

    def handle_endtag(self, tag: str) -> None:
        self._inside_links -= tag == "a"
        self._reference = self._reference and tag != "code"

    def handle_data(self, data: str) -> None:
        if self._reference and data.strip():
            self.dead_references.append(data.strip())


def site_problems(site: Path) -> list[str]:
    """What is wrong with the pages below a folder."""
    pages = {path.resolve(): path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.html"))}
    pages = {path: text for path, text in pages.items() if "_static" not in path.relative_to(site.resolve()).parts}
    parsed = {path: Page(text) for path, text in pages.items()}
    found = [] if pages else [f"{site}: no pages; build them first"]
    for path, page in parsed.items():
        where = path.relative_to(site.resolve())
        for link in page.links:
            if wrong := _dead(path, link, parsed):
                found.append(f"{where}: {link} {wrong}")
        found += [f"{where}: the image {image} has no alternative text" for image in page.bare_images]
        found += [f"{where}: the reference {name} leads nowhere" for name in page.dead_references]
        if not page.headings or not re.search(r"<title>\s*\S", pages[path]):
            found.append(f"{where}: no title")
        if where.parts[0] != "generated" and where.stem not in NO_NEXT and not LEADS_ON.search(pages[path]):
            found.append(f"{where}: does not say what to read next")
    return found


def _dead(path: Path, link: str, pages: dict[Path, Page]) -> str:
    """Why an internal link is dead; nothing for a good or an external one."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return ""
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return "does not exist"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return "is an anchor that its page does not have"
    return ""


def markdown_problems(paths: list[Path]) -> list[str]:
    """Relative links and images of Markdown files that lead nowhere, and images without alternative text."""
    found = []
    for path in paths:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.S)
        for mark, words, link in re.findall(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", text):
            parts = urlsplit(link)
            if mark and not words.strip():
                found.append(f"{path.name}: the image {link} has no alternative text")
            if not parts.scheme and parts.path and not (path.parent / unquote(parts.path)).exists():
                found.append(f"{path.name}: {link} does not exist")
            if not parts.scheme and not parts.path and parts.fragment not in _anchors(text):
                found.append(f"{path.name}: {link} is an anchor that the file does not have")
        for image in re.findall(r"<img\b[^>]*>", text):
            if not re.search(r'\balt="[^"]+"', image):
                found.append(f"{path.name}: {image} has no alternative text")
        for link in re.findall(r'\b(?:src|srcset|href)="([^":]+)"', text):
            if not (path.parent / link).exists():
                found.append(f"{path.name}: {link} does not exist")
    return found


def _anchors(text: str) -> set[str]:
    """The anchors of headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def search_problems(site: Path) -> list[str]:
    """Words whose page the site's search would not put first, because its title does not have them."""
    found = re.search(r"Search\.setIndex\((.*)\)", (site / "searchindex.js").read_text(encoding="utf-8"), re.S)
    index = json.loads(found[1]) if found else {"docnames": [], "titleterms": {}}
    problems = []
    for word, page in SEARCHED.items():
        stems = [x for stem, x in index["titleterms"].items() if len(stem) > 2 and word.startswith(stem)]
        places = {i for x in stems for i in (x if isinstance(x, list) else [x])}
        if page not in {index["docnames"][i] for i in places}:
            problems.append(f"{page}: a search for {word!r} does not find it by its title")
    return problems


def main(arguments: list[str]) -> int:
    site = Path(arguments[0]) if arguments else ROOT / "docs" / "_build" / "html"
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    pages = [path for path in pages if not {"_build", "generated", "jupyter_execute"} & set(path.parts)]
    found = site_problems(site) + markdown_problems(pages)
    if (site / "searchindex.js").exists():
        found += search_problems(site)
    print("\n".join(found) or f"{site}: all links, anchors, images and titles are there.")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
