"""Delimited text (CSV, TSV and the like) becomes a Table.

The file is parsed once, by pyarrow; how it is written is decided before that on its first block (`sniff`),
and what kind its columns are after that on whole columns (`infer`).
"""

from __future__ import annotations

import contextlib
import itertools
import math
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from hornbeam.data.arrow import from_arrow
from hornbeam.data.codes import find_codes
from hornbeam.data.encoding import LATIN_NOTE, SAMPLE_BYTES, decode, from_latin, wrong_encoding
from hornbeam.data.errors import DataError, label, option, shorten
from hornbeam.data.infer import EXACT, apply_kinds, lost_digits_note
from hornbeam.data.sniff import LONGEST_FIRST_LINE, Layout, are_codes, is_hexadecimal, sniff

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from hornbeam.data.codes import Codes
    from hornbeam.data.infer import FindKinds
    from hornbeam.data.table import Table

# Texts that mean a missing value by default; an empty value always does.
MISSING = ("", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null")
# Columns with more distinct texts than this in one block are read as plain text and encoded afterwards.
_DICTIONARY_LIMIT = 2_000
_BLOCK = 1 << 21
# The parser holds its whole input in memory until the columns are made, so long files are parsed in pieces.
_PIECE = 1 << 24
_LONGEST_ROW = 1 << 24
_NUMBERS = ("int64", "double")
_SAME_KIND = {"int64": "double"}  # whole numbers in one piece of a file and fractions in another are numbers
_SHOWN_ROW = 60


def read_csv(
    data: bytes,
    kinds: FindKinds,
    *,
    name: str = "table",
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    missing: Collection[str] | None = None,
    prefer: str | None = None,
    ignore: Collection[str] = (),
) -> Table:
    """Read delimited text.

    Parameters
    ----------
    data : bytes
        The whole file.
    kinds : callable
        From the column names, the kinds that the caller named.
    name : str
        The table's name.
    delimiter, quote : str, optional
        One character; guessed from the first block by default. An empty `quote` means that nothing is quoted.
    header : bool, optional
        Whether the first line holds names; guessed from the first block by default.
    encoding : str, optional
        UTF-8 and UTF-16 are recognized; a file that is neither is read as Latin-1, with a note.
    missing : collection of str, optional
        Texts that mean a missing value, instead of `MISSING`; an empty value always does.
    prefer : str, optional
        The delimiter that the file's name suggests.
    ignore : collection of str
        Columns that will not be used.

    Returns
    -------
    Table
    """
    for what, character in (("delimiter", delimiter), ("quote", quote)):
        is_plain = character is None or (len(character.encode()) == 1 and character != "\0")
        if not is_plain and not (what == "quote" and not character):
            msg = f"the {what} is {character!r}; expected one plain character"
            raise DataError(msg)
    markers = MISSING if missing is None else tuple(dict.fromkeys(("", *missing)))
    text, notes = decode(data, encoding)
    layout = _sniffed(text, delimiter, quote, header, markers, prefer)
    wanted = kinds(layout.names)
    as_text = wanted.as_text | {layout.names[i] for i in layout.codes if layout.names[i] not in wanted.numeric}
    if text.find(b"\n") < 0 and text.find(b"\r") < 0:
        text = text + b"\n"  # the parser needs the end of a line
    codes = find_codes(text, layout.delimiter, layout.quote)
    source = _parse(text, layout, markers, as_text, codes)
    if source is None:  # Latin-1 in a later part of the file
        if encoding is not None:
            raise wrong_encoding(text, encoding)
        text, notes = from_latin(text), [LATIN_NOTE]
        source = _parse(text, layout, markers, as_text, codes)
        if source is None:
            raise DataError("the file is not text in a known encoding; give its encoding")
    _check_last_quote(text, source, layout)
    source, late, lost = _numbers_checked(text, source, layout, markers, codes, wanted.numeric)
    kept = as_text | {layout.names[i] for i in late}
    notes += [
        f"{label(layout.names[i])}: codes with leading zeros, read as nominal; "
        f"{option('numeric', layout.names[i])} to change"
        for i in sorted({*layout.codes, *late})
    ]
    notes += [lost_digits_note(layout.names[i], largest) for i, largest in lost.items()]
    table = from_arrow(
        source, name=name, names=layout.names, keep_text=kept, trim=layout.trim, missing=markers, from_text=True,
        ignore=ignore, notes=[*layout.notes, *notes],
    )  # fmt: skip
    return apply_kinds(table, wanted)


def _numbers_checked(
    text: bytes,
    source: pa.Table,
    layout: Layout,
    markers: Collection[str],
    codes: Codes,
    numeric: Collection[str],
) -> tuple[pa.Table, list[int], dict[int, float]]:
    """Check columns that were parsed as numbers, where digits of the text may have been lost.

    Returns
    -------
    table : pa.Table
        With columns of codes, and those with hexadecimal numbers, as texts.
    codes : list of int
        Positions of the columns of codes.
    lost : dict
        Positions of columns of floating-point numbers in which whole numbers lost digits, and the largest number.
    """
    kinds = source.schema.types
    open_ = [i for i, kind in enumerate(kinds) if str(kind) in _NUMBERS and layout.names[i] not in numeric]
    suspected = codes.among(open_)
    large = {i: size for i in range(len(kinds)) if str(kinds[i]) == "double" and (size := _size(source[i])) >= EXACT}
    checked = sorted({*suspected, *large})
    if not checked:
        return source, [], {}
    texts = _parse(text, layout, markers, frozenset(layout.names[i] for i in checked), codes, only=checked)
    assert texts is not None  # it was parsed before
    late: list[int] = []
    lost: dict[int, float] = {}
    for index, i in enumerate(checked):
        values = [str(value).strip() for value in texts[index].unique().to_pylist() if value is not None]
        if i in suspected and are_codes(values):
            late.append(i)
        if i in suspected and (i in late or (i in codes.hexadecimal and any(map(is_hexadecimal, values)))):
            source = source.set_column(i, source.field(i).with_type(texts[index].type), texts[index])
        elif i in large and any(value.lstrip("+-").isdigit() and int(value) != float(value) for value in values):
            lost[i] = large[i]
    return source, late, lost


def _size(numbers: pa.ChunkedArray) -> float:
    """Give the largest absolute value, or 0 where all are missing."""
    ends = pc.min_max(numbers).as_py().values()
    return max((abs(end) for end in ends if end is not None and not math.isnan(end)), default=0.0)


def _sniffed(
    text: bytes,
    delimiter: str | None,
    quote: str | None,
    header: bool | None,
    markers: Collection[str],
    prefer: str | None,
) -> Layout:
    head = text[:SAMPLE_BYTES]
    if not head.strip():
        rest = "empty" if not head else "blank"
        msg = f"the file is {rest}; expected a header line and rows"
        raise DataError(msg)
    if b"\n" not in head and b"\r" not in head:
        head = text[:LONGEST_FIRST_LINE]
        if len(head) == LONGEST_FIRST_LINE and b"\n" not in head and b"\r" not in head:
            msg = f"longer than {LONGEST_FIRST_LINE >> 20} MB; expected a line of column names or values"
            raise DataError(msg, line=1)
    return sniff(
        head.decode("utf-8", "replace"), complete=len(head) == len(text), delimiter=delimiter, quote=quote,
        header=header, missing=markers, prefer=prefer,
    )  # fmt: skip


def _parse(
    text: bytes,
    layout: Layout,
    markers: Collection[str],
    as_text: Collection[str],
    codes: Codes,
    only: Collection[int] | None = None,
) -> pa.Table | None:
    """Parse the whole file, all columns or only some; None where it is not UTF-8."""
    internal = [f"c{i}" for i in range(len(layout.names))]
    quote: Any = layout.quote or False
    quoted = bool(layout.quote) and text.find(layout.quote.encode()) >= 0
    skip = 1 if layout.header else 0
    category = pa.dictionary(pa.int32(), pa.string())
    convert = arrow_csv.ConvertOptions(
        null_values=list(markers), strings_can_be_null=True, auto_dict_encode=True,
        auto_dict_max_cardinality=_DICTIONARY_LIMIT, true_values=[], false_values=[], decimal_point=layout.decimal,
        column_types={internal[i]: category for i, name in enumerate(layout.names) if name in as_text},
        include_columns=[] if only is None else [internal[i] for i in only],
    )  # fmt: skip

    def parse(
        block: int,
        start: int = 0,
        end: int = len(text),
        *,
        threads: bool = True,
        handler: Any = None,  # noqa: ANN401 (a callback)
    ) -> pa.Table:
        return arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(text).slice(start, end - start)),
            # Rows after the names are skipped, so that a header may hold line ends inside quotes.
            arrow_csv.ReadOptions(
                column_names=internal, skip_rows_after_names=0 if start else skip, block_size=block, use_threads=threads
            ),
            # A quoted value may hold line ends anywhere in the file; looking for them costs a third more.
            arrow_csv.ParseOptions(
                delimiter=layout.delimiter, quote_char=quote, newlines_in_values=quoted, invalid_row_handler=handler
            ),
            convert,
        )

    block = _BLOCK
    source = None if quoted else _in_pieces(text, lambda start, end: parse(block, start, end), codes)
    while source is None:
        try:
            source = parse(block)
        except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
            problem = str(error)
            if "UTF8" in problem:
                return None
            if "straddling" not in problem:
                raise _explain(problem, text, block, parse, layout.quote) from None
            if block >= _LONGEST_ROW:
                raise _too_long(text) from None
            block = _LONGEST_ROW
    return None if any(map(_is_binary, source.schema.types)) else source


