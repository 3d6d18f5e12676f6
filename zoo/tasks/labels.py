"""The check that inputs are single texts, or pairs of texts."""

from zoo.errors import UserError


def check_pairs(what: str, given: bool, wanted: bool) -> None:
    """Raises a `UserError` if single texts are given instead of pairs, or pairs instead.

    Args:
        what: The data, for the message.
        given: Whether they are pairs.
        wanted: Whether they should be.
    """
    if given != wanted:
        names = {True: "pairs", False: "single texts"}
        raise UserError(f"{what}: expected {names[wanted]}, found {names[given]}")
