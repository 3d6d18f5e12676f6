"""The longest entries of a vocabulary that start at each position."""

from collections.abc import Mapping, Sequence

import numpy as np
import tensorflow as tf

from zoo.text.programs.code_points import smallest
from zoo.text.programs.double_array import Slots
from zoo.text.programs.ragged import axis_size
from zoo.text.programs.repeated import repeated

Entries = Mapping[tuple[int, ...], int]
NOTHING = 0  # symbol that no entry has


class Trie:
    """Tries of sequences of symbols, one for each kind of position, in a double array.

    Source: Aoe 1989, "An Efficient Digital Search Algorithm by Using a Double-Array Structure".
    Formula: the child of node n for symbol c is `m = base(n) + c`, if `owner(m) = n`.

    Args:
        kinds: For each kind of position, the entries that may start there: sequences of symbols,
            and their values, from 0.
        symbols: Number of symbols; they are integers from 1, and `NOTHING`.

    Example:
        >>> trie = Trie([{(1,): 5, (1, 2, 1): 6}, {(2,): 7}], symbols=3)
        >>> symbols, kind = tf.constant([1, 2, 1, 2]), tf.constant([0, 1, 1, 1])
        >>> lengths, values = trie.longest(symbols, symbols, kind)
        >>> lengths.numpy().tolist(), values.numpy()[:2].tolist()
        ([3, 1, 0, 1], [6, 7])
    """

    def __init__(self, kinds: Sequence[Entries], symbols: int) -> None:
        base, owner, value = _double_array(kinds, symbols)
        # A node without an entry has an even number, one with an entry an odd one.
        self._base = base * 2 + (value >= 0)
        self._owner, self._value = owner, smallest(value)
        self._longest = max((len(key) for each in kinds for key in each), default=0)

    def longest(
        self, symbols: tf.Tensor, following: tf.Tensor, kind: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Finds the longest entry that starts at each position, for all positions at once.

        Args:
            symbols: The symbol of each position, int32 (M,).
            following: The same, with `NOTHING` where no entry may continue.
            kind: The kind of each position, int32 (M,).

        Returns:
            The length of the entry, 0 if there is none, and its value, int32 (M,).
        """
        size = tf.size(symbols)
        following = tf.pad(following, [[0, self._longest]], constant_values=NOTHING)

        def continues(step: tf.Tensor, _node, _base, _length, _last, more: tf.Tensor) -> tf.Tensor:
            return more & (step < self._longest)

        def body(step, node, base, length, last, _):
            symbol = tf.slice(following, [step], [size])
            child = base + tf.where(tf.equal(step, 0), symbols, symbol)
            known = tf.equal(tf.gather(self._owner, child), node)
            node = tf.where(known, child, _DEAD)
            base, ends = self._read(node)
            step += 1
            length, last = tf.where(ends, step, length), tf.where(ends, node, last)
            return step, node, base, length, last, tf.reduce_any(known)

        zero, root = tf.zeros_like(symbols), kind + 1  # behind the dead node
        start = (tf.constant(0), root, self._read(root)[0], zero, zero, tf.constant(True))
        _, _, _, length, last, _ = repeated(continues, body, start, self._longest)
        return length, tf.cast(tf.gather(self._value, last), tf.int32)

    def every(self, symbols: tf.Tensor, preceding: tf.Tensor) -> tf.Tensor:
        """Finds all entries of the first kind that end at each position, and are read backwards.

        Args:
            symbols: The symbol of each position, int32 (M,).
            preceding: The same, with `NOTHING` where no entry may go on to the left.

        Returns:
            For each length from the greatest to 1, the value of the entry of that length, -1 if
            there is none, int32 (M, K).
        """
        size, longest = axis_size(symbols, 0), max(1, self._longest)
        preceding = tf.pad(preceding, [[longest, 0]], constant_values=NOTHING)
        node, nodes = tf.ones_like(symbols), []
        for step in range(longest):
            symbol = preceding[longest - step : longest - step + size] if step else symbols
            child = tf.gather(self._base // 2, node) + symbol
            node = tf.where(tf.equal(tf.gather(self._owner, child), node), child, _DEAD)
            nodes.append(node)
        return tf.cast(tf.gather(self._value, tf.stack(nodes[::-1], axis=1)), tf.int32)

    def _read(self, node: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """The base of each node, and whether an entry ends there."""
        packed = tf.gather(self._base, node)
        base = packed // 2
        return base, packed > base * 2


_DEAD = 0  # node without children


def _double_array(
    kinds: Sequence[Entries], symbols: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The base, the parent and the value of each node; -1 where there is none."""
    children, values = _nodes(kinds)
    slots, bases = Slots(max(1 + len(kinds), symbols)), {}
    at = {root: 1 + root for root in range(len(kinds))}
    # Those with many children find their slots first, and the others what is left between them.
    several = [node for node, own in enumerate(children) if len(own) > 1]
    for node in sorted(several, key=lambda node: -len(children[node])):
        bases[node] = slots.base_for(np.array(sorted(children[node])))
        at |= {child: bases[node] + symbol for symbol, child in children[node].items()}
    single = [node for node, own in enumerate(children) if len(own) == 1]
    symbol_of = [next(iter(children[node])) for node in single]
    found = slots.bases_of_single(np.array(symbol_of, np.int64)).tolist()
    for node, symbol, base_of in zip(single, symbol_of, found, strict=True):
        bases[node] = base_of
        at[children[node][symbol]] = base_of + symbol
    nowhere = slots.end  # no node is there or behind
    base = np.full(nowhere + symbols, nowhere, np.int32)
    owner, value = np.full((2, len(base)), -1, np.int32)
    for node, index in at.items():
        base[index] = bases.get(node, nowhere)
        value[index] = values[node]
        owner[[at[child] for child in children[node].values()]] = index
    return base, owner, value


def _nodes(kinds: Sequence[Entries]) -> tuple[list[dict[int, int]], list[int]]:
    """The children of each node by symbol, and its value or -1; the roots come first."""
    children: list[dict[int, int]] = [{} for _ in kinds]
    values = [-1] * len(kinds)
    for root, entries in enumerate(kinds):
        for key, value in entries.items():
            node = root
            for symbol in key:
                if symbol not in children[node]:
                    children[node][symbol] = len(children)
                    children.append({})
                    values.append(-1)
                node = children[node][symbol]
            values[node] = value
    return children, values
