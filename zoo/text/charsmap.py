"""SentencePiece's precompiled normalization: what replaces characters and sequences of them."""

import base64
import binascii
import functools
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from zoo.errors import UserError
from zoo.text.character_map import double_array

LONGEST_KEY = 5  # bytes: longer graphemes are replaced character by character
LONGEST_REPLACEMENT = 64  # characters
_LARGEST = 1 << 24  # bytes
_VALUE, _LABEL = (1 << 31) - 1, 1 << 31 | 0xFF


@dataclass(frozen=True)
class Charsmap:
    """What `Precompiled`, a normalizer of Hugging Face's `tokenizers`, replaces.

    It looks up the shortest beginning of each grapheme of at most 5 bytes, which is replaced as a
    whole, and each character of longer graphemes.

    Source: Kudo & Richardson 2018 (SentencePiece), section 3.2.

    Args:
        characters: Replacements of single characters.
        pairs: Replacements of two characters, of which the first alone is not replaced.
    """

    characters: Mapping[str, str]
    pairs: Mapping[str, str]


NOTHING_REPLACED = Charsmap(MappingProxyType({}), MappingProxyType({}))


@functools.lru_cache(maxsize=4)
def charsmap_of(encoded: str) -> Charsmap:
    """Reads the map of a `tokenizer.json`, in base64; nothing is replaced if it is empty.

    Raises:
        UserError: If it is no such map, or has what the tensor program does not support: sequences
            of three characters that no shorter one begins, or replacements that are too long.

    Example:
        >>> charsmap_of("").characters
        mappingproxy({})
    """
    if not encoded:
        return NOTHING_REPLACED
    try:
        content = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raise UserError("the precompiled_charsmap of a normalizer must be base64") from None
    if not 4 <= len(content) <= _LARGEST:
        raise UserError(f"the precompiled_charsmap has {len(content)} bytes, which is no map")
    size = struct.unpack("<I", content[:4])[0]
    if size % 4 or not 4 <= size <= len(content) - 4:
        raise UserError(
            f"the precompiled_charsmap has {len(content)} bytes, but says that its trie has {size}"
        )
    units = np.frombuffer(content[4 : 4 + size], "<u4").astype(np.int64)
    replaced = _decoded(_keys(units), content[4 + size :])
    characters = {key: text for key, text in replaced.items() if len(key) == 1}
    several = {key: text for key, text in replaced.items() if key[0] not in characters}
    pairs = {key: text for key, text in several.items() if len(key) == 2}
    more = next((key for key in several if len(key) > 2 and key[:2] not in pairs), None)
    if more is not None:
        raise UserError(
            f"the precompiled_charsmap replaces {more!r}, which is not supported: at most two "
            "characters may be replaced as one"
        )
    return Charsmap(MappingProxyType(characters), MappingProxyType(pairs))


def _keys(units: np.ndarray) -> dict[bytes, int]:
    """The keys of at most 5 bytes of a double array, and where their values are.

    Source: Aoe 1989, in the format of Darts-clone: the child of node n for a byte is
        `n ^ offset ^ byte`.
    """
    found: dict[bytes, int] = {}
    labels = np.arange(1, 256)
    nodes, keys = np.zeros(1, np.int64), [b""]
    for _ in range(LONGEST_KEY):
        children = (nodes ^ _offset(units[nodes]))[:, None] ^ labels
        inside = children < len(units)
        children = np.where(inside, children, 0)
        parent, label = np.nonzero(inside & (units[children] & _LABEL == labels))
        nodes = children[parent, label]
        keys = [keys[p] + bytes([labels[b]]) for p, b in zip(parent, label, strict=True)]
        ends = np.flatnonzero(units[nodes] >> 8 & 1)
        values = nodes[ends] ^ _offset(units[nodes[ends]])
        if (values >= len(units)).any():
            raise UserError("the precompiled_charsmap is damaged: a value is beyond its end")
        found |= {keys[e]: int(units[v]) & _VALUE for e, v in zip(ends, values, strict=True)}
        if len(keys) > len(units):
            raise UserError("the precompiled_charsmap is damaged: its trie has a circle")
    return found


def _offset(units: np.ndarray) -> np.ndarray:
    return (units >> 10) << ((units & (1 << 9)) >> 6)


def _decoded(keys: Mapping[bytes, int], pool: bytes) -> dict[str, str]:
    """The replaced texts and their replacements; bytes that are no whole characters are none."""
    replaced = {}
    for key, begin in keys.items():
        end = pool.find(b"\0", begin)
        if begin > len(pool) or end < 0:
            raise UserError("the precompiled_charsmap is damaged: a replacement has no end")
        try:
            text = pool[begin:end].decode()
        except UnicodeDecodeError:
            raise UserError("the precompiled_charsmap is damaged: it has invalid UTF-8") from None
        if len(text) > LONGEST_REPLACEMENT:
            raise UserError(
                f"the precompiled_charsmap replaces {key!r} by {len(text)} characters; at most "
                f"{LONGEST_REPLACEMENT} are supported"
            )
        try:
            replaced[key.decode()] = text
        except UnicodeDecodeError:
            raise UserError(
                f"the precompiled_charsmap replaces {key!r}, which is not valid UTF-8"
            ) from None
    return replaced


def precompiled(replaced: Mapping[str, str]) -> bytes:
    """The map that replaces texts, as SentencePiece compiles it.

    Args:
        replaced: Replacements, none of whose keys begins another.

    Example:
        >>> of_a = base64.b64encode(precompiled({"a": "b"})).decode()
        >>> dict(charsmap_of(of_a).characters)
        {'a': 'b'}
    """
    begins, pool = {}, b""
    for key, text in replaced.items():
        begins[key.encode()] = len(pool)
        pool += text.encode() + b"\0"
    # Each node is looked up with any byte, also beyond the last unit.
    trie = np.pad(double_array(begins), (0, 256)).astype("<u4").tobytes()
    return struct.pack("<I", len(trie)) + trie + pool
