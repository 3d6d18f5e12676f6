"""Learning a WordPiece vocabulary, and counting the tokens of texts, without TensorFlow."""

import collections
from collections.abc import Iterable, Sequence

import tokenizers
from tokenizers import models, pre_tokenizers, trainers

from zoo.errors import UserError
from zoo.text.limits import (
    LONGEST_TOKEN,
    LONGEST_WORD,
    byte_length,
    parts,
    record_cut,
    shorter_words,
)
from zoo.text.separators import split_words
from zoo.text.special_tokens import SPECIALS, UNKNOWN


def learn_vocabulary(
    texts: Iterable[str], vocabulary_size: int, always: Sequence[str] = ()
) -> list[str]:
    """The tokens of a WordPiece vocabulary; see `WordPieceTokenizer.train`.

    Args:
        texts: The texts, iterated once.
        vocabulary_size: Maximum number of tokens, exceeded only if the characters need more.
        always: Tokens that follow the special tokens.

    Raises:
        UserError: If the texts are empty.

    Example:
        >>> learn_vocabulary(["aha"], 30)[4:]
        ['a', 'h', '##a', '##h', '##ah', 'ah', 'aha']
    """
    counts = collections.Counter(word for text in texts for word in split_words(text))
    if not counts:
        raise UserError("cannot learn a vocabulary: the texts are empty")
    words = shorter_words(counts, LONGEST_WORD)
    learned_from = {word: _learned_from(word) for word in words}
    cut = sum(count for word, count in words.items() if len(learned_from[word]) > 1)
    record_cut(cut, LONGEST_TOKEN)
    learner = tokenizers.Tokenizer(models.BPE())
    learner.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Punctuation("isolated"),
            pre_tokenizers.Split(tokenizers.Regex(r"\s"), "isolated"),
        ]
    )
    # Words start with "▁" in training. With the trainer's own prefix for continuations, the
    # result would depend on the order of a hash table.
    learner.train_from_iterator(
        (part for word, count in words.items() for part in learned_from[word] * count),
        trainers.BpeTrainer(vocab_size=vocabulary_size, show_progress=False),
    )
    learned = learner.get_vocab()
    pieces = [
        piece.removeprefix("▁") if piece.startswith("▁") else f"##{piece}"
        for piece in sorted(learned, key=learned.__getitem__)
        if piece != "▁"
    ]
    characters = sorted({character for word in words for character in word})
    required = [
        *SPECIALS,
        *always,
        *characters,
        *(f"##{character}" for character in characters),
    ]
    vocabulary = list(dict.fromkeys([*required, *pieces]))
    return vocabulary[: max(vocabulary_size, len(required))]


def _learned_from(word: str) -> list[str]:
    """A word with "▁" at its beginning, in parts that no longer token can be learned from."""
    first, *others = parts(word)
    return [f"▁{first}", *others]


def parse_piece(piece: str) -> tuple[bool, str]:
    """Whether a token continues a word, and its text without the prefix."""
    inside = piece.startswith("##") and len(piece) > 2
    return inside, piece[2:] if inside else piece


def token_counts(texts: Sequence[str], vocabulary_size: int) -> list[int]:
    """The number of tokens of each text in a vocabulary that is learned from all of them.

    Args:
        texts: The texts.
        vocabulary_size: Maximum number of tokens of the vocabulary.

    Raises:
        UserError: If the texts are empty.

    Example:
        >>> token_counts(["aha ha", "", "ah"], 30)
        [2, 0, 1]
    """
    # No word contains a space, so that the texts "##s" and "[END]" are not those tokens.
    pieces = [parse_piece(piece) for piece in learn_vocabulary(texts, vocabulary_size)]
    spelled = [text + " " for _, text in pieces[: len(SPECIALS)]]
    spelled += [" " + text if inside else text for inside, text in pieces[len(SPECIALS) :]]
    model = models.WordPiece(
        {text: number for number, text in enumerate(spelled)},
        unk_token=spelled[UNKNOWN],
        continuing_subword_prefix=" ",
        max_input_chars_per_word=LONGEST_WORD,
    )
    words = [
        [word if byte_length(word) <= LONGEST_WORD else " " for word in split_words(text)]
        for text in texts
    ]
    encoded = tokenizers.Tokenizer(model).encode_batch(
        words, is_pretokenized=True, add_special_tokens=False
    )
    return [len(each.ids) for each in encoded]
