"""The kernels of a program that XLA compiled, by its text."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

# Instructions that only name what others computed.
NAMES_ONLY = {"parameter", "bitcast", "get-tuple-element", "tuple", "constant"}


@dataclass(frozen=True)
class Kernel:
    """A kernel of a compiled program.

    Args:
        name: Its name in the program.
        output: Its shape, such as "bf16[16,1024,768]", or several in parentheses.
        inputs: The shapes of what it reads.
        source: Where it comes from, such as "jit(train_step)/jvp(block_1)/mul".
        is_product: Whether it multiplies matrices or computes attention.
    """

    name: str
    output: str
    inputs: tuple[str, ...]
    source: str
    is_product: bool

    @property
    def bytes(self) -> int:
        """What it reads and writes."""
        return sum(map(size, (self.output, *self.inputs)))


def size(shape: str) -> int:
    """The bytes of a shape.

    Example:
        >>> size("bf16[3,5]"), size("(f32[7], pred[])")
        (30, 29)
    """
    total = 0
    for kind, bits, sizes in re.findall(r"([a-z]+)(\d*)\w*\[([\d,]*)\]", shape):
        width = 1 if kind == "pred" else int(bits or 0) // 8
        total += width * math.prod(int(each) for each in sizes.split(",") if each)
    return total


def kernels(program: str) -> Iterator[Kernel]:
    """The kernels of a compiled program, by its text."""
    shapes: dict[str, str] = {}
    entry = program[program.index("\nENTRY") + 1 :].partition("\n}")[0]
    for line in entry.splitlines()[1:]:
        found = re.match(r"\s*(?:ROOT )?%?([\w.\-]+) = (\(.*?\)|\S+) ([\w\-]+)\((.*)", line)
        if not found:
            continue
        name, shape, kind, rest = found.groups()
        # Memory layouts, such as {1,0}, and the indices of long tuples, such as /*index=5*/
        shapes[name] = re.sub(r"\{[^}]*\}|/\*.*?\*/", "", shape)
        if kind in NAMES_ONLY:
            continue
        inputs = dict.fromkeys(re.findall(r"%([\w.\-]+)", rest.partition("), ")[0]))
        source = re.search(r'op_name="([^"]*)"', line)
        is_product = kind in ("custom-call", "dot") or "gemm" in name
        yield Kernel(
            name,
            shapes[name],
            tuple(shapes[each] for each in inputs if each in shapes),
            source[1] if source else "",
            is_product,
        )
