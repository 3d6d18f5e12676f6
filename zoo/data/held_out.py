"""Holding out a fraction of the training data for validation."""

from zoo.errors import UserError


def check_share(share: float) -> None:
    """Raises a `UserError` unless the fraction is between 0 and 1."""
    if isinstance(share, bool) or not 0 < share < 1:
        raise UserError(f"the validation fraction must be above 0 and below 1, got {share}")
