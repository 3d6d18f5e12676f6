"""Byte-level BPE tokenizer of GPT-2, BART, RoBERTa, SmolLM2, Llama 3 and Qwen 2 checkpoints."""

import functools
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.errors import UserError
from zoo.text.limits import LONGEST_TOKEN, LONGEST_WORD, parts, record_cut, shorter_words
from zoo.text.masked import between_masks
from zoo.text.pretokenize import GPT2, PATTERNS, byte_words
from zoo.text.programs.byte_bpe import ByteBPE
from zoo.text.programs.byte_words import separate_byte_words
from zoo.text.programs.masks import WithMasks
from zoo.text.programs.merges import Merges
from zoo.text.programs.prefixed import WithPrefix, prefixed
from zoo.text.programs.program import Decode, Encode, encoded
from zoo.text.programs.separate_words import SeparateWords
from zoo.text.programs.spelling import Spelling
from zoo.text.programs.unmerged_words import UnmergedWords
from zoo.text.programs.whole_tokens import WithWholeTokens
from zoo.text.special_tokens import END, PAD, SPECIALS, START, UNKNOWN, SpecialTokens
from zoo.text.tokenizer import Tokenizer


class ByteBPETokenizer(Tokenizer):
    """Byte-level BPE tokenizer, which returns the same ids as Hugging Face's.

    Source: Radford et al. 2019, section 2.2; Sennrich et al. 2016 for the merges.

    Splits words into bytes, then applies the learned merges. It can encode any text, and decoding
    restores the text exactly; only bytes that the vocabulary lacks are left out, as in Hugging
    Face's tokenizers. The name of the mask token in a text, such as "<mask>", becomes that token.
    Other special tokens in a text, such as "<|endoftext|>", are ordinary text. LiteRT has no
    operator that splits text into bytes, so LiteRT models with this tokenizer take ids as inputs,
    or texts as bytes.

    Args:
        vocabulary: The tokens in the order of their ids. The characters of `byte_characters` stand
            for bytes.
        merges: Pairs of tokens, "left right", in the order in which they were learned.
        special_tokens: Ids of the special tokens, by the names of the fields of `SpecialTokens`.
            `start` and `end` are required.
        split_digits: Whether each digit is a word of its own, as in SmolLM2's tokenizer.
        pattern: The words into which texts are split before: those of "gpt2", "llama3" or "qwen2".
        added: Ids of the tokens that were added to the vocabulary, which chats contain as a whole.
        prefix_space: Whether a text that begins with no space gets one, as if it were the
            continuation of another.
        mask_strips: Whether whitespace before a mask is part of it, as in RoBERTa's tokenizer.
        ignore_merges: Whether a word that is in the vocabulary is its token, as in Llama 3's
            tokenizer, though the merges may make others of it.
        adds_start: Whether each text of a language model begins with the start token, as in Llama
            3's tokenizer. `tokenize` does not add it, as parts of texts are tokenized, too.
        whole: Ids of the tokens that any text contains as a whole, such as runs of spaces in
            ModernBERT's tokenizer.

    Raises:
        UserError: If all bytes are missing from the vocabulary, or a token of a merge is, or the
            mask has a name of one byte.

    Example:
        >>> vocabulary = [*byte_characters().values(), "he", "Ġt", "Ġthe", "<|endoftext|>"]
        >>> merges, special = ["h e", "Ġ t", "Ġt he"], {"start": 259, "end": 259}
        >>> tokenizer = ByteBPETokenizer(vocabulary, merges, special)
        >>> ids = tokenizer.tokenize(["he  the"])
        >>> ids.to_list(), tokenizer.detokenize(ids).numpy().tolist()
        ([[256, 32, 258]], [b'he  the'])
    """

    kind = "byte-bpe"

    def __init__(
        self,
        vocabulary: Sequence[str],
        merges: Sequence[str],
        special_tokens: dict[str, int],
        split_digits: bool = False,
        added: Sequence[int] = (),
        pattern: str = GPT2,
        prefix_space: bool = False,
        mask_strips: bool = True,
        adds_start: bool = False,
        ignore_merges: bool = False,
        whole: Sequence[int] = (),
    ):
        self.vocabulary, self._merges = list(vocabulary), list(merges)
        self.special_tokens = SpecialTokens(**{"pad": -1, "unknown": -1, **special_tokens})
        self.split_digits, self._added = split_digits, tuple(added)
        self.pattern = pattern
        if pattern not in PATTERNS or (split_digits and pattern != GPT2):
            raise UserError(
                f"pattern must be one of {', '.join(PATTERNS)}, and gpt2 with split_digits; "
                f"got {pattern!r:.40}"
            )
        self._whole = tuple(whole)
        if any(not 0 <= each < len(self.vocabulary) for each in (*self._added, *self._whole)):
            raise UserError("the ids of added tokens must be ids of the vocabulary")
        self.prefix_space, self.mask_strips = prefix_space, mask_strips
        self.adds_start = adds_start
        mask = self.special_tokens.mask
        self._mask = self.vocabulary[mask] if mask >= 0 else None
        if self._mask is not None and len(self._mask.encode()) < 2:
            raise UserError(f"the mask token {self._mask!r} must have at least two bytes")
        ids = {piece: number for number, piece in enumerate(self.vocabulary)}
        try:
            of_bytes = [ids.get(each, -1) for each in byte_characters().values()]
            pairs = [tuple(merge.split(" ")) for merge in self._merges]
            merged = [ids[left + right] for left, right in pairs]
            numbers = [(ids[left], ids[right]) for left, right in pairs]
        except KeyError as error:
            raise UserError(f"the vocabulary must contain the token {error}") from None
        except ValueError:
            raise UserError("a merge must be two tokens separated by a space") from None
        self._bytes = np.array(of_bytes, np.int32)
        if not (self._bytes >= 0).any():
            raise UserError("the vocabulary must contain the tokens of single bytes")
        self._merge = Merges(numbers, merged, len(ids) + 1)  # one more for boundaries
        self.ignore_merges = ignore_merges
        self._unmerged = self._unmerged_words() if ignore_merges else None
        invisible = self.special_tokens.invisible
        as_text = {*self._whole}
        spelled = [
            b"" if i in invisible else p.encode() if i in as_text else spelling(p)
            for i, p in enumerate(self.vocabulary)
        ]
        self._spellings = np.array([*spelled, b""], object)  # the last is padding without an id
        # Compiled, since its many small operators would be slow in eager mode.
        signature = [tf.TensorSpec([None], tf.string)]
        self._pieces = tf.function(self._split_texts, input_signature=signature, autograph=False)

    @classmethod
    def train(cls, texts: Iterable[str], vocabulary_size: int) -> "ByteBPETokenizer":
        """Learns the merges that are most frequent in texts.

        Source: Sennrich et al. 2016, algorithm 1; of bytes: Radford et al. 2019, section 2.2.

        Args:
            texts: The texts, iterated once.
            vocabulary_size: Maximum number of tokens, exceeded if it is less than the 4 special
                tokens and the 256 bytes need.

        Raises:
            UserError: If the texts are empty.

        Example:
            >>> ByteBPETokenizer.train(["the hat, the cat"], 264).vocabulary[260:]
            ['at', 'he', 'the', 'cat']
        """
        import tokenizers

        counts = _words_in(texts)
        if all(word in _WHITE for word in "".join(counts)):
            raise UserError("cannot learn a vocabulary: the texts are empty")
        words = shorter_words(counts, LONGEST_WORD)
        learned_from = {word: [*parts(word)] for word in words}
        cut = sum(count for word, count in words.items() if len(learned_from[word]) > 1)
        record_cut(cut, LONGEST_TOKEN)
        learner = tokenizers.Tokenizer(tokenizers.models.BPE())
        trainer = tokenizers.trainers.BpeTrainer(
            vocab_size=vocabulary_size,
            special_tokens=list(SPECIALS),
            initial_alphabet=list(byte_characters().values()),
            show_progress=False,
        )
        learner.train_from_iterator(
            (part for word, count in words.items() for part in learned_from[word] * count), trainer
        )
        model = json.loads(learner.to_str())["model"]
        ids: dict[str, int] = model["vocab"]
        merges = [each if isinstance(each, str) else " ".join(each) for each in model["merges"]]
        special = {"pad": PAD, "unknown": UNKNOWN, "start": START, "end": END}
        return cls(sorted(ids, key=ids.__getitem__), merges, special)

    def tokenize(self, texts) -> tf.RaggedTensor:
        return self._pieces(tf.convert_to_tensor(texts, tf.string))

    def _split_texts(self, texts: tf.Tensor) -> tf.RaggedTensor:
        if self._whole:
            return encoded(self.program, texts)
        if self._mask is None:
            return self._split_plain(texts)
        strips, number = self.mask_strips, self.special_tokens.mask
        return between_masks(self._split_plain, texts, self._mask, number, strips)

    def _split_plain(self, texts: tf.Tensor) -> tf.RaggedTensor:
        """The ids of texts without masks."""
        words = byte_words(self._spaced(texts), *self._splits)
        unique, which = tf.unique(words.flat_values)  # most words are repeated
        pieces = self._merge.ragged(self._ids_of_bytes(unique))
        if self._unmerged is not None:
            pieces = self._unmerged.ragged(pieces)
        return words.with_flat_values(tf.gather(pieces, which)).merge_dims(-2, -1)

    @property
    def _splits(self) -> tuple[bool, str]:
        return self.split_digits, self.pattern

    def _spaced(self, texts: tf.Tensor) -> tf.Tensor:
        """Texts with the space that `prefix_space` puts before them."""
        if not self.prefix_space:
            return texts
        spaced = tf.equal(tf.strings.length(texts), 0) | tf.equal(
            tf.strings.substr(texts, 0, 1), " "
        )
        return tf.where(spaced, texts, tf.strings.join([" ", texts]))

    def _ids_of_bytes(self, words: tf.Tensor) -> tf.RaggedTensor:
        """The ids of the bytes of words, without those that the vocabulary lacks."""
        split = tf.strings.bytes_split(words)
        # decode_raw fails to infer a shape if there are no bytes: append one, then drop it.
        flat = tf.io.decode_raw(tf.concat([split.flat_values, ["a"]], axis=0), tf.uint8)[:-1, 0]
        ids = split.with_flat_values(tf.gather(tf.constant(self._bytes), tf.cast(flat, tf.int32)))
        return tf.ragged.boolean_mask(ids, ids >= 0) if (self._bytes < 0).any() else ids

    def byte_ids(self, texts) -> tf.RaggedTensor:
        """The ids of the bytes of each word, before any merge: int32, ragged (B, words, bytes)."""
        words = byte_words(self._spaced(tf.convert_to_tensor(texts, tf.string)), *self._splits)
        return words.with_flat_values(self._ids_of_bytes(words.flat_values))

    @property
    def merges(self) -> Merges:
        """The merges of ids."""
        return self._merge

    @functools.cached_property
    def of_words(self) -> "ByteBPETokenizer":
        """The tokenizer of words, each of which gets a space before it as if it followed one."""
        return self if self.prefix_space else type(self)(**{**self.facts(), "prefix_space": True})

    def separate_words(self, text_bytes: tf.Tensor, lengths: tf.Tensor) -> SeparateWords:
        """GPT-2's words, with the space before them."""
        if not self.prefix_space:
            return separate_byte_words(text_bytes, lengths, *self._splits)
        rows, longer = prefixed(text_bytes, lengths)
        words = separate_byte_words(rows, longer, *self._splits)
        more = tf.expand_dims(longer - lengths, -1)
        places = (words.begins, words.ends)
        begins, ends = (tf.where(x < 0, -1, tf.maximum(x - more, 0)) for x in places)
        return words._replace(begins=begins, ends=ends)

    def encode_words(
        self, text_bytes: tf.Tensor, lengths: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        return self._plain_encoder(text_bytes, lengths)

    @functools.cached_property
    def _plain_encoder(self) -> ByteBPE:
        """The program for texts without masks that get no space."""
        pad, boundary = self.special_tokens.pad, self.vocabulary_size
        how = *self._splits, self._unmerged
        return ByteBPE(self._bytes, self._merge, pad, boundary, *how)

    def _unmerged_words(self) -> UnmergedWords | None:
        """The words of the vocabulary that merges make several tokens of; None without any."""
        ids, spelled = [], []
        special = {*self.special_tokens.ids, *self._added, *self._whole}
        for number, piece in enumerate(self.vocabulary):
            if number not in special and all(each in _bytes_of() for each in piece):
                ids.append(number)
                spelled.append(spelling(piece))
        of_bytes = tf.ragged.constant([self._bytes[list(each)] for each in spelled], tf.int32)
        merged = self._merge.ragged(of_bytes)
        several = np.flatnonzero(merged.row_lengths().numpy() > 1)
        texts = tf.constant([spelled[each] for each in several], tf.string)
        words = byte_words(texts, self.split_digits, self.pattern).row_lengths().numpy()
        rows = [(each, merged[int(each)].numpy().tolist()) for each in several[words == 1]]
        found: dict[Sequence[int], int] = {
            tuple(row): ids[each] for each, row in rows if min(row) >= 0
        }
        return UnmergedWords(found, len(self.vocabulary) + 1) if found else None

    def _encoder(self) -> Encode:
        pad, boundary = self.special_tokens.pad, self.vocabulary_size
        encode: Encode = self._plain_encoder
        if self.prefix_space:
            encode = WithPrefix(encode)
        if self._whole:
            tokens = {self.vocabulary[each]: each for each in self._whole}
            encode = WithWholeTokens(encode, tokens, boundary, pad)
        if self._mask is None:
            return encode
        number = self.special_tokens.mask
        return WithMasks(encode, self._mask, number, self.mask_strips, boundary, pad)

    def _decoder(self) -> Decode:
        spelled = self._spellings[:-1].tolist()
        return Spelling(spelled, [bool(text) for text in spelled], keep_space=True)

    def check_litert(self) -> None:
        raise UserError(
            "LiteRT cannot split text into bytes, which this tokenizer needs: export without "
            "strings, and tokenize outside the model"
        )

    def _spell(self, ids, continues: bool) -> tf.Tensor:
        if isinstance(ids, tf.RaggedTensor):
            ids = ids.to_tensor(self.special_tokens.pad)
        ids = tf.cast(ids, tf.int32)
        ids = tf.where(ids < 0, len(self.vocabulary), ids)
        return tf.gather(tf.constant(self._spellings), ids)

    def facts(self) -> dict[str, Any]:
        special = {name: i for name, i in asdict(self.special_tokens).items() if i >= 0}
        facts = {**super().facts(), "merges": self._merges, "special_tokens": special}
        if self.split_digits:
            facts["split_digits"] = True
        if self.pattern != GPT2:
            facts["pattern"] = self.pattern
        if self.prefix_space:
            facts["prefix_space"] = True
        if not self.mask_strips:
            facts["mask_strips"] = False
        if self.adds_start:
            facts["adds_start"] = True
        if self.ignore_merges:
            facts["ignore_merges"] = True
        if self._whole:
            facts["whole"] = list(self._whole)
        return {**facts, "added": list(self._added)} if self._added else facts

    @property
    def marked(self) -> tuple[int, ...]:
        return self._added


_WHITE = frozenset("ĠĊĉč")  # spaces, line feeds, tabs and carriage returns


def _words_in(texts: Iterable[str]) -> Counter[str]:
    """How often each word is in texts, its bytes as the characters that represent them."""
    import tokenizers

    splitter = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    return Counter(word for text in texts for word, _ in splitter.pre_tokenize_str(text))


@functools.cache
def byte_characters() -> dict[int, str]:
    """The printable character that represents each byte in a vocabulary file.

    Source: Radford et al. 2019, `encoder.py` of the authors' code: bytes that are printable
        Latin-1 characters represent themselves, the others are mapped to U+0100 and above.

    Example:
        >>> [byte_characters()[byte] for byte in b" a\\n"]
        ['Ġ', 'a', 'Ċ']
    """
    visible = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = (byte for byte in range(256) if byte not in visible)
    others = {byte: chr(0x100 + number) for number, byte in enumerate(hidden)}
    return {byte: others.get(byte, chr(byte)) for byte in range(256)}


def spelling(piece: str) -> bytes:
    """The bytes of a token. Tokens with other characters, such as added tokens, are plain text.

    Example:
        >>> spelling("Ġthe"), spelling("<你>").decode()
        (b' the', '<你>')
    """
    try:
        return bytes(_bytes_of()[character] for character in piece)
    except KeyError:
        return piece.encode()


@functools.cache
def _bytes_of() -> dict[str, int]:
    return {character: byte for byte, character in byte_characters().items()}
