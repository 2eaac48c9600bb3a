"""Numbers whose letters are factors, such as 41.3K, 5.2M and 1.2bn, and numbers that Excel wrote as formulas.

A letter after every number may be a unit (K also means kelvin) and is left to `numbers`. It is a factor where
the column has several of them, or numbers without one, and where the numbers are amounts and not codes: some have a
decimal point or a currency.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

EXPONENTS = {
    "k": 3, "K": 3, "tsd": 3, "Tsd": 3,
    "M": 6, "MM": 6, "mn": 6, "Mn": 6, "mln": 6, "Mln": 6, "mio": 6, "Mio": 6, "million": 6,
    "B": 9, "bn": 9, "Bn": 9, "mrd": 9, "Mrd": 9, "billion": 9,
    "T": 12, "tn": 12, "trillion": 12,
}  # fmt: skip
# After a number: the factor, what may end a cell after it, and a currency.
_FACTOR = re.compile(
    rf"(?P<number>.*[0-9.])\s?(?P<factor>{'|'.join(sorted(EXPONENTS, key=len, reverse=True))})\.?"
    r"(?P<rest>\s?(?:[$\u20ac\u00a3\u00a5]|USD|EUR|GBP|CHF)?\)?\s*)"
)
_AMOUNT = re.compile(r"[0-9][.,][0-9]|[$\u20ac\u00a3\u00a5]|USD|EUR|GBP|CHF")
_BARE = re.compile(r"[^A-Za-z]*[1-9][^A-Za-z]*")  # a number without any letter, other than zero
_FORMULA = re.compile(r'="(?P<text>[^"]*)"')


def without_formulas(texts: Sequence[str]) -> Sequence[str] | None:
    """Return what Excel shows for cells such as ``="57.03"``; None if there are none.

    Examples
    --------
    >>> without_formulas(['="57.03"', "8"])
    ['57.03', '8']
    """
    if not any(text.startswith('="') for text in texts):
        return None
    found = [_FORMULA.fullmatch(text.strip()) for text in texts]
    if not any(found):
        return None
    return [text if cell is None else cell["text"] for text, cell in zip(texts, found, strict=True)]


def without_factors(texts: Sequence[str], *, sure: bool = False) -> tuple[list[str], list[int]] | None:
    """Take letters that are factors from numbers; None if they are not, or may be a unit.

    Parameters
    ----------
    texts : sequence of str
        The distinct texts of a column.
    sure : bool
        Whether the letters are known to be factors.

    Returns
    -------
    tuple or None
        The texts without letters, and the power of ten of each.

    Examples
    --------
    >>> without_factors(["41.3K", "5.2M", "950"])
    (['41.3', '5.2', '950'], [3, 6, 0])
    >>> without_factors(["293.1 K", "301.5 K"]) is None
    True
    """
    found = [_FACTOR.fullmatch(text) for text in texts]
    cells = [cell for cell in found if cell is not None]
    if not cells:
        return None
    if not sure:
        kinds = {EXPONENTS[cell["factor"]] for cell in cells}
        bare = any(cell is None and _BARE.fullmatch(text) for text, cell in zip(texts, found, strict=True))
        if len(kinds) == 1 and not bare:
            return None
        if not any(_AMOUNT.search(cell.string) for cell in cells):
            return None
    pairs = zip(texts, found, strict=True)
    shorter = [text if cell is None else cell["number"] + cell["rest"].rstrip() for text, cell in pairs]
    return shorter, [0 if cell is None else EXPONENTS[cell["factor"]] for cell in found]
