"""Any map from characters to text, in the operator that BERT's normalisation has."""

from collections.abc import Mapping

import flatbuffers
import numpy as np
import tensorflow as tf
import tensorflow_text as tf_text

# The bits of an entry, as tensorflow-text's `fast_bert_normalizer.h` has them: a mark that the
# character changes, the place of its text in a pool of bytes, and the text's length in bytes.
_CHANGES = 1 << 30
_LENGTH_BITS = 6
_MOST_BYTES = (1 << _LENGTH_BITS) - 1
# A double array's unit (its `darts_clone_trie_wrapper.h`): label, leaf mark, offset; or a value.
_LEAF, _OFFSET_BITS, _VALUE = 1 << 8, 10, 1 << 31


class CharacterMap:
    """Replaces characters one by one, in TensorFlow and in LiteRT.

    tensorflow-text's operator for BERT's normalisation looks every character up in a trie that is
    an input of the operator. With a trie of our own it does whatever a map says, to the letter.

    Args:
        mapping: Character -> text, of at most 63 bytes; what is missing stays as it is.

    Raises:
        ValueError: If a key is no single character, or a text is too long.

    Example:
        >>> change = CharacterMap({"A": "a", "ß": "ss", ",": " , "})
        >>> change(tf.constant(["Aß,é"])).numpy()[0].decode()
        'ass , é'
    """

    def __init__(self, mapping: Mapping[str, str]) -> None:
        model = np.frombuffer(_flatbuffer(mapping), np.uint8)
        self._op = tf_text.FastBertNormalizer(model_buffer=tf.constant(model))

    def __call__(self, texts: tf.Tensor) -> tf.Tensor:
        """Texts (B,) -> texts (B,); a byte that is no UTF-8 becomes a space."""
        return self._op.normalize(texts)


def _flatbuffer(mapping: Mapping[str, str]) -> bytes:
    """The table that the operator reads: a flag that it ignores, trie, entry of "\\0", pool."""
    entries, pool = _entries(mapping)
    zero = entries.pop(b"\0", 0)
    builder = flatbuffers.Builder(len(pool))
    texts = builder.CreateNumpyVector(np.frombuffer(pool, np.uint8))
    trie = builder.CreateNumpyVector(_double_array(entries))
    builder.StartObject(4)
    builder.PrependUOffsetTRelativeSlot(3, texts, 0)
    builder.PrependInt32Slot(2, zero, 0)
    builder.PrependUOffsetTRelativeSlot(1, trie, 0)
    builder.Finish(builder.EndObject())
    return bytes(builder.Output())


def _entries(mapping: Mapping[str, str]) -> tuple[dict[bytes, int], bytes]:
    """The entry of each character's UTF-8, and the pool of texts."""
    places: dict[bytes, int] = {}
    entries, size = {}, 0
    for character, replacement in mapping.items():
        text = replacement.encode()
        if len(character) != 1 or len(text) > _MOST_BYTES:
            raise ValueError(
                f"a map has single characters and at most {_MOST_BYTES} bytes for each; "
                f"received {character!r}: {replacement!r}."
            )
        if text not in places:
            places[text] = size
            size += len(text)
        entries[character.encode()] = _CHANGES | places[text] << _LENGTH_BITS | len(text)
    return entries, b"".join(places) or b" "


def _double_array(entries: Mapping[bytes, int]) -> np.ndarray:
    """The trie of some characters' UTF-8: the child of node n along a byte is n ^ offset ^ byte.

    Source: Aoe 1989, "An Efficient Digital Search Algorithm by Using a Double-Array Structure",
        in the form of Darts-clone.

    The root's children stand at their own bytes. Every other node's children are continuation
    bytes, 0x80 to 0xBF, so 64 places in a row hold them; behind them all stand the values.
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
    for node, place in nodes.items():
        if not node:
            continue  # its offset is 0
        leaf = _LEAF if node in entries else 0
        target = values[entries[node]] if leaf else children[node]
        units[place] = (place ^ target) << _OFFSET_BITS | leaf | node[-1]
    for value, place in values.items():
        units[place] = value | _VALUE
    return units