def _is_binary(kind: pa.DataType) -> bool:
    """Whether a column was not valid UTF-8."""
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_binary(value) or pa.types.is_large_binary(value))


def _in_pieces(text: bytes, parse: Callable[[int, int], pa.Table], codes: Codes) -> pa.Table | None:
    """Parse a long file without quotes piece by piece, in half the memory; None where that cannot be done.

    It cannot be done where a piece is wrong: the whole file is then parsed, to report the line. Nor where a column
    looks like numbers in one piece and like text in another, or has both fractions and hexadecimal numbers.
    """
    ends = [0]
    while (end := ends[-1]) < len(text):
        found = text.find(b"\n", end + _PIECE)
        ends.append(found + 1 if found >= 0 else len(text))
    if len(ends) <= 2:  # noqa: PLR2004 (one piece is the file)
        return None
    pieces: list[pa.Table] = []
    kinds: list[set[str]] = []
    for start, end in itertools.pairwise(ends):
        try:
            pieces.append(parse(start, end))
        except (pa.ArrowInvalid, pa.ArrowKeyError):
            return None
        now = [_SAME_KIND.get(str(kind), str(kind)) for kind in pieces[-1].schema.types]
        kinds = [one | {kind} - {"null"} for one, kind in zip(kinds or [set()] * len(now), now, strict=True)]
        if any(len(one) > 1 for one in kinds):
            return None
    doubles = {i for piece in pieces for i, kind in enumerate(piece.schema.types) if str(kind) == "double"}
    if doubles & codes.hexadecimal:
        return None
    return pa.concat_tables([_as_doubles(piece, doubles) for piece in pieces], promote_options="permissive")


