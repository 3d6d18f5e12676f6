"""Prompts of chosen numbers of tokens, and a passage, by which a bundle is verified."""

from collections.abc import Iterable

from zoo.text.tokenizer import Tokenizer

# Of one token, around each number that is read at once, and of a cache that is almost full.
EDGES = (1, 15, 16, 17, 127, 128, 129, 511, 512, 513)
SAMPLES = 32
TRIES = 64  # places of the text at which a prompt may begin
TEXT = (
    "The capital of France is Paris, and 13 lazy dogs sleep there. In 1999, Zoë's café sold 2,048 "
    "naïve crêpes for 3.50 € each.\n\ndef add(a, b):\n    return a + b\n\nOnce upon a time, there "
    'was a small house at the edge of a wood: nobody knew who lived in it. "Who are you?" asked '
    "the girl. It was raining, and she had lost her way. "
)
# Ordinary prose, whose perplexity is compared.
PASSAGE = (
    "The village lies at the end of a long valley, where the river leaves the mountains. In winter "
    "the road is often closed by snow, and the mail comes only twice a week. Most people who live "
    "there keep sheep or work in the small factory that makes wooden toys. Last year the mayor "
    "asked the government for a new bridge, because the old one, which was built in 1911, can no "
    "longer carry heavy trucks. The answer came after eight months: there was no money, but an "
    "engineer would be sent to look at it.\n\n"
    '"How long will it hold?" the mayor asked her when she had climbed back to the road.\n'
    '"If nobody drives too fast, another ten years," she said. "But I would not wait that long. '
    'Water has washed away part of the stone under the second pillar."\n\n'
    "She wrote a report of twelve pages, with photographs and a table of costs. To repair the "
    "pillar would take about six weeks and cost less than a tenth of a new bridge. The work could "
    "be done in late summer, when the river is low and children are on holiday. In the evening she "
    "took the last bus to the city, and the mayor went home to tell his wife that, for once, "
    "somebody had listened.\n"
)


def edge_lengths(max_length: int) -> list[int]:
    """Numbers of tokens of prompts for a cache of `max_length`, which leave room for one more.

    Example:
        >>> edge_lengths(20)
        [1, 15, 16, 17, 18, 19]
    """
    lengths = {*EDGES, max_length - 2, max_length - 1}
    return sorted(each for each in lengths if 1 <= each < max_length)


def sample_lengths(max_length: int) -> list[int]:
    """Numbers of tokens of many short prompts.

    Example:
        >>> len(sample_lengths(1280)), max(sample_lengths(1280)), max(sample_lengths(8))
        (32, 20, 4)
    """
    return [min(5 + number % 16, max_length // 2) for number in range(SAMPLES)]


def prompts(
    tokenizer: Tokenizer, lengths: Iterable[int], step: int = 0
) -> list[tuple[str, list[int]]]:
    """A prompt of each length, with its ids.

    They are cut from a text that is repeated. A length is left out where no cut has ids that the
    tokenizer gives for it again.

    Args:
        tokenizer: The tokenizer.
        lengths: Numbers of tokens.
        step: How many tokens behind the last prompt the next one begins.
    """
    wanted = [*lengths]
    once = len(tokenizer.tokenize([TEXT]).to_list()[0])
    copies = 2 + (once + max(wanted, default=0) + TRIES) // once
    # Tokens may span two copies, such as a space and a word.
    ids = tokenizer.tokenize([TEXT * copies]).to_list()[0]
    chosen = []
    for number, length in enumerate(wanted):
        first = number * step % once
        for start in range(first, first + TRIES):
            cut = ids[start : start + length]
            content = tokenizer.detokenize([cut]).numpy()[0]
            try:
                words = content.decode()
            except UnicodeDecodeError:
                continue
            if tokenizer.tokenize([words]).to_list() == [cut]:
                chosen.append((words, cut))
                break
    return chosen
