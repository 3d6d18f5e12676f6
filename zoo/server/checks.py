"""Checks of the inputs of a call against its signature: sizes, ids and the limits of a row."""

from zoo.preprocessing.audio import LENGTHS, WAVEFORM
from zoo.preprocessing.base import BATCH
from zoo.server.limits import TEXT_FACTOR, BeyondLimit, RequestError, RequestLimits
from zoo.server.servable import Arrays, ServedSignature, Tensor


def check_length(tensor: Tensor, size: int, limits: RequestLimits, where: str) -> None:
    """Raises a `BeyondLimit` if an axis of integers is too long.

    Args:
        tensor: The input.
        size: The size of the axis.
        limits: The limits, with the number of ids of the model.
        where: What the message begins with.
    """
    most = limits.ids_of(None) if tensor.is_ids else limits.length
    if size > most:
        what = "token ids in a row" if tensor.is_ids else "values"
        raise BeyondLimit(
            f"{where}: {size} {what}; at most {most}, unless the server is started with a larger "
            "--max-length"
        )


def check_sizes(signature: ServedSignature, arrays: Arrays, limits: RequestLimits) -> None:
    """Raises a RequestError unless the sizes fit, and are within the limits."""
    sizes: dict[str, int] = {}
    for name, tensor in signature.inputs.items():
        array = arrays[name]
        wanted_sizes = tensor.sizes if not signature.fixed_rows else (None, *tensor.sizes[1:])
        for index, (axis, fixed, size) in enumerate(
            zip(tensor.axes, wanted_sizes, array.shape, strict=True)
        ):
            wanted = sizes.setdefault(axis, size) if isinstance(axis, str) else axis
            if wanted not in (None, size):
                raise RequestError(f"input {name!r}: axis {index} must be {wanted}, got {size}")
            if fixed is not None and (size > fixed or (size < fixed and tensor.padding is None)):
                raise RequestError(f"input {name!r}: axis {index} must be {fixed}, got {size}")
            if size == 0 and (axis == BATCH or not signature.empty or _may_join(signature, tensor)):
                raise RequestError(f"input {name!r} must not be empty")
        if tensor.is_ids and len(array):
            check_length(tensor, array.size // len(array), limits, f"input {name!r}")
        if tensor.values and array.size:
            least, greatest = tensor.values
            odd = array[(array < least) | (array > greatest)]
            if odd.size:
                raise RequestError(
                    f"input {name!r}: {odd[0]} is not among the ids {least} to {greatest}"
                )
        if name == LENGTHS and WAVEFORM in arrays and array.size:
            longest, samples = array.max(), arrays[WAVEFORM].shape[1]
            if longest > samples:
                raise RequestError(f"input {name!r}: {longest} is more than the {samples} samples")
        if tensor.dtype == "string" and not name.endswith("_bytes"):
            longest = max((len(each) for each in array.flat), default=0)
            if longest > TEXT_FACTOR * limits.length:
                most = TEXT_FACTOR * limits.length
                raise BeyondLimit(f"input {name!r}: a text of {longest} bytes; at most {most}")


def _may_join(signature: ServedSignature, tensor: Tensor) -> bool:
    """Whether a row may be padded to the length of others, so that an empty one would be answered
    or refused by who else asks."""
    return signature.pads and tensor.axes[:1] == (BATCH,) and tensor.padding is not None
