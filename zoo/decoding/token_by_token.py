"""Generation of one token after another: the loop of greedy decoding and sampling, and its step."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from keras import ops

from zoo.decoding.logits_processors import NONE, LogitsProcessors
from zoo.decoding.protocol import (
    Decoder,
    Generated,
    begin,
    column,
    count_tokens,
    has_prompt,
    log_probabilities,
    new_tokens,
    prompt_of,
    without_source,
    write_column,
)
from zoo.text.special_tokens import DEFAULT_SPECIAL_TOKENS, SpecialTokens

# Chooses the next tokens (B,) from log-probabilities (B, V), the number of the step and random
# seeds (B, 2), if there are any. Returns the tokens and their log-probabilities (B,).
Choose = Callable[[Any, Any, Any], tuple[Any, Any]]
Tensors = dict[str, Any]


@dataclass(frozen=True)
class TokenByToken:
    """Greedy decoding or sampling.

    `start` reads the inputs, and each `step` generates a token of every row. Both return
    dictionaries of tensors: `constant`, which steps only read, and `state`, of which each step
    returns a new one.

    Args:
        model: A `Decoder`.
        max_new_tokens: Maximum number of tokens L, including the end token.
        choose: Function that chooses the next tokens.
        special_tokens: Ids of the special tokens.
        logits_processors: Rules that constrain the generated tokens.
    """

    model: Decoder
    max_new_tokens: int
    choose: Choose
    special_tokens: SpecialTokens = DEFAULT_SPECIAL_TOKENS
    logits_processors: LogitsProcessors = NONE

    def generate(self, inputs: Tensors, seeds: Any = None) -> Generated:
        """Generates until every row has ended.

        Args:
            inputs: Inputs of the model's `encode`, with B rows.
            seeds: Random seeds (B, 2), if `choose` needs them.
        """
        constant, first = self.start(inputs, seeds)

        def continues(state: Tensors) -> Any:
            return ops.logical_not(ops.all(state["ended"]))

        def body(state: Tensors) -> tuple[Tensors]:
            return (self.step(constant, state),)

        (state,) = ops.while_loop(continues, body, (first,))
        return self.generated(constant, state)

    def start(self, inputs: Tensors, seeds: Any = None) -> tuple[Tensors, Tensors]:
        """The constant tensors and the state before the first step; see `generate`."""
        prompt = prompt_of(inputs, self.special_tokens)
        memory = self.model.encode(inputs)
        begun, ids = begin(self.model, memory, prompt, self.max_new_tokens, self.special_tokens)
        rows = ops.shape(ids)[0]
        constant = {"memory": begun["memory"], "prompt_lengths": prompt.lengths}
        state = {
            "cache": begun["cache"],
            "ended": without_source(inputs, rows, self.special_tokens),
            "index": begun["index"],
            "scores": ops.zeros((rows,), "float32"),
            "token_ids": ids,
        }
        return constant if seeds is None else {**constant, "seeds": seeds}, state

    def step(self, constant: Tensors, state: Tensors) -> Tensors:
        """Reads one token of each row and chooses the next one. Returns the new state."""
        special, lengths = self.special_tokens, constant["prompt_lengths"]
        index, ids, ended = state["index"], state["token_ids"], state["ended"]
        before = {"memory": constant["memory"], "cache": state["cache"], "index": index}
        logits, after = self.model.step(column(ids, index), before)
        log_p = log_probabilities(logits, special)
        log_p = self.logits_processors(log_p, ids, index, lengths, special.end)
        tokens, gain = self.choose(log_p, index, constant.get("seeds"))
        tokens = ops.where(ended, special.pad, ops.cast(tokens, "int32"))
        is_new = ops.logical_not(ended)
        if has_prompt(ids, self.max_new_tokens):
            given = ops.less(index + 1, lengths)
            tokens = ops.where(given, column(ids, index + 1), tokens)
            is_new = ops.logical_and(is_new, ops.logical_not(given))
        stops = ops.logical_or(
            ops.equal(tokens, special.end),
            ops.greater_equal(index + 1, lengths + self.max_new_tokens - 1),
        )
        return {
            "cache": after["cache"],
            "ended": ops.logical_or(ended, ops.logical_and(is_new, stops)),
            "index": index + 1,
            "scores": state["scores"] + ops.where(is_new, gain, 0.0),
            "token_ids": write_column(ids, tokens, index + 1),
        }

    def generated(self, constant: Tensors, state: Tensors) -> Generated:
        """What was generated so far."""
        ids = ops.expand_dims(state["token_ids"], 1)
        ids = new_tokens(ids, constant["prompt_lengths"], self.max_new_tokens)
        lengths = count_tokens(ids, self.special_tokens)
        return Generated(ids, lengths, ops.expand_dims(state["scores"], 1))
