"""The encoding of a text file: UTF-8 as it is, UTF-16 and UTF-32 recognized, anything else Windows-1252 with a note."""

from __future__ import annotations

import codecs

from hornbeam.data.errors import DataError

SAMPLE_BYTES = 1 << 18
LATIN_NOTE = "encoding: not UTF-8, read as Windows-1252 (Latin-1); --encoding to change"


def find_encoding(head: bytes) -> tuple[str, int]:
    """Return the encoding of a file that starts with `head`, and the length of its byte order mark."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is its beginning
        (codecs.BOM_UTF32_BE, "utf-32-be"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if head.startswith(mark):
            return encoding, len(mark)
    even, odd = head[0::2].count(0), head[1::2].count(0)
    mostly = len(head) * 0.3  # in UTF-16, each ASCII letter has a zero byte before or after it
    if odd > mostly and not even:
        return "utf-16-le", 0
    if even > mostly and not odd:
        return "utf-16-be", 0
    return "utf-8", 0


def decode(data: bytes, encoding: str | None) -> tuple[bytes, list[str]]:
    """Turn the bytes of a text file into UTF-8 without a byte order mark; NUL bytes and undecodable ones are errors.

    A UTF-8 file is returned as it is, and only its first block is checked here.
    """
    head = data[:SAMPLE_BYTES]
    found, mark = find_encoding(head)
    used = encoding or found
    if used.lower().replace("_", "-") in {"utf-8", "utf8", "utf-8-sig", "ascii"}:
        text: bytes = data[mark:] if mark else data
        _check_nul(text)
        try:
            # The block may end inside a character of up to four bytes, which is not an error.
            head.decode("utf-8")
        except UnicodeDecodeError as error:
            if error.start < len(head) - 4 or len(head) == len(data):
                if encoding is not None:
                    raise wrong_encoding(text, used) from None
                return from_latin(text), [LATIN_NOTE]
        return text, []
    try:
        decoded = data[mark:].decode(used)
    except UnicodeError:
        raise wrong_encoding(data[mark:], used) from None
    except (LookupError, ValueError):  # a NUL inside the name is a ValueError
        msg = f"no encoding is called {encoding!r}; expected a name such as utf-8, utf-16 or latin-1"
        raise DataError(msg) from None
    text = decoded.removeprefix("\ufeff").encode("utf-8", "surrogatepass")
    _check_nul(text)
    notes = [] if encoding is not None else [f"encoding: read as {used}; --encoding to change"]
    return text, notes


def from_latin(text: bytes) -> bytes:
    """Turn Windows-1252, which is Latin-1 with a few more characters such as €, into UTF-8."""
    try:
        return text.decode("cp1252").encode("utf-8")
    except UnicodeDecodeError:  # five bytes are no character there; in Latin-1, every byte is one
        return text.decode("latin-1").encode("utf-8")


def _check_nul(text: bytes) -> None:
    position = text.find(b"\0")
    if position >= 0:
        line = text[:position].count(b"\n") + 1
        msg = "found a NUL byte; expected text (is it a binary file, or text in another encoding?)"
        raise DataError(msg, line=line)


def wrong_encoding(text: bytes, encoding: str) -> DataError:
    """Return an error with the line where a text is not in the given encoding."""
    whole = text
    try:
        whole.decode(encoding)
    except UnicodeDecodeError as error:
        line = whole[: error.start].count(b"\n") + 1
        msg = f"byte {whole[error.start]:#04x} is not {encoding}; give the file's encoding, e.g. latin-1"
        return DataError(msg, line=line)
    except UnicodeError as error:
        return DataError(f"the file is not {encoding}: {error}")
    return DataError(f"the file is not {encoding}")


def decode_text(data: bytes, encoding: str | None) -> tuple[str, list[str]]:
    """Decode a whole text file."""
    text, notes = decode(data, encoding)
    try:
        return text.decode("utf-8"), notes
    except UnicodeDecodeError:
        if encoding is not None:
            raise wrong_encoding(text, "utf-8") from None
        return from_latin(text).decode("utf-8"), [LATIN_NOTE]
