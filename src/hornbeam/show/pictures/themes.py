"""Pictures in light, in dark, or in both at once.

A picture that suits both has the light colors as plain attributes, which every program draws, and a style of its own
that gives each of them its dark partner where the reader's page is dark. The partners are found by drawing the picture
twice, so what is seen in the dark is the dark picture, color by color. The style speaks only of elements inside this
picture: its root has a class named after the colors. Programs that know no styles pass over it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from zlib import crc32

from hornbeam.show.pictures.palette import DARK, LIGHT

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.show.pictures.palette import Theme

THEMES = {"light": LIGHT, "dark": DARK}
CHOICES = ("auto", *THEMES)
COLOR = re.compile(r'\b(fill|stroke)="(#[0-9A-Fa-f]{6})"')
HEAD = re.compile(r"<svg [^>]*>")


def in_theme(draw: Callable[[Theme], str], name: str) -> str:
    """Draw a picture in the theme asked for.

    Parameters
    ----------
    draw : callable
        Draws the picture in the colors it is given: the same shapes and words whichever they are.
    name : {"auto", "light", "dark"}
        ``"auto"``: as the page is in which the picture stands (in HTML, by the property ``color-scheme``), or as the
        reader's system is where it stands alone; light in programs that do not tell.

    Returns
    -------
    str
        The picture, as a whole SVG document.

    Examples
    --------
    >>> from hornbeam.show.pictures.svg_parts import document
    >>> picture = in_theme(lambda theme: document(9, 9, "empty", [], theme), "auto")
    >>> "light-dark(#ffffff,#161B22)" in picture
    True
    """
    if name not in CHOICES:
        msg = f"theme is {name!r}; expected {', '.join(map(repr, CHOICES[:-1]))} or {CHOICES[-1]!r}"
        raise ValueError(msg)
    return draw(THEMES[name]) if name in THEMES else _both(draw(LIGHT), draw(DARK))


def _both(light: str, dark: str) -> str:
    """Join the two drawings of a picture."""
    assert COLOR.sub(r"\1", light) == COLOR.sub(r"\1", dark), "a picture differs by more than its colors"
    coming = iter(COLOR.findall(dark))
    partners: dict[tuple[str, str], str] = {}

    def keep(found: re.Match[str]) -> str:
        attribute, color = found.groups()
        partner = next(coming)[1]
        # A light color that stands for two dark ones is told apart by a shade that no eye sees.
        while partners.setdefault((attribute, color), partner) != partner:
            color = f"#{int(color[1:], 16) - 1 & 0xFFFFFF:06X}"
        return f'{attribute}="{color}"'

    drawn = COLOR.sub(keep, light)
    rules = [
        f'[{attribute}="{color}"]{{{attribute}:light-dark({color},{partner})}}'
        for (attribute, color), partner in partners.items()
        if color != partner
    ]
    name = f"hornbeam-{crc32(''.join(rules).encode()):08x}"
    inside = "".join(f":is(.{name},.{name} *){rule}" for rule in rules)
    # What does not know the colors' function passes over the whole block, and draws the attributes.
    style = f"<style>@supports (color:light-dark(#000,#fff)){{.{name}:root{{color-scheme:light dark}}{inside}}}</style>"
    head = HEAD.match(drawn)
    assert head is not None
    return f'{head[0][:-1]} class="{name}">{drawn[head.end() :].removesuffix("</svg>")}{style}\n</svg>'
