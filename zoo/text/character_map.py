"""Character-by-character replacement, using the operator of BERT's normalization."""

from collections.abc import Mapping

import flatbuffers
import numpy as np
import tensorflow as tf
import tensorflow_text as tf_text

# Bits of an entry, as defined in tensorflow-text's `fast_bert_normalizer.h`: a flag for characters
# that are replaced, the offset of the replacement in a pool of bytes, and its length in bytes.
_CHANGES = 1 << 30
_LENGTH_BITS = 6
_MAX_BYTES = (1 << _LENGTH_BITS) - 1
# A unit of a double array (`darts_clone_trie_wrapper.h`): label, leaf flag and offset, or a value.
_LEAF, _OFFSET_BITS, _VALUE = 1 << 8, 10, 1 << 31


class CharacterMap:
    """Replaces characters according to a mapping, in TensorFlow and in LiteRT.

    tensorflow-text's operator for BERT's normalization looks up every character in a trie, which is
    an input of the operator. This class passes a trie built from the mapping.

    Args:
        mapping: Dictionary from characters to replacements of at most 63 bytes each. Other
            characters are unchanged.

    Raises:
        ValueError: If a key is not a single character, or a replacement is too long.

    Example:
        >>> change = CharacterMap({"A": "a", "ß": "ss", ",": " , "})
        >>> change(tf.constant(["Aß,é"])).numpy()[0].decode()
        'ass , é'
    """

    def __init__(self, mapping: Mapping[str, str]) -> None:
        model = np.frombuffer(_flatbuffer(mapping), np.uint8)
        self._op = tf_text.FastBertNormalizer(model_buffer=tf.constant(model))

    def __call__(self, texts: tf.Tensor) -> tf.Tensor:
        """Replaces the characters of texts (B,). Bytes that are not valid UTF-8 become spaces."""
        return self._op.normalize(texts)


def _flatbuffer(mapping: Mapping[str, str]) -> bytes:
    """The operator's model: a flag that it ignores, the trie, the entry of "\\0", the pool."""
    entries, pool = _entries(mapping)
    zero = entries.pop(b"\0", 0)
    builder = flatbuffers.Builder(len(pool))
    texts = builder.CreateNumpyVector(np.frombuffer(pool, np.uint8))
    trie = builder.CreateNumpyVector(double_array(entries))
    builder.StartObject(4)
    builder.PrependUOffsetTRelativeSlot(3, texts, 0)
    builder.PrependInt32Slot(2, zero, 0)
    builder.PrependUOffsetTRelativeSlot(1, trie, 0)
    builder.Finish(builder.EndObject())
    return bytes(builder.Output())


def _entries(mapping: Mapping[str, str]) -> tuple[dict[bytes, int], bytes]:
    """The entry of each character, by its UTF-8 bytes, and the pool of replacements."""
    starts: dict[bytes, int] = {}
    entries, size = {}, 0
    for character, replacement in mapping.items():
        text = replacement.encode()
        if len(character) != 1 or len(text) > _MAX_BYTES:
            raise ValueError(
                f"mapping must map single characters to at most {_MAX_BYTES} bytes each; "
                f"received {character!r}: {replacement!r}."
            )
        if text not in starts:
            starts[text] = size
            size += len(text)
        entries[character.encode()] = _CHANGES | starts[text] << _LENGTH_BITS | len(text)
    return entries, b"".join(starts) or b" "


def double_array(entries: Mapping[bytes, int]) -> np.ndarray:
    """Double-array trie of UTF-8 keys: the child of node n for a byte is `n ^ offset ^ byte`.

    Source: Aoe 1989, "An Efficient Digital Search Algorithm by Using a Double-Array Structure",
        in the format of Darts-clone.

    Children of the root are at the index of their byte. Children of all other nodes are UTF-8
    continuation bytes, 0x80 to 0xBF, so each node gets 64 consecutive units. The values follow all
    nodes.
    """
    nodes, children = {b"": 0}, {}
    free = 256
    for key in entries:
        for depth in range(1, len(key) + 1):
            node, parent = key[:depth], key[: depth - 1]
            if node in nodes:
                continue
            if parent and parent not in children:
                children[parent] = free ^ 0x80
                free += 64
            nodes[node] = (children[parent] if parent else 0) ^ node[-1]
    values = {value: free + i for i, value in enumerate(dict.fromkeys(entries.values()))}
    units = np.zeros(free + len(values), np.uint32)
    for node, index in nodes.items():
        if not node:
            continue  # its offset is 0
        leaf = _LEAF if node in entries else 0
        target = values[entries[node]] if leaf else children[node]
        units[index] = (index ^ target) << _OFFSET_BITS | leaf | node[-1]
    for value, index in values.items():
        units[index] = value | _VALUE
    return units
