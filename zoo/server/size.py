"""The size of inputs once they are padded and decoded, whatever the size of the request."""

import io
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from zoo.data.images.header import MAX_PIXELS, header_in
from zoo.preprocessing.images import BYTES
from zoo.server.limits import BeyondLimit, RequestError, RequestLimits
from zoo.server.servable import Arrays, ServedSignature, Tensor

PAIRS = 1 << 22  # of ids of the same row that are computed together; twice as many in a call
LARGER = 8  # times as many numbers, or bytes of texts, as ids may be computed together
SPARE = 1 << 16  # values that may be padding, however much there is besides
SPARE_PAIRS = 1 << 20


class Amount(NamedTuple):
    """How much an input is: in values, in bytes of texts, or in pixels of encoded images.

    Args:
        rows: Number of rows.
        total: All that it has.
        longest: The row that has most.
        squares: The sum of the squares of the lengths of rows, as attention compares each pair.
    """

    rows: int
    total: int
    longest: int
    squares: int


Amounts = dict[str, Amount]  # by the name of the input


def amounts_of(signature: ServedSignature, arrays: Arrays) -> Amounts:
    """How much each input of a call is.

    Raises:
        RequestError: If an encoded image is none, or has too many pixels.
    """
    return {name: _amount(name, tensor, arrays[name]) for name, tensor in signature.inputs.items()}


def _amount(name: str, tensor: Tensor, array: np.ndarray) -> Amount:
    if _is_image(name, tensor):
        rows = [pixels(each, f"input {name!r}") for each in array.ravel()]
    elif tensor.dtype == "string":
        rows = [len(each) for each in array.ravel()]
    else:
        count = len(array) if array.ndim else 1
        rows = [array.size // max(1, count)] * count
    return Amount(len(rows), sum(rows), max(rows, default=0), sum(each * each for each in rows))


def _is_image(name: str, tensor: Tensor) -> bool:
    """Whether an input is of encoded images."""
    return name == BYTES and tensor.dtype == "string"


def pixels(content: bytes, where: str) -> int:
    """The number of pixels of an encoded image, from its header.

    Args:
        content: The image.
        where: What the message of an error begins with.

    Raises:
        RequestError: If it is none, or has too many pixels.
    """
    try:
        height, width, _ = header_in(io.BytesIO(content))
    except ValueError as error:
        raise RequestError(f"{where}: {error}") from None
    return height * width


def together(every: Iterable[Amounts]) -> Amounts:
    """How much the inputs of several calls are."""
    by_name: dict[str, list[Amount]] = {}
    for each in every:
        for name, amount in each.items():
            by_name.setdefault(name, []).append(amount)
    return {
        name: Amount(
            sum(x.rows for x in amounts),
            sum(x.total for x in amounts),
            max(x.longest for x in amounts),
            sum(x.squares for x in amounts),
        )
        for name, amounts in by_name.items()
    }


def fits(signature: ServedSignature, amounts: Amounts, limits: RequestLimits) -> bool:
    """Whether so much may be computed together, and little of it is padding.

    Otherwise one long text would make each of the others that it meets as long.
    """
    return all(
        _padded(name, tensor, amounts[name]) <= _most(name, tensor, limits)
        and _padded(name, tensor, amounts[name]) <= 4 * amounts[name].total + SPARE
        and _pairs(tensor, amounts[name]) <= min(PAIRS, 2 * amounts[name].squares + SPARE_PAIRS)
        for name, tensor in signature.inputs.items()
    )


def check(signature: ServedSignature, amounts: Amounts, limits: RequestLimits) -> None:
    """Raises a `BeyondLimit` if a call is too much to be computed."""
    for name, tensor in signature.inputs.items():
        whole, most = _padded(name, tensor, amounts[name]), _most(name, tensor, limits)
        if whole > most:
            what = "pixels" if _is_image(name, tensor) else "values, with the padding,"
            raise BeyondLimit(f"input {name!r}: {whole} {what} in a call; at most {most}")
        amount = amounts[name]
        if amount.rows > 1 and _pairs(tensor, amount) > 2 * PAIRS:
            raise BeyondLimit(
                f"input {name!r}: {amount.rows} rows of {amount.longest} ids are too many in a "
                "call: send fewer of them"
            )


def check_answer(count: int, limits: RequestLimits) -> None:
    """Raises a `BeyondLimit` if an answer has too many numbers and texts."""
    if count > limits.answer:
        raise BeyondLimit(
            f"the answer has more than {limits.answer} values: send fewer or shorter rows, or "
            "start the server with a larger --max-answer"
        )


def _padded(name: str, tensor: Tensor, amount: Amount) -> int:
    """How much rows are together: images the sum, all others as if each were the longest."""
    return amount.total if _is_image(name, tensor) else amount.rows * amount.longest


def _pairs(tensor: Tensor, amount: Amount) -> int:
    """How many pairs there are of the ids of the same row, once rows are padded."""
    return amount.rows * amount.longest**2 if tensor.is_ids else 0


def _most(name: str, tensor: Tensor, limits: RequestLimits) -> int:
    """How much of an input may be computed together."""
    if _is_image(name, tensor):
        return MAX_PIXELS
    return limits.values * (1 if tensor.dtype.startswith(("int", "uint")) else LARGER)