def _as_doubles(piece: pa.Table, columns: Collection[int]) -> pa.Table:
    """Convert whole numbers of some columns to floating-point numbers, rounded as the parser does."""
    for i in columns:
        if str(piece.schema.types[i]) == "int64":
            doubles = piece[i].cast(pa.float64(), safe=False)
            piece = piece.set_column(i, piece.field(i).with_type(pa.float64()), doubles)
    return piece


def _explain(problem: str, text: bytes, block: int, parse: Callable[..., pa.Table], quote: str) -> DataError:
    """Find the line where a file cannot be parsed: parse it again, in one thread, up to the first wrong row."""
    wrong: list[Any] = []

    def note(row: Any) -> str:  # noqa: ANN401 (pyarrow's InvalidRow)
        wrong.append(row)
        return "error"

    with contextlib.suppress(pa.ArrowInvalid):
        parse(block, threads=False, handler=note)
    if not wrong:
        cause = re.sub(r"\s*\(try to increase block size\?\)", "", problem.removeprefix("CSV parse error: "))
        return DataError(f"the file cannot be read as delimited text: {shorten(cause, 200)}")
    row = wrong[0]
    line = _line_of(text, row.number, quote) if row.number is not None else None
    shown = shorten(row.text, _SHOWN_ROW)
    return DataError(f"found {row.actual_columns} values, expected {row.expected_columns}: {shown}", line=line)


def _too_long(text: bytes) -> DataError:
    message = f"longer than {_LONGEST_ROW >> 20} MB; expected a row of values (is a quote left open?)"
    start, line = 0, 1
    while (end := text.find(b"\n", start)) >= 0 and end - start < _LONGEST_ROW:
        start, line = end + 1, line + 1
    end = len(text) if end < 0 else end
    return DataError(message, line=line) if end - start >= _LONGEST_ROW else DataError(f"a row is {message}")


def _line_of(text: bytes, number: int, quote: str) -> int:
    """Give the line on which a row starts; the parser counts neither blank lines nor those inside quotes."""
    row, inside, mark = 0, False, quote.encode() or b"\n"
    for line, content in enumerate(re.finditer(rb"([^\r\n]*)(?:\r\n|\r|\n|\Z)", text), start=1):
        if not inside:
            row += bool(content[1])
            if row == number:
                return line
        inside ^= bool(content[1].count(mark) % 2)
    return number


def _check_last_quote(text: bytes, source: pa.Table, layout: Layout) -> None:
    """Refuse a file whose last value starts with a quote that is never closed, and so contains the rows after it."""
    if not layout.quote or not source.num_rows or text.find(layout.quote.encode()) < 0:
        return
    last = source.column(source.num_columns - 1)[-1].as_py()
    if not isinstance(last, str) or "\n" not in last or text[-2:].rstrip(b"\r\n").endswith(layout.quote.encode()):
        return
    start = text.rfind(layout.quote.encode())
    line = text[:start].count(b"\n") + 1 if start >= 0 else None
    raise DataError(f"a quote ({layout.quote}) starts a value and is never closed", line=line)
