"""ARFF files become a Table: the header says every column's kind, so nothing is guessed.

Categories keep the order of the header, also those that never occur. An unquoted ``?`` is missing; a quoted
``'?'`` is an ordinary value. Rows are read in `arff_rows`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data import dates
from hornbeam.data.errors import DataError, label, option, shorten
from hornbeam.data.files.arff_rows import Rows, read_rows, unescape
from hornbeam.data.schema import Column, Nominal, Numeric, Role, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray

_BLANK = " \t\v\f"
_QUOTED = re.compile(r"""(?:'((?:[^'\\]++|\\.)*+)'|"((?:[^"\\]++|\\.)*+)")""", re.DOTALL)
_WORD = re.compile(r"[^ \t\v\f,{}]+")
_NAME = re.compile(r"[^ \t\v\f]+")
_CATEGORY = re.compile(r"[^ \t\v\f,}]+")
_NUMERIC = {"numeric", "real", "integer"}


@dataclass(frozen=True, slots=True)
class Attribute:
    """One declared column: its kind, and its line in the file."""

    column: Column
    is_string: bool
    line: int


@dataclass(frozen=True, slots=True)
class Header:
    """The header of an ARFF file."""

    relation: str
    attributes: tuple[Attribute, ...]
    data_line: int
    data_start: int


def read_arff(text: str, *, name: str | None = None) -> Table:
    r"""Read the text of an ARFF file.

    Parameters
    ----------
    text : str
        The whole file.
    name : str, optional
        The table's name, instead of the file's relation.

    Returns
    -------
    Table
        Attributes become features, except string attributes, which are ignored; row weights, if any, become a last
        column with the role weight.

    Examples
    --------
    >>> read_arff("@relation r\n@attribute a {x,y}\n@data\ny\n?\n").column("a")
    array([ 1, -1], dtype=int32)
    """
    plain = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    header = read_header(plain)
    columns = [attribute.column for attribute in header.attributes]
    strings = [attribute.is_string for attribute in header.attributes]
    rows = read_rows(plain[header.data_start :], columns, strings, header.data_line + 1)
    return _assemble(header, rows, name)


def read_header(text: str) -> Header:
    """Read the declarations of an ARFF file, up to ``@data``."""
    relation: str | None = None
    attributes: list[Attribute] = []
    lines: dict[str, int] = {}
    start = 0
    for line, content in enumerate(_lines(text), start=1):
        start += len(content) + 1
        stripped = content.strip(_BLANK)
        if not stripped or stripped.startswith("%"):
            continue
        keyword = _NAME.match(stripped)
        word = keyword[0].lower() if keyword else ""
        rest = stripped[len(word) :].strip(_BLANK)
        if word == "@relation":
            relation = _name(rest, line, "relation")[0] if rest else ""
        elif word == "@attribute":
            attribute = _attribute(rest, line)
            known = lines.setdefault(attribute.column.name, line)
            if known != line:
                msg = f"a second attribute of that name (the first is on line {known}); names must differ"
                raise DataError(msg, line=line, column=attribute.column.name)
            attributes.append(attribute)
        elif word == "@data":
            if not attributes:
                raise DataError("@data comes before any @attribute; expected at least one", line=line)
            return Header(relation or "table", tuple(attributes), line, min(start, len(text)))
        else:
            raise DataError(f"found {shorten(stripped)}; expected @relation, @attribute or @data", line=line)
    raise DataError("the file ends before a line with @data")


def _lines(text: str) -> Any:  # noqa: ANN401 (an iterator of str)
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end + 1


def _name(rest: str, line: int, what: str) -> tuple[str, str]:
    """Split a name, quoted or not, from the start of `rest`; return it and what follows it."""
    if rest[:1] in {"'", '"'}:
        quoted = _QUOTED.match(rest)
        if quoted is None:
            raise DataError(f"the quote at the start of {shorten(rest)} is never closed", line=line)
        return unescape(quoted[1] if quoted[1] is not None else quoted[2]), rest[quoted.end() :]
    # Without quotes a brace may follow a name directly: @attribute play{yes,no}
    word = (_WORD if what == "attribute" else _NAME).match(rest)
    if word is None:
        raise DataError(f"found {shorten(rest)}; expected the name of the {what}", line=line)
    return word[0], rest[word.end() :]


