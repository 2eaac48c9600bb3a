"""Delimited text (CSV, TSV and the like) becomes a Table.

The file is parsed once, by pyarrow; its layout is guessed before that from its first block (`sniff`), and the kinds of
its columns afterwards from whole columns (`infer`).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from hornbeam.data.arrow import from_arrow
from hornbeam.data.encoding import LATIN_NOTE, SAMPLE_BYTES, decode, from_latin, wrong_encoding
from hornbeam.data.errors import DataError, label, option
from hornbeam.data.infer import EXACT, MISSING, apply_kinds, lost_digits_note
from hornbeam.data.schema import Numeric
from hornbeam.data.text.sniff import (
    COMMA_NOTE,
    DELIMITERS,
    LONGEST_FIRST_LINE,
    MOST_NAMES,
    Layout,
    TextForm,
    are_codes,
    is_hexadecimal,
    sniff,
)
from hornbeam.data.text.start import begins_line, blanked, find_codes, without_comments

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from hornbeam.data.infer import FindKinds
    from hornbeam.data.table import Table
    from hornbeam.data.text.start import Codes

# Columns with more distinct texts than this in one block are read as plain text and encoded afterwards.
_DICTIONARY_LIMIT = 2_000
_BLOCK = 1 << 21
# The parser holds its whole input in memory until the columns are made, so long files are parsed in pieces.
_PIECE = 1 << 24
_LONGEST_ROW = 1 << 24
_NUMBERS = ("int64", "double")
_SAME_KIND = {"int64": "double"}  # whole numbers in one piece of a file and fractions in another are numbers


class _BadRows:
    """Rows with too many or too few cells: whether to leave them out, and those that the parser found."""

    def __init__(self, *, skip: bool) -> None:
        self.skip = skip
        self.rows: list[Any] = []  # pyarrow's InvalidRow

    def collect(self) -> Callable[[Any], str]:
        """Return the parser's callback for bad rows, which collects them from now on."""
        self.rows = []

        def note(row: Any) -> str:  # noqa: ANN401 (pyarrow's InvalidRow)
            self.rows.append(row)
            return "skip"

        return note

    def error(self, text: bytes, layout: Layout, problem: str = "") -> DataError:
        """Return the error for the first bad row, or else the parser's message."""
        from hornbeam.data.text.bad_rows import bad_rows_error  # noqa: PLC0415 (rarely needed)

        return bad_rows_error(self.rows, text, layout, problem)


