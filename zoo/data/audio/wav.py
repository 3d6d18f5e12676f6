"""WAV files of two chunks: headers that programs write in other ways, made plain for a decoder."""

import struct

RIFF = (b"RIFF", b"RF64", b"BW64")  # the others have the sizes of 64 bits in a chunk ds64
LARGE = struct.Struct("<QQ")  # sizes of the file and of the samples
CHUNKS = (b"fmt ", b"data", b"LIST", b"fact")
UNKNOWN = 0xFFFFFFFF  # a size
STREAMED = 0x7FFF0000  # sizes from here on stand for unknown ones: such a file would have 2 GB


def plain_wav(content: bytes) -> bytes:
    """A WAV file of a format and samples, with their sizes, from one as programs write them.

    Of a file that was streamed, whose header has no size, all bytes to the end are samples. The
    sizes of 64 bits of RF64 and BW64 become those of 32 bits.

    Source: Microsoft & IBM 1991, "Multimedia Programming Interface and Data Specifications 1.0";
        EBU Tech 3306 (RF64), sections 3.4 and 3.5.

    Args:
        content: The bytes of the file.

    Returns:
        The bytes of the other file, with the same format and samples.

    Raises:
        ValueError: If it is no such file, is cut off, or has no format before its samples.

    Example:
        >>> form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 8000, 16000, 2, 16)
        >>> streamed = b"RIFF" + 4 * b"\\xff" + b"WAVE" + form + b"data" + 4 * b"\\xff" + b"abcd"
        >>> plain_wav(streamed)[-8:]
        b'\\x04\\x00\\x00\\x00abcd'
    """
    if content[:4] not in RIFF or content[8:12] != b"WAVE":
        raise ValueError("it is not a WAV file")
    form, large, start = b"", None, 12
    while start + 8 <= len(content):
        name, size = struct.unpack_from("<4sI", content, start)
        start += 8
        if name == b"data":
            size = _size_of_data(content, start, size, large)
        chunk = memoryview(content)[start : start + size]
        if len(chunk) < size:
            raise ValueError("it is cut off")
        if name == b"fmt ":
            form = bytes(chunk)
        elif name == b"ds64" and len(chunk) >= LARGE.size:
            (_, large) = LARGE.unpack_from(chunk)
        elif name == b"data" and form:
            parts: list[bytes | memoryview] = [
                b"WAVE",
                b"fmt ",
                _size(form),
                form,
                b"data",
                _size(chunk),
                chunk,
            ]
            whole = sum(len(part) for part in parts)
            return b"".join([b"RIFF", struct.pack("<I", whole), *parts])
        elif name == b"data":
            break
        start += size
        # Chunks begin at even places, but some programs forget the byte between.
        start += size % 2 if content[start : start + 4] not in CHUNKS else 0
    raise ValueError("its WAV header is damaged")


def _size(chunk: bytes | memoryview) -> bytes:
    return struct.pack("<I", len(chunk))


def _size_of_data(content: bytes, start: int, size: int, large: int | None) -> int:
    """The number of bytes of samples, from their start on; of a streamed file all that follow."""
    if size == UNKNOWN and large is not None:  # of RF64
        size = large
    (of_all,) = struct.unpack_from("<I", content, 4)
    empty = not size and of_all != len(content) - 8  # nobody went back to write either of them
    return len(content) - start if empty or STREAMED <= size <= UNKNOWN else size
