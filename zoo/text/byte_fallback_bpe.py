"""BPE tokenizer of Gemma checkpoints, with bytes for characters that the vocabulary lacks."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.errors import UserError
from zoo.text.programs.character_bpe import CharacterBPE, Pieces
from zoo.text.programs.merges import Merges
from zoo.text.programs.program import Decode, Encode, encoded
from zoo.text.programs.spelling import Spelling
from zoo.text.special_tokens import SpecialTokens
from zoo.text.tokenizer import Tokenizer

SPACE = "▁"
_NONE = dict.fromkeys(("pad", "unknown", "start", "end"), -1)


def byte_piece(byte: int) -> str:
    """The token of a byte.

    Example:
        >>> byte_piece(10)
        '<0x0A>'
    """
    return f"<0x{byte:02X}>"


class ByteFallbackBPETokenizer(Tokenizer):
    """BPE tokenizer of Gemma, which returns the same ids as Hugging Face's.

    Splits a text into characters, a space being "▁", and merges them, also across words. A
    character that the vocabulary lacks becomes its bytes. Decoding restores the text exactly. There
    is one difference from the original: special tokens in a text, such as "<bos>", are ordinary
    text. LiteRT has no operator that splits text into bytes, so LiteRT models with this tokenizer
    take ids as inputs, or texts as bytes.

    Source: Sennrich et al. 2016; Kudo & Richardson 2018 (SentencePiece), as implemented by Hugging
        Face's `tokenizers`.

    Args:
        vocabulary: The tokens in the order of their ids. "▁" stands for a space, and "<0x0A>" for a
            byte.
        merges: Pairs of tokens, "left right", in the order in which they were learned.
        special_tokens: Ids of the special tokens, by the names of the fields of `SpecialTokens`.
            `start` and `end` are required.
        added: Ids of the tokens that chats contain as a whole.
        whole: Ids of the tokens that any text contains as a whole, such as "<table>".
        adds_start: Whether each text of a language model begins with the start token. `tokenize`
            does not add it, as parts of texts are tokenized, too.

    Raises:
        UserError: If the vocabulary lacks a space, a byte or a token of a merge.

    Example:
        >>> vocabulary = ["<bos>", "<eos>", *map(byte_piece, range(256)), "▁", "a", "▁a", "\\n"]
        >>> tokenizer = ByteFallbackBPETokenizer(vocabulary, ["▁ a"], {"start": 0, "end": 1})
        >>> ids = tokenizer.tokenize(["a a\\u00e9"])
        >>> ids.to_list(), tokenizer.detokenize(ids).numpy()[0].decode()
        ([[259, 260, 197, 171]], 'a aé')
    """

    kind = "byte-fallback-bpe"

    def __init__(
        self,
        vocabulary: Sequence[str],
        merges: Sequence[str],
        special_tokens: Mapping[str, int],
        added: Sequence[int] = (),
        whole: Sequence[int] = (),
        adds_start: bool = False,
    ) -> None:
        special = SpecialTokens(**{**_NONE, **special_tokens})
        size = len(vocabulary)
        given = (*added, *whole, *(each for each in asdict(special).values() if each != -1))
        if any(type(each) is not int or not 0 <= each < size for each in given):
            raise UserError("the ids of special and added tokens must be ids of the vocabulary")
        self._merges, self._added, self._whole = list(merges), tuple(added), tuple(whole)
        self.adds_start = adds_start
        self._ids = {piece: number for number, piece in enumerate(vocabulary)}
        self._merge = _merges_of(self._ids, self._merges)
        self._bytes = _bytes_of(self._ids)
        if SPACE not in self._ids:
            raise UserError(f"the vocabulary must contain the token {SPACE!r}")
        spellings = [piece.replace(SPACE, " ") for piece in vocabulary]
        super().__init__(vocabulary, spellings, tf.identity, special)
        of_byte = {int(number): bytes([byte]) for byte, number in enumerate(self._bytes)}
        invisible = special.invisible
        self._texts = [
            b"" if number in invisible else of_byte.get(number, text.encode())
            for number, text in enumerate(spellings)
        ]
        # Compiled, since its many small operators would be slow in eager mode.
        signature = [tf.TensorSpec([None], tf.string)]
        self._encoded = tf.function(
            lambda texts: encoded(self.program, texts), input_signature=signature, autograph=False
        )

    def tokenize(self, texts) -> tf.RaggedTensor:
        return self._encoded(tf.convert_to_tensor(texts, tf.string))

    def _encoder(self) -> Encode:
        characters = {piece: number for piece, number in self._ids.items() if len(piece) == 1}
        whole = {self.vocabulary[number]: number for number in self._whole}
        pieces = Pieces(characters, self._bytes, whole)
        # What merges make, in which a space is behind another character.
        made = ("".join(merge.split(" ")) for merge in self._merges)
        joined = {a for text in made for a, b in zip(text, text[1:], strict=False) if b == SPACE}
        pad, boundary = self.special_tokens.pad, self.vocabulary_size
        return CharacterBPE(pieces, self._merge, SPACE, frozenset(joined), pad, boundary)

    def _decoder(self) -> Decode:
        return Spelling(self._texts, [bool(text) for text in self._texts], keep_space=True)

    def _spell(self, ids, continues: bool) -> tf.Tensor:
        if isinstance(ids, tf.RaggedTensor):
            ids = ids.to_tensor(self.special_tokens.pad)
        ids = tf.cast(ids, tf.int32)
        ids = tf.where(ids < 0, self.vocabulary_size, ids)  # padding without an id
        return tf.gather(tf.constant(np.array([*self._texts, b""], object)), ids)

    def check_litert(self) -> None:
        raise UserError(
            "LiteRT cannot split text into bytes, which this tokenizer needs: export without "
            "strings, and tokenize outside the model"
        )

    @property
    def marked(self) -> tuple[int, ...]:
        return self._added

    def facts(self) -> dict[str, Any]:
        special = {name: i for name, i in asdict(self.special_tokens).items() if i >= 0}
        facts = {**super().facts(), "merges": self._merges, "special_tokens": special}
        facts |= {"added": list(self._added)} if self._added else {}
        facts |= {"whole": list(self._whole)} if self._whole else {}
        return facts | ({"adds_start": True} if self.adds_start else {})


def _merges_of(ids: Mapping[str, int], merges: Sequence[str]) -> Merges:
    """The merges of ids.

    Raises:
        UserError: If a merge is not of two tokens of the vocabulary that make a third one.
    """
    try:
        pairs = [tuple(merge.split(" ")) for merge in merges]
        numbers = [(ids[left], ids[right]) for left, right in pairs]
        merged = [ids[left + right] for left, right in pairs]
    except KeyError as error:
        raise UserError(f"the vocabulary must contain the token {error}") from None
    except ValueError:
        raise UserError("a merge must be two tokens separated by a space") from None
    return Merges(numbers, merged, len(ids) + 1)  # one more for boundaries


def _bytes_of(ids: Mapping[str, int]) -> np.ndarray:
    """The id of each byte.

    Raises:
        UserError: If the vocabulary lacks one.
    """
    missing = next((byte_piece(byte) for byte in range(256) if byte_piece(byte) not in ids), None)
    if missing is not None:
        raise UserError(f"the vocabulary must contain the token {missing!r}, as of all bytes")
    return np.array([ids[byte_piece(byte)] for byte in range(256)], np.int32)