def _attribute(rest: str, line: int) -> Attribute:
    if not rest:
        raise DataError("@attribute without a name and a type", line=line)
    name, after = _name(rest, line, "attribute")
    declared = after.strip(_BLANK)
    if declared.startswith("{"):
        return Attribute(Nominal(name, _enumeration(name, declared, line)), is_string=False, line=line)
    word = _WORD.match(declared)
    kind = word[0].lower() if word else ""
    if kind in _NUMERIC:  # a range after it, as in "integer [0,9]", is ignored
        return Attribute(Numeric(name), is_string=False, line=line)
    if kind == "string":
        return Attribute(Nominal(name), is_string=True, line=line)
    if kind == "date":
        pattern = declared[len(kind) :].strip(_BLANK)
        letters = dates.DEFAULT_LETTERS
        if pattern and not pattern.startswith("%"):
            quoted = pattern[0] in "'\""
            letters = _name(pattern, line, "date pattern")[0] if quoted else pattern
        try:
            return Attribute(Numeric(name, dates.from_letters(letters)), is_string=False, line=line)
        except DataError as error:
            raise DataError(str(error), line=line, column=name) from None
    if kind == "relational":
        msg = "its type is relational (a table in each row), which is not supported"
        raise DataError(msg, line=line, column=name)
    found = shorten(declared) if declared else "no type"
    msg = f"found {found}; expected numeric, real, integer, string, date or {{categories}}"
    raise DataError(msg, line=line, column=name)


def _enumeration(name: str, declared: str, line: int) -> tuple[str, ...]:
    """Read the categories between braces, separated by commas or blanks."""
    categories: dict[str, None] = {}
    position = 1
    while True:
        while position < len(declared) and declared[position] in " \t\v\f,":
            position += 1
        if position >= len(declared):
            raise DataError("its categories have no closing '}' on this line", line=line, column=name)
        if declared[position] == "}":
            break
        if declared[position] in "'\"":
            quoted = _QUOTED.match(declared, position)
            if quoted is None:
                shown = shorten(declared[position:])
                raise DataError(f"the quote at the start of {shown} is never closed", line=line, column=name)
            category = unescape(quoted[1] if quoted[1] is not None else quoted[2])
            position = quoted.end()
        else:
            word = _CATEGORY.match(declared, position)
            assert word is not None
            category, position = word[0], word.end()
        if category in categories:
            raise DataError(f"the category {shorten(category)} is declared twice", line=line, column=name)
        categories[category] = None
    after = declared[position + 1 :].strip(_BLANK)
    if after and not after.startswith(("%", "{")):  # {0.5}: an attribute's weight, which is not used
        raise DataError(f"found {shorten(after)} after the categories; expected the end", line=line, column=name)
    return tuple(categories)


def _assemble(header: Header, rows: Rows, name: str | None) -> Table:
    columns: list[Column] = []
    roles: list[Role] = []
    notes: list[str] = []
    arrays: list[AnyArray] = list(rows.arrays)
    for attribute, texts in zip(header.attributes, rows.texts, strict=True):
        column = attribute.column
        if attribute.is_string and isinstance(column, Nominal):
            column = Nominal(column.name, tuple(texts))
            use = option("nominal", column.name)
            notes.append(f"{label(column.name)}: free text ({len(texts)} distinct), ignored; {use} to use it")
        columns.append(column)
        roles.append("ignored" if attribute.is_string else "feature")
    if rows.weights is not None:
        extra, count = "weight", 1
        while any(column.name == extra for column in columns):
            count += 1
            extra = f"weight{count}"
        columns.append(Numeric(extra))
        roles.append("weight")
        arrays.append(np.asarray(rows.weights, np.float64))
        notes.append(f"{extra}: the row weights that the file gives in braces")
    schema = Schema(tuple(columns), tuple(roles), name if name is not None else header.relation)
    return Table(schema, arrays, notes, copy=False, declared=True)
