"""Pictures in light, in dark, or in both at once.

A picture for both has the light colors as plain attributes, which every program draws, and a style that replaces each
of them by its dark counterpart if the reader's page is dark. The counterparts are found by drawing the picture twice.
The style applies only to elements inside this picture: its root has a class named after the colors. Programs without
style sheets ignore it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from zlib import crc32

from hornbeam._display import Picture, settings
from hornbeam.show.pictures.palette import DARK, LIGHT

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.show.pictures.palette import Theme

THEMES = {"light": LIGHT, "dark": DARK}
CHOICES = ("auto", *THEMES)
COLOR = re.compile(r'\b(fill|stroke)="(#[0-9A-Fa-f]{6})"')
HEAD = re.compile(r"<svg [^>]*>")


def in_theme(draw: Callable[[Theme], str], name: str) -> Picture:
    """Draw a picture in a theme.

    Parameters
    ----------
    draw : callable
        Draws the picture in the given colors: the same shapes and texts in all themes.
    name : {"auto", "light", "dark"}
        ``"auto"``: as the page around the picture (in HTML, by the property ``color-scheme``), or as the reader's
        system if the picture is shown alone; light in programs that do not support themes.

    Returns
    -------
    Picture
        A complete SVG document, a `str` that notebooks draw.

    Examples
    --------
    >>> from hornbeam.show.pictures.svg_parts import document
    >>> picture = in_theme(lambda theme: document(9, 9, "empty", [], theme), "auto")
    >>> "light-dark(#ffffff,#161B22)" in picture
    True
    """
    if name not in CHOICES:
        raise ValueError(f"theme is {name!r}; expected {', '.join(map(repr, CHOICES[:-1]))} or {CHOICES[-1]!r}")
    name = settings().theme if name == "auto" else name
    return Picture(draw(THEMES[name]) if name in THEMES else _both(draw(LIGHT), draw(DARK)))


def _both(light: str, dark: str) -> str:
    """Join the two drawings of a picture."""
    assert COLOR.sub(r"\1", light) == COLOR.sub(r"\1", dark), "a picture differs by more than its colors"
    coming = iter(COLOR.findall(dark))
    partners: dict[tuple[str, str], str] = {}

    def keep(found: re.Match[str]) -> str:
        attribute, color = found.groups()
        partner = next(coming)[1]
        # A light color with two dark counterparts is made unique by an invisible change of shade.
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
    # Programs that do not know the function light-dark ignore the whole block and draw the attributes.
    style = f"<style>@supports (color:light-dark(#000,#fff)){{.{name}:root{{color-scheme:light dark}}{inside}}}</style>"
    head = HEAD.match(drawn)
    assert head is not None
    return f'{head[0][:-1]} class="{name}">{drawn[head.end() :].removesuffix("</svg>")}{style}\n</svg>'
