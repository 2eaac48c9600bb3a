"""What holds of every picture: whole XML, text for who does not see it, names harmless, the same bytes every time."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from show.gallery import HOSTILE, pictures

SVG = "{http://www.w3.org/2000/svg}"
FRIENDLY, HARMFUL = pictures("a"), pictures(HOSTILE)
EVERY = pytest.mark.parametrize("kind", FRIENDLY)
TAGS = {"svg", "title", "desc", "style", "rect", "path", "text", "g", "polyline", "circle"}


@EVERY
def test_names_are_text(kind: str) -> None:
    picture = HARMFUL[kind]
    root = ET.fromstring(picture)  # noqa: S314 - our own
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= TAGS
    assert not [key for element in root.iter() for key in element.attrib if key.startswith("on") or "href" in key]
    assert "<script" not in picture
    assert not [character for character in picture if character < " " and character != "\n"]
    assert "\u202e" not in picture
    assert "script" in "".join(element.text or "" for element in root.iter())


@EVERY
def test_who_does_not_see_it_is_told(kind: str) -> None:
    root = ET.fromstring(FRIENDLY[kind])  # noqa: S314 - our own
    assert root.get("role") == "img"
    assert root[0].tag == f"{SVG}title"
    assert (root[0].text or "").strip()


@EVERY
def test_pictures_can_stand_on_one_page(kind: str) -> None:
    """No picture has an id, which another could have too."""
    assert not [element for element in ET.fromstring(FRIENDLY[kind]).iter() if "id" in element.attrib]  # noqa: S314


def test_another_process_draws_the_same_bytes() -> None:
    program = Path(__file__).parents[1] / "show" / "gallery.py"
    found = subprocess.run(
        [sys.executable, str(program), "a"],
        env={**os.environ, "PYTHONHASHSEED": "4711", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    )
    theirs = dict(line.rsplit(" ", 1) for line in found.stdout.splitlines())
    assert theirs == {kind: hashlib.sha256(picture.encode()).hexdigest() for kind, picture in FRIENDLY.items()}
    assert pictures("a") == FRIENDLY