def read_csv(
    data: bytes,
    kinds: FindKinds,
    form: TextForm | None = None,
    *,
    name: str = "table",
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
    form : TextForm, optional
        The layout, as far as it is given; the rest is guessed from the first block.
    name : str
        The table's name.
    prefer : str, optional
        The delimiter that the file's name suggests.
    ignore : collection of str
        Columns that will not be used.

    Returns
    -------
    Table
    """
    form = form or TextForm()
    markers = MISSING if form.missing is None else tuple(dict.fromkeys(("", *form.missing)))
    text, notes = decode(data, form.encoding)
    text = blanked(text, form.skip_rows or 0)
    if form.comment:
        text = without_comments(text, form.comment, '"' if form.quote is None else form.quote)
    text, form = _tidied(text, form, prefer, notes)
    layout = _sniffed(text, form, markers, prefer)
    text = blanked(text, layout.above)
    if len(layout.names) > 1 and not form.empty_rows:
        text = _without_empty_rows(text, layout, notes)
    wanted = kinds(layout.names)
    layout = replace(layout, decimal=wanted.style.point or layout.decimal)
    as_text = wanted.as_text | {layout.names[i] for i in layout.codes if layout.names[i] not in wanted.numeric}
    if text.find(b"\n") < 0 and text.find(b"\r") < 0:
        text = text + b"\n"  # the parser needs the end of a line
    codes = find_codes(text, layout.delimiter, layout.quote)
    bad = _BadRows(skip=form.bad_rows == "skip")
    source = _parse(text, layout, markers, as_text, codes, bad)
    if source is None:  # Latin-1 in a later part of the file
        if form.encoding is not None:
            raise wrong_encoding(text, form.encoding)
        text, notes = from_latin(text), [LATIN_NOTE]
        source = _parse(text, layout, markers, as_text, codes, bad)
        if source is None:
            raise DataError("the file is not text in a known encoding; give its encoding")
    _check_last_quote(text, source, layout)
    if bad.rows:
        from hornbeam.data.text.bad_rows import bad_rows_note  # noqa: PLC0415 (rarely needed)

        notes.append(bad_rows_note(bad.rows, source.num_rows, text, layout))
    source, late, lost = _numbers_checked(text, source, layout, markers, codes, bad, wanted.numeric)
    kept = as_text | {layout.names[i] for i in late}
    notes += [
        f"{label(layout.names[i])}: codes with leading zeros, read as nominal; "
        f"{option('numeric', layout.names[i])} to change"
        for i in sorted({*layout.codes, *late})
    ]
    notes += [lost_digits_note(layout.names[i], largest) for i, largest in lost.items()]
    source, layout = _without_empty_columns(source, layout, wanted.named | set(ignore))
    table = from_arrow(
        source, name=name, names=layout.names, keep_text=kept, trim=layout.trim, missing=markers, from_text=True,
        ignore=ignore, notes=[*layout.notes, *notes], style=replace(wanted.style, likely=layout.decimal),
    )  # fmt: skip
    if layout.decimal == "." and wanted.style.point is None and _has_decimal_comma(table):
        comma = replace(wanted.style, likely=",")
        table = read_csv(
            data, lambda names: replace(kinds(names), style=comma), form, name=name, prefer=prefer, ignore=ignore
        )
        return table.with_notes([*table.notes, COMMA_NOTE])
    return apply_kinds(table, wanted)


def _tidied(text: bytes, form: TextForm, prefer: str | None, notes: list[str]) -> tuple[bytes, TextForm]:
    """Return a text without rulers, and with tabs where spaces separate its columns; few texts have either."""
    head = text[:SAMPLE_BYTES]
    if head.find(b"--") >= 0 or head.find(b"==") >= 0:
        from hornbeam.data.text.tidy import without_rulers  # noqa: PLC0415 (rarely needed)

        text = without_rulers(text)
    if form.delimiter is None and prefer is None and not any(head.find(mark.encode()) >= 0 for mark in DELIMITERS):
        from hornbeam.data.text.tidy import with_tabs  # noqa: PLC0415 (rarely needed)

        tabbed = with_tabs(text)
        if tabbed is not None:
            notes.append("delimiter: spaces between values; --delimiter to change")
            return tabbed, replace(form, delimiter="\t")
    return text, form


def _without_empty_rows(text: bytes, layout: Layout, notes: list[str]) -> bytes:
    if not begins_line(text, layout.delimiter, " "):
        return text
    from hornbeam.data.text.tidy import without_empty_rows  # noqa: PLC0415 (rarely needed)

    text, empty = without_empty_rows(text, layout.delimiter, layout.quote)
    notes += empty
    return text


def _has_decimal_comma(table: Table) -> bool:
    """Whether a column is written with a decimal comma and none with a point, so that 1.234 is a whole number."""
    columns = [(c.notation, i) for i, c in enumerate(table.schema.columns) if isinstance(c, Numeric) and c.notation]
    if not any(notation.decimal == "," for notation, _ in columns):
        return False
    points = (table.columns[i] for notation, i in columns if notation.decimal == "." and notation.thousands == ",")
    return not any((values % 1 > 0).any() for values in points)  # as in 1,234.50; missing values are not above


def _without_empty_columns(source: pa.Table, layout: Layout, named: Collection[str]) -> tuple[pa.Table, Layout]:
    """Leave out columns without a name and without a value, as lines that end with a delimiter make them."""
    left = [i for i in layout.unnamed if source[i].null_count == source.num_rows and layout.names[i] not in named]
    if not left or len(left) == len(layout.names):
        return source, layout
    gone = {f"column {i + 1} has no name in the header; it is called {layout.names[i]}" for i in left}
    numbers = ", ".join(str(i + 1) for i in left[:MOST_NAMES]) + (" ..." if len(left) > MOST_NAMES else "")
    what = "column" if len(left) == 1 else "columns"
    note = f"{what} {numbers}: left out, without a name and without values"
    kept = [i for i in range(len(layout.names)) if i not in left]
    notes = (*(note for note in layout.notes if note not in gone), note)
    return source.select(kept), replace(layout, names=tuple(layout.names[i] for i in kept), notes=notes)


def _numbers_checked(
    text: bytes,
    source: pa.Table,
    layout: Layout,
    markers: Collection[str],
    codes: Codes,
    bad: _BadRows,
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
    texts = _parse(text, layout, markers, frozenset(layout.names[i] for i in checked), codes, bad, checked)
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
    """Return the largest absolute value, or 0 where all are missing."""
    ends = pc.min_max(numbers).as_py().values()
    return max((abs(end) for end in ends if end is not None and not math.isnan(end)), default=0.0)


def _sniffed(text: bytes, form: TextForm, markers: Collection[str], prefer: str | None) -> Layout:
    head = text[:SAMPLE_BYTES]
    if not head.strip():
        rest = "empty" if not head else "blank" if not form.skip_rows and not form.comment else "blank below that"
        msg = f"the file is {rest}; expected a header line and rows"
        raise DataError(msg)
    if b"\n" not in head and b"\r" not in head:
        head = text[:LONGEST_FIRST_LINE]
        if len(head) == LONGEST_FIRST_LINE and b"\n" not in head and b"\r" not in head:
            msg = f"longer than {LONGEST_FIRST_LINE >> 20} MB; expected a line of column names or values"
            raise DataError(msg, line=1)
    sample = head.decode("utf-8", "replace")
    return sniff(sample, form, complete=len(head) == len(text), missing=markers, prefer=prefer)


def _parse(
    text: bytes,
    layout: Layout,
    markers: Collection[str],
    as_text: Collection[str],
    codes: Codes,
    bad: _BadRows,
    only: Collection[int] | None = None,
) -> pa.Table | None:
    """Parse the whole file, all columns or only some; None if it is not UTF-8."""
    internal = [f"c{i}" for i in range(len(layout.names))]
    quote: Any = layout.quote or False
    quoted = bool(layout.quote) and text.find(layout.quote.encode()) >= 0
    skip = layout.above + layout.header  # the lines above are empty, and the parser counts them
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

    source = None if quoted else _in_pieces(text, lambda start, end: parse(_BLOCK, start, end), codes)
    try:
        source = source if source is not None else _whole(text, parse, layout, bad)
    except UnicodeError:
        return None
    return None if any(map(_is_binary, source.schema.types)) else source


def _whole(text: bytes, parse: Callable[..., pa.Table], layout: Layout, bad: _BadRows) -> pa.Table:
    """Parse a text at once, with larger blocks for long rows, and again for bad rows; UnicodeError if not UTF-8."""
    block, handler = _BLOCK, None
    while True:
        try:
            source = parse(block, threads=handler is None, handler=handler)
        except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
            problem = str(error)
            if "UTF8" in problem:
                raise UnicodeError from None
            if "straddling" in problem:
                if block >= _LONGEST_ROW:
                    raise _too_long(text) from None
                block = _LONGEST_ROW
            elif handler is None:
                handler = bad.collect()  # once more, in one thread so that rows are numbered
            else:
                raise bad.error(text, layout, problem) from None
        else:
            if handler is not None and not bad.skip:
                raise bad.error(text, layout)
            return source


def _is_binary(kind: pa.DataType) -> bool:
    """Whether a column was not valid UTF-8."""
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_binary(value) or pa.types.is_large_binary(value))


def _in_pieces(text: bytes, parse: Callable[[int, int], pa.Table], codes: Codes) -> pa.Table | None:
    """Parse a long file without quotes piece by piece, in half the memory; None if that cannot be done.

    This is not possible if a piece has an error: the whole file is then parsed, to report the line. Nor if a column
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


def _too_long(text: bytes) -> DataError:
    message = f"longer than {_LONGEST_ROW >> 20} MB; expected a row of values (is a quote left open?)"
    start, line = 0, 1
    while (end := text.find(b"\n", start)) >= 0 and end - start < _LONGEST_ROW:
        start, line = end + 1, line + 1
    end = len(text) if end < 0 else end
    return DataError(message, line=line) if end - start >= _LONGEST_ROW else DataError(f"a row is {message}")


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
