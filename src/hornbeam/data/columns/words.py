"""Columns of words, for a column of texts: the most frequent words, each a column that counts it."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Column, Derivation, Nominal, Numeric

if TYPE_CHECKING:
    from collections.abc import Collection

    from hornbeam.core.base.arrays import AnyArray, Floats, Ints32

MOST_WORDS = 50
LEAST_ROWS = 2  # in which a word must occur
_WORD = re.compile(r"(?<!\w)[^\W\d_](?:[^\W_]|['\u2019](?=\w))+")
# Common English words, which are not counted.
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "the and for are was were with that this from have has had but not you your they them their its his "
        "her she our out who all can will would could there here what when which been about into than then "
        "also just one did does is it in of on to at by an as be or if so we he my me do no up us",
    )
)


def words_in(text: str) -> list[str]:
    """Return the words of a text in lower case, without numbers, single letters and very common words.

    Examples
    --------
    >>> words_in("The plot isn't great, but the 2nd half is great!")
    ['plot', "isn't", 'great', 'half', 'great']
    """
    found = (word.lower().replace("\u2019", "'") for word in _WORD.findall(text))
    return [word for word in found if word not in _COMMON]


def word_columns(column: Nominal, codes: Ints32, taken: Collection[str], most: int = MOST_WORDS) -> list[Column]:
    """Return a column for each of the words that occur in most rows.

    Parameters
    ----------
    column : Nominal
        The texts.
    codes : array
        Its codes.
    taken : collection of str
        Names that columns have already.
    most : int
        The largest number of columns.

    Returns
    -------
    list of Column
        Named like ``review: great``, the most frequent words first.
    """
    rows = np.bincount(codes[codes >= 0], minlength=len(column.categories)).tolist()
    counted: Counter[str] = Counter()
    for text, count in zip(column.categories, rows, strict=True):
        for word in set(words_in(text)):
            counted[word] += count
    frequent = sorted((-count, word) for word, count in counted.items() if count >= LEAST_ROWS)
    named = [(f"{column.name}: {word}", word) for _, word in frequent]
    free = [(name, word) for name, word in named if name not in taken][:most]
    return [Numeric(name, derived=Derivation(column.name, "word", word)) for name, word in free]


def count_word(wanted: Column, source: Column, codes: AnyArray) -> Floats:
    """Count a word in every text; missing where the text is missing."""
    assert isinstance(source, Nominal)
    assert wanted.derived is not None
    word = wanted.derived.argument
    counts = [float(words_in(text).count(word)) for text in source.categories]
    values: Floats = np.array([*counts, np.nan])[codes]
    return values
