"""Dates with words: the names of months in six languages, and numbers such as 1st, as `strptime` reads them."""

from __future__ import annotations

import re

from hornbeam.data.columns.date_parts import MONTHS

# German, French, Spanish, Italian, Portuguese and Dutch; English names need no entry.
_NAMES = (
    "januar janvier enero gennaio janeiro januari jänner", "februar février febrero febbraio fevereiro februari feber",
    "märz mars marzo março maart", "april avril abril aprile", "mai mayo maggio maio mei",
    "juni juin junio giugno junho", "juli juillet julio luglio julho", "august août agosto augustus",
    "september septembre septiembre settembre setembro",
    "oktober octobre octubre ottobre outubro", "november novembre noviembre novembro",
    "dezember décembre diciembre dicembre dezembro december",
)  # fmt: skip
_SHORT = (
    "janv ene gen", "févr fév fev", "mär mrz mrt", "avr abr", "mag", "giu", "juil lug", "aoû ago aug", "sept set",
    "okt ott out", "", "dez déc dic",
)  # fmt: skip
_ENGLISH = {
    **{name: MONTHS[month] for month, names in enumerate(_NAMES) for name in names.split()},
    **{name: MONTHS[month][:3] for month, names in enumerate(_SHORT) for name in names.split()},
}
_WORD = re.compile(r"([^\W\d_]{3,})(\.?)")
_ORDINAL = re.compile(r"\b([0-9]{1,2})(?:st|nd|rd|th|er|º|°)(?![^\W_])")
_OF = re.compile(r"\s+de[l]?\s+", re.IGNORECASE)


def in_english(text: str) -> str:
    """Return a date with English names of months and plain numbers.

    Examples
    --------
    >>> in_english("3. März 2022"), in_english("1 de octubre de 2022"), in_english("March 1st, 2022")
    ('3. March 2022', '1 October 2022', 'March 1, 2022')
    """

    def name(found: re.Match[str]) -> str:
        english = _ENGLISH.get(found[1].lower())
        return found[0] if english is None else english

    return _WORD.sub(name, _ORDINAL.sub(r"\1", _OF.sub(" ", text)))
