"""A decoder small enough to know every output it could give, in tensors and in NumPy float64.

It remembers the whole prefix in a recurrent state, its step depends on the source, on the token
and on the number of the step: a state that is lost, mixed up or taken from another row shows.
"""

from itertools import product

import numpy as np
from keras import ops

PAD, UNKNOWN, START, END = range(4)
VOCABULARY, WIDTH, LONGEST = 7, 5, 11
# No output has padding or the start in it; the end comes last.
INNER = [UNKNOWN, *range(END + 1, VOCABULARY)]


class Toy:
    """A `Decoder` with weights that are drawn once.

    Args:
        end: Added to the logit of the end token, to make outputs shorter or longer.
    """

    def __init__(self, end: float = 0.0, seed: int = 8) -> None:
        rng = np.random.default_rng(seed)
        self.source = rng.normal(size=(VOCABULARY, WIDTH))
        self.token = rng.normal(size=(VOCABULARY, WIDTH))
        self.position = rng.normal(size=(LONGEST, WIDTH))
        self.recurrent = rng.normal(size=(WIDTH, WIDTH))
        self.output = 0.7 * rng.normal(size=(WIDTH, VOCABULARY))
        # Padding and the start would win if they were let.
        self.bias = np.array([4.0, 0, 4.0, end, 0, 0, 0])

    def encode(self, inputs):
        return {"sequence": _f(self.source, inputs["source_ids"]), "mask": inputs["source_mask"]}

    def initial_state(self, memory, max_length):
        kept = ops.expand_dims(ops.cast(memory["mask"], "float32"), -1)
        summary = ops.sum(memory["sequence"] * kept, axis=1)
        return {
            "memory": {"summary": summary},
            "cache": [{"h": ops.zeros_like(summary)}],
            "index": ops.convert_to_tensor(0, "int32"),
        }

    def read(self, tokens, count, state):
        return state

    def step(self, tokens, state):
        index = state["index"]
        h = ops.matmul(state["cache"][0]["h"], self.recurrent.astype("float32"))
        h = ops.tanh(
            h + _f(self.token, tokens) + _f(self.position, index) + state["memory"]["summary"]
        )
        logits = ops.matmul(h, self.output.astype("float32")) + self.bias.astype("float32")
        return logits, {"memory": state["memory"], "cache": [{"h": h}], "index": index + 1}

    def log_p(self, source, prefix):
        """Of each token after a prefix, without padding and start: (V,) in float64."""
        h = np.zeros(WIDTH)
        summary = self.source[[token for token in source if token != PAD]].sum(axis=0)
        for index, token in enumerate([START, *prefix]):
            h = np.tanh(h @ self.recurrent + self.token[token] + self.position[index] + summary)
        logits = h @ self.output + self.bias
        logits[[PAD, START]] = -np.inf
        return logits - np.log(np.exp(logits).sum())

    def total(self, source, output):
        """The log-probability of an output."""
        return sum(self.log_p(source, output[:t])[token] for t, token in enumerate(output))


def inputs_of(sources, pad=PAD):
    """What the toy encodes, of padded ids (B, S)."""
    ids = ops.convert_to_tensor(sources)
    return {"source_ids": ids, "source_mask": ops.not_equal(ids, pad)}


def _f(table, numbers):
    return ops.take(ops.convert_to_tensor(table.astype("float32")), numbers, axis=0)


def all_outputs(longest):
    """Every output of at most so many tokens: ended, or cut at the greatest length."""
    for length in range(longest):
        for inner in product(INNER, repeat=length):
            yield (*inner, END)
    yield from product(INNER, repeat=longest)


def best_of_all(toy, source, longest, length_penalty):
    """(score, output) of every possible output, best first."""
    scored = (
        (toy.total(source, output) / len(output) ** length_penalty, output)
        for output in all_outputs(longest)
    )
    return sorted(scored, reverse=True)


def greedy(toy, source, longest):
    output = []
    while len(output) < longest and output[-1:] != [END]:
        output.append(int(np.argmax(toy.log_p(source, output))))
    return output


def beam_search(toy, source, longest, beams, length_penalty, early_stopping=False):
    """(score, output) of the beams, best first, as the search is described; one row, in lists."""
    running, finished = [(0.0, ())], []
    for length in range(1, longest + 1):
        continued = sorted(
            (
                (total + toy.log_p(source, prefix)[token], (*prefix, token))
                for total, prefix in running
                for token in [*INNER, END]
            ),
            reverse=True,
        )[: 2 * beams]
        for total, output in continued[:beams]:
            if output[-1] == END or length == longest:
                finished.append((total / length**length_penalty, output))
        finished = sorted(finished, reverse=True)[:beams]
        running = [one for one in continued if one[1][-1] != END][:beams]
        patient = early_stopping == "never" and length_penalty > 0
        hope = max((total for total, _ in running), default=-np.inf)
        hope /= (longest if patient else length) ** length_penalty
        if len(finished) == beams and (early_stopping is True or finished[-1][0] >= hope):
            break
    return finished
