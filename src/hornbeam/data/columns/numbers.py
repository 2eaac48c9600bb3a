"""Numbers as people write them: with currency signs, thousands separators, percent signs, units and parentheses.

How the numbers of a column are written is decided by all of its cells, so that codes such as phone numbers, versions or
addresses stay texts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.errors import DataError, shorten
from hornbeam.data.text.sniff import NUMBER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import AnyArray, Floats

SHARE = 0.95  # of the known cells must be numbers
LEAST_CELLS = 20  # with this many known cells, some may be something else
_SAMPLE = 200
_MOST_GROUPS = 2  # with this many separators, groups of equal length are a code

_SPACES = " \u00a0\u2009\u202f"
_QUOTES = "'\u2019"
_MINUS = "\u2212-"  # the hyphen last, as in a class of characters
_DASHES = "\u2013\u2014-"  # behind a currency, zero as spreadsheets write it: $ -
_CURRENCY = (
    r"(?:[A-Z]{1,3})?[$\u20ac\u00a3\u00a5\u20b9\u20a9\u20bd\u20ba\u20aa\u20ab\u20b4\u20a6\u00a2]|R\$"
    r"|USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RUB|INR|CNY|RMB|KRW|BRL|ZAR|MXN|TRY|ILS|SGD|HKD|THB"
    r"|Rs\.?|kr\.?|Kr\.?|z\u0142|K\u010d|Ft|Fr\."
)
_UNIT = (
    r"[%\u2030]|(?:[A-Za-z\u00b5\u03bc\u00b0\u03a9\u2033\u2032\"']"
    r"[A-Za-z0-9\u00b5\u03bc\u00b0\u03a9\u00b2\u00b3/.\u00b7^]{0,11}(?: [A-Za-z][A-Za-z./]{0,9})?)"
)
_DIGIT = re.compile("[0-9]")
_CELL = re.compile(
    rf"[{_SPACES}]*(?P<open>\()?(?P<sign>[+{_MINUS}])?[{_SPACES}]*(?P<before>{_CURRENCY})?[{_SPACES}]*"
    rf"(?P<inner>[({_MINUS}])?[{_SPACES}]*(?P<core>[0-9.,](?:[0-9.,{_QUOTES}{_SPACES}]*[0-9.])?|[{_DASHES}](?=[{_SPACES}]*$))"
    rf"(?P<power>[eE][+-]?[0-9]+)?[{_SPACES}]*(?P<after>{_CURRENCY}|{_UNIT})?(?P<last>[{_MINUS}])?(?P<close>\))?[{_SPACES}]*"
)
_PERCENT = ("%", "\u2030")
_IS_CURRENCY = re.compile(_CURRENCY)
_ZERO_GROUPS = re.compile("0(?:[.,]000)+")
_SEPARATORS = {",": ",", ".": r"\.", " ": f"[{_SPACES}]", "'": f"[{_QUOTES}]"}
_NAMES = {",": "','", ".": "'.'", " ": "spaces", "'": "apostrophes"}


@dataclass(frozen=True, slots=True)
class Notation:
    """How numbers are written."""

    decimal: str = "."  # the decimal point, ``.`` or ``,``
    thousands: str = ""  # what separates thousands: ``,``, ``.``, a space, an apostrophe, or nothing
    unit: str = ""  # what is before or after every number, such as ``$``, ``%`` or ``kg``
    factors: bool = False  # whether letters such as ``K`` and ``M`` are thousands and millions

    def to_json(self) -> dict[str, Any]:
        """Plain data that `from_json` reads back."""
        factors = {"factors": True} if self.factors else {}
        return {"decimal": self.decimal, "thousands": self.thousands, "unit": self.unit} | factors

    @classmethod
    def from_json(cls, plain: Any) -> Notation:  # noqa: ANN401 (from a file)
        """Read what `to_json` wrote."""
        texts = ("decimal", "thousands", "unit")
        if not isinstance(plain, dict) or not all(isinstance(plain.get(key), str) for key in texts):
            msg = f"the notation of numbers is {plain!r}; expected a decimal point, a separator and a unit"
            raise ValueError(msg)
        return cls(plain["decimal"], plain["thousands"], plain["unit"], plain.get("factors") is True)


@dataclass(frozen=True, slots=True)
class Style:
    """How numbers are written, as given by the caller or suggested by other columns."""

    # decimal, thousands: given by the caller
    decimal: str | None = None
    thousands: str | None = None
    likely: str = "."  # the decimal point of other columns, for numbers that can be read either way
    factors: bool = False  # whether letters such as ``K`` are known to be factors

    def __post_init__(self) -> None:
        if self.decimal not in (None, ".", ","):
            msg = f"the decimal point is {self.decimal!r}; expected '.' or ','"
            raise DataError(msg)
        if self.thousands not in (None, "", *_SEPARATORS):
            msg = f"the thousands separator is {self.thousands!r}; expected ',', '.', a space or an apostrophe"
            raise DataError(msg)
        if self.decimal is not None and self.decimal == self.thousands:
            msg = f"the decimal point and the thousands separator are both {self.decimal!r}; expected different ones"
            raise DataError(msg)

    @property
    def point(self) -> str | None:
        """The decimal point, where the caller or other columns decide it."""
        implied = {".": ",", ",": "."}.get(self.thousands or "")
        return self.decimal or implied or ("," if self.likely == "," else None)

    def notations(self) -> list[tuple[str, str]]:
        """Return the decimal points and separators to try, likely ones first."""
        first = self.decimal or self.likely
        pairs = [(d, t) for d in (first, "," if first == "." else ".") for t in (",", ".", " ", "'") if d != t]
        if self.decimal is not None:
            pairs = [pair for pair in pairs if pair[0] == self.decimal]
        if self.thousands is not None:
            pairs = [(d, self.thousands) for d in dict.fromkeys(d for d, _ in pairs) if d != self.thousands]
        return pairs


PLAIN = Style()


@dataclass(frozen=True)
class Reading:
    """Texts read as numbers."""

    values: Floats  # the number of each text; NaN if it is not one
    notation: Notation  # how they are written
    decorated: bool  # whether anything but plain numbers was found
    negative: bool = field(default=False)  # whether parentheses mean negative numbers
    formulas: bool = field(default=False)  # whether Excel wrote some as ="57.03"

    @property
    def has_unit(self) -> bool:
        """Whether the numbers have a unit that is neither a currency nor percent."""
        unit = self.notation.unit
        return bool(unit) and unit not in _PERCENT and _IS_CURRENCY.fullmatch(unit) is None

    @property
    def removed(self) -> str:
        """What was removed from the texts, in words."""
        parts = [shorten(self.notation.unit)] if self.notation.unit else []
        if self.notation.thousands:
            parts.append(f"{_NAMES[self.notation.thousands]} between thousands")
        words = f"without {' and '.join(parts)}" if parts else ""
        more = [words] if words else []
        if self.notation.decimal == ",":
            more.append("with ',' as the decimal point")
        if self.negative:
            more.append("with parentheses as a minus sign")
        if self.notation.factors:
            more.append("with letters as factors (K is thousand, M million, B or bn billion)")
        if self.formulas:
            more.append('with ="..." as what it contains')
        if self.notation.unit in _PERCENT:
            more.append(f"so that 50{self.notation.unit} is 50")
        return ", ".join(more)


def read_numbers(texts: Sequence[str], weights: AnyArray, style: Style = PLAIN) -> Reading | None:
    """Read texts as numbers, all written in one way.

    Parameters
    ----------
    texts : sequence of str
        The distinct texts of a column.
    weights : array
        The rows of each.
    style : Style
        What is known about how numbers are written.

    Returns
    -------
    Reading or None
        None if the texts are not numbers, or are codes that only look like numbers.

    Examples
    --------
    >>> read_numbers(["$1,234", "$99"], np.ones(2)).values
    array([1234.,   99.])
    >>> read_numbers(["1.234,5", "0,25"], np.ones(2)).notation
    Notation(decimal=',', thousands='.', unit='', factors=False)
    >>> read_numbers(["41.3K", "5.2M", "950"], np.ones(3)).values
    array([4.13e+04, 5.20e+06, 9.50e+02])
    >>> read_numbers(["192.168.0.1", "10.0.0.7"], np.ones(2)) is None
    True
    """
    if not any(_DIGIT.search(text) for text in texts):
        return None
    from hornbeam.data.columns.magnitudes import without_factors, without_formulas  # noqa: PLC0415 (not for words)

    inside = without_formulas(texts)
    shown = texts if inside is None else inside
    shorter = without_factors(shown, sure=style.factors)
    found = None if shorter is None else _read(shorter[0], weights, style)
    if shorter is None or found is None:
        found = _read(shown, weights, style)
    else:
        values = np.array([_times(float(value), ten) for value, ten in zip(found.values, shorter[1], strict=True)])
        found = replace(found, values=values, notation=replace(found.notation, factors=True), decorated=True)
    return found if inside is None or found is None else replace(found, decorated=True, formulas=True)


def _times(value: float, ten: int) -> float:
    """A number times a power of ten, rounded once: 41.3 thousand is 41300."""
    text = repr(value)
    return float(f"{text}e{ten}") if text[-1].isdigit() and "e" not in text else value * 10.0**ten


def _read(texts: Sequence[str], weights: AnyArray, style: Style) -> Reading | None:
    """The same for texts without factors and formulas."""
    sample = [_CELL.fullmatch(text) for text in texts[:_SAMPLE]]
    if sum(one is not None for one in sample) < len(sample) / 2:
        return None
    cells = [*sample, *(_CELL.fullmatch(text) for text in texts[_SAMPLE:])]
    unit = _unit(cells, weights)
    if unit is None:
        return None
    cores = [_core(cell) if cell is not None and _fits(cell, unit) else None for cell in cells]
    if _IS_CURRENCY.fullmatch(unit):  # $0,000 is zero, and shows no decimal comma
        cores = ["0" if core is not None and _ZERO_GROUPS.fullmatch(core) else core for core in cores]
    best: tuple[float, str, str] | None = None
    for decimal, thousands in style.notations():
        pattern = _pattern(decimal, thousands)
        fitting = sum(
            float(weight)
            for core, weight in zip(cores, weights, strict=True)
            if core is not None and pattern.fullmatch(core)
        )
        if best is None or fitting > best[0]:
            best = fitting, decimal, thousands
    if best is None or not best[0]:
        return None
    _, decimal, thousands = best
    pattern = _pattern(decimal, thousands)
    kept = [core if core is not None and pattern.fullmatch(core) else None for core in cores]
    if not unit and _are_codes(kept, thousands):
        return None
    grouped = bool(thousands) and any(core and re.search(rf"[0-9]{_SEPARATORS[thousands]}[0-9]", core) for core in kept)
    comma = decimal == "," and any(core and "," in core for core in kept)
    values = np.array(
        [
            np.nan if core is None or cell is None else _value(cell, core, decimal)
            for cell, core in zip(cells, kept, strict=True)
        ],
        np.float64,
    )
    negative = any(
        cell is not None and core is not None and cell["close"] for cell, core in zip(cells, kept, strict=True)
    )
    plain = all(core is None or NUMBER.fullmatch(text) for text, core in zip(texts, kept, strict=True))
    notation = Notation("," if comma else ".", thousands if grouped else "", unit)
    return Reading(values, notation, not plain, negative)


def _unit(cells: Sequence[re.Match[str] | None], weights: AnyArray) -> str | None:
    """Return the one currency or unit of a column; None if there are several, or too many cells without it."""
    counts: dict[str, float] = {}
    for cell, weight in zip(cells, weights, strict=True):
        if cell is not None and ((found := _unit_of(cell)) or not _is_zero(cell)):
            counts[found] = counts.get(found, 0.0) + float(weight)
    bare = counts.pop("", 0.0)
    if not counts:
        return ""
    unit = max(counts, key=lambda one: counts[one])
    others = sum(counts.values()) - counts[unit]
    if _IS_CURRENCY.fullmatch(unit):
        return unit if not others else None
    if others + bare > (1 - SHARE) * (counts[unit] + others + bare):
        return "" if bare * (1 - SHARE) >= counts[unit] + others else None
    return unit


def _unit_of(cell: re.Match[str]) -> str:
    before, after = cell["before"] or "", cell["after"] or ""
    return before if before and not after else after if after and not before else before + after


def _is_zero(cell: re.Match[str]) -> bool:
    return not cell["core"].strip(f"0.,{_DASHES}")


def _fits(cell: re.Match[str], unit: str) -> bool:
    """Whether a cell is a number with the unit of its column, and at most one minus sign."""
    if (cell["close"] is not None) != (cell["open"] is not None or cell["inner"] == "("):
        return False
    minus = [cell["open"], cell["sign"], cell["inner"], cell["last"]]
    if sum(one is not None for one in minus) > 1:
        return False
    found = _unit_of(cell)
    return found == unit or (not found and (_is_zero(cell) or _IS_CURRENCY.fullmatch(unit) is not None))


def _core(cell: re.Match[str]) -> str | None:
    """Return the digits of a cell; a dash behind a currency is zero."""
    core = cell["core"].rstrip(_SPACES)
    if core not in _DASHES:
        return core
    return "0" if cell["before"] and not cell["inner"] else None


def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    point, whole = re.escape(decimal), "(?:0|[1-9][0-9]*)"
    if thousands:
        gap = _SEPARATORS[thousands]
        whole = rf"(?:[1-9][0-9]{{0,2}}(?:{gap}[0-9]{{3}})+|{whole})"
        if thousands == ",":  # as in 12,34,567
            whole = rf"(?:[1-9][0-9]?(?:,[0-9]{{2}})+,[0-9]{{3}}|{whole})"
    return re.compile(rf"{whole}(?:{point}[0-9]*)?|{point}[0-9]+")


def _are_codes(cores: Sequence[str | None], thousands: str) -> bool:
    """Whether numbers are codes in groups of digits, such as phone numbers: all with the same groups, more than two."""
    if thousands not in (" ", ".", "'"):
        return False
    lengths = {(len(core), len(re.findall(_SEPARATORS[thousands], core))) for core in cores if core}
    return len(lengths) == 1 and min(lengths)[1] >= _MOST_GROUPS


def _value(cell: re.Match[str], core: str, decimal: str) -> float:
    digits = re.sub(rf"[^0-9{decimal}]", "", core).replace(",", ".")
    number = float(digits + (cell["power"] or ""))
    minus = cell["open"] or cell["last"] or cell["inner"] or (cell["sign"] if cell["sign"] != "+" else None)
    return -number if minus else number
