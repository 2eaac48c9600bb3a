"""The metadata of a report: its title, author, date and notes, and the source of the data."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from hornbeam.evaluate.plain import Plain

if TYPE_CHECKING:
    from collections.abc import Sequence

WRITTEN = ("title", "author", "date", "notes", "intended_use")  # fields written by people


@dataclass(frozen=True, slots=True)
class About(Plain):
    """Facts that only the user can give.

    Parameters
    ----------
    title : str, optional
        The heading; by default the names of the table and the target.
    author, date : str, optional
        Who made the report, and when. There is no date by default: the same data give the same bytes.
    notes : str, optional
        Text for the reader, at the top. An empty line starts a new paragraph.
    intended_use : str, optional
        What the model is for, for the model card.
    source : str, optional
        Where the table was read from, for the commands in the report; only the file's name of a path is shown.
    reading : sequence of str
        More arguments of these commands: the options that the table was read with, and those of the scheme.
    """

    _json = " ".join(WRITTEN)

    title: str | None = None
    author: str | None = None
    date: str | None = None
    notes: str | None = None
    intended_use: str | None = None
    source: str | None = None
    reading: Sequence[str] = ()

    def options(self) -> list[str]:
        """The equivalent options of the command line."""
        given = [(one.name, getattr(self, one.name)) for one in fields(self) if one.name in WRITTEN]
        return [word for name, text in given if text for word in (f"--{name.replace('_', '-')}", text)]
