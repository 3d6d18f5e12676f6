"""Word tokenizer: every word is a token."""

import collections
from collections.abc import Iterable

from zoo.errors import UserError
from zoo.text.bert_wordpiece import BertWordPieceTokenizer
from zoo.text.limits import LONGEST_TOKEN, shorter_words
from zoo.text.special_tokens import MASK

_SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", MASK)


class WordTokenizer(BertWordPieceTokenizer):
    """Tokenizer of whole words, for models that read texts and do not generate any.

    Splits and normalizes text like uncased BERT: converts it to lower case, removes accents, and
    treats each punctuation mark and each Chinese character as a word. Words that are not in the
    vocabulary are unknown.

    Args:
        vocabulary: BERT's special tokens, followed by the words.

    Example:
        >>> tokenizer = WordTokenizer.train(["Red hats, red hut"], 8)
        >>> tokenizer.vocabulary[5:]
        ['red', ',', 'hats']
        >>> tokenizer.tokenize(["a RED hut"]).to_list()
        [[1, 5, 1]]
    """

    kind = "words"
    max_characters = LONGEST_TOKEN  # no token is longer

    @classmethod
    def train(cls, texts: Iterable[str], vocabulary_size: int) -> "WordTokenizer":
        """Creates a tokenizer with the most frequent words of texts, of at most 256 bytes each.

        Args:
            texts: The texts, iterated once.
            vocabulary_size: Maximum number of tokens.

        Raises:
            UserError: If the texts are empty.
        """
        from tokenizers import normalizers, pre_tokenizers

        normalize = normalizers.BertNormalizer().normalize_str
        split = pre_tokenizers.BertPreTokenizer().pre_tokenize_str
        counts = collections.Counter(word for text in texts for word, _ in split(normalize(text)))
        if not counts:
            raise UserError("cannot learn a vocabulary: the texts are empty")
        words = shorter_words(counts, LONGEST_TOKEN)
        frequent = sorted(words, key=lambda word: (-words[word], word))
        return cls([*_SPECIAL_TOKENS, *frequent[: max(0, vocabulary_size - len(_SPECIAL_TOKENS))]])
