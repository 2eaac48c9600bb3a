"""Files compressed by gzip, bzip2, xz and Zstandard, with a limit: small files may unpack to very large ones."""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from typing import IO, cast

from hornbeam.data.errors import DataError

BLOCK = 1 << 20
ALWAYS = 1 << 28  # bytes that any file may unpack to
RATIO = 200  # a larger file may unpack to this many times its size
_GZIP = 31  # zlib's name for a gzip header and checksum


# The first bytes of files of other formats, and their names.
OTHERS = {b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "Zstandard"}


def unpacked(data: bytes) -> bytes:
    """Unpack a file of one of `OTHERS`; DataError if it is damaged or unpacks to too much."""
    name = next(name for start, name in OTHERS.items() if data.startswith(start))
    most = max(ALWAYS, RATIO * len(data))
    try:
        with _stream(name, data) as stream:
            out: bytes = stream.read(most + 1)
    except (OSError, EOFError, ValueError, lzma.LZMAError) as error:
        msg = f"the {name} file is damaged: {error}"
        raise DataError(msg) from None
    if len(out) > most:
        msg = f"the {name} file of {len(data)} bytes unpacks to more than {most}; if that is right, unpack it first"
        raise DataError(msg)
    return out


def _stream(name: str, data: bytes) -> IO[bytes]:
    if name == "Zstandard":
        import pyarrow as pa  # noqa: PLC0415 (slow to import)

        packed: IO[bytes] = pa.CompressedInputStream(pa.BufferReader(data), "zstd")
        return packed
    return cast("IO[bytes]", (bz2.BZ2File if name == "bzip2" else lzma.LZMAFile)(io.BytesIO(data)))


def unzipped(data: bytes) -> bytes:
    """Unpack a gzip file of one part or several; DataError if it is damaged or unpacks to too much."""
    most = max(ALWAYS, RATIO * len(data))
    out = io.BytesIO()
    unpacker = zlib.decompressobj(_GZIP)
    try:
        for start in range(0, len(data), BLOCK):
            piece = data[start : start + BLOCK]
            while piece:
                if unpacker.eof:  # another part, or zeros that fill a block
                    piece = piece.lstrip(b"\0")
                    unpacker = zlib.decompressobj(_GZIP) if piece else unpacker
                    if not piece:
                        break
                out.write(unpacker.decompress(piece, most + 1 - out.tell()))
                if out.tell() > most:
                    msg = (
                        f"the gzip file of {len(data)} bytes unpacks to more than {most}; if that is right, unpack it "
                        "first and read the unpacked file"
                    )
                    raise DataError(msg)
                piece = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
    except zlib.error as error:
        msg = f"the gzip file is damaged: {error}"
        raise DataError(msg) from None
    if not unpacker.eof:
        msg = "the gzip file is damaged: it ends too early"
        raise DataError(msg)
    return out.getvalue()
