"""Columns that number the words of each sentence: indices, and neither words nor tags."""

import re
from collections.abc import Iterable, Sequence

from zoo.errors import UserError

NUMBER = re.compile("[0-9]{1,9}")


def are_word_numbers(sentences: Iterable[Sequence[str]]) -> bool:
    """Whether cells number the words of each sentence, from 0 or 1, or the words of all sentences.

    Args:
        sentences: The cells of a column, for each sentence.

    Example:
        >>> are_word_numbers([["1", "2", "3"], ["1", "2"]])
        True
        >>> are_word_numbers([["0", "1"], ["2", "3", "4"]])
        True
        >>> are_word_numbers([["1914", "1918"], ["7"]])
        False
    """
    several, before = False, 0
    for cells in sentences:
        if not all(NUMBER.fullmatch(cell) for cell in cells):
            return False
        numbers = [int(cell) for cell in cells]
        if numbers and numbers[0] not in (0, 1, before + 1):
            return False
        if numbers != list(range(numbers[0], numbers[0] + len(numbers)) if numbers else []):
            return False
        several, before = several or len(numbers) > 1, numbers[-1] if numbers else before
    return several


def refuse_word_numbers(column: str, option: str, sentences: Iterable[Sequence[str]]) -> None:
    """Refuses a column of words or tags that numbers the words.

    Args:
        column: The file and the column, for the message.
        option: The option that names it, such as "--word-column".
        sentences: Its cells, for each sentence.

    Raises:
        UserError: If it numbers them.
    """
    if are_word_numbers(sentences):
        reason = f"which {option} names, numbers the words of each sentence"
        raise UserError(f"{column}, {reason}: name another column")
