"""Check the links inside the built site: every page, picture and heading that a link names must exist (`make site`)."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, and the places in it that others can link to."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        """Store the attributes of the tag."""
        for name, value in attrs:
            if name == "id" and value:
                self.places.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def broken(site: Path) -> list[str]:
    """List the broken links, each with its page."""
    pages = {file: Page(file) for file in site.rglob("*.html") if "_static" not in file.parts}
    found = []
    for file, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            goal = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            place = unquote(parts.fragment)
            if not goal.exists() or (goal in pages and place and place not in pages[goal].places):
                found.append(f"{file.relative_to(site)}: {link}")
    return sorted(set(found))


if __name__ == "__main__":
    complaints = broken(Path(sys.argv[1]).resolve())
    sys.exit("\n".join(["broken links:", *complaints]) if complaints else None)
