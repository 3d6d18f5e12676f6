"""Methods of the tasks that generate texts, besides those of every task."""

import operator
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import numpy as np
import tensorflow as tf
from keras import ops

from zoo.data_statistics import collecting
from zoo.decoding import streaming
from zoo.decoding.options import GenerationOptions
from zoo.decoding.protocol import IMPOSSIBLE
from zoo.errors import UserError
from zoo.options import options_of
from zoo.preprocessing.base import Features
from zoo.serving.inference import Tensors
from zoo.tasks.generation import Candidate, token_by_token, with_every_beam
from zoo.tasks.inputs.sources import GenerationInput
from zoo.tasks.task import Task
from zoo.text.form import TextForm

STEP = "traced step"  # name of the program that generates a token


def candidates(
    task: Task, data: Any, beams: int = 4, batch_size: int = 32, **generation: Any
) -> list[list[Candidate]]:
    """Generates the outputs of all beams for each input, best first.

    Args:
        data: The sources or prompts.
        beams: Number of beams, and of outputs for each input.
        batch_size: Batch size. Inputs of similar length are batched together.
        **generation: Other options; see `zoo.decoding.options.GenerationOptions`.

    Returns:
        A list of `beams` candidates for each input, or fewer if fewer outputs are possible.
    """
    options_of(GenerationOptions, generation, "candidates")
    predictor = task.predictor(beams=beams, **generation)

    def beams_of(outputs: Tensors, features: Features) -> Tensors:
        every = with_every_beam(outputs)
        texts = predictor.head.postprocess(every, features, TextForm.STRINGS)["beam_texts"]
        return {"text": texts, "score": every["beam_scores"]}

    rows = predictor.rows(predictor.raw(data), batch_size, beams_of)
    return [
        [
            Candidate(text.decode(), float(score))
            for text, score in zip(*row.values(), strict=True)
            if score > IMPOSSIBLE / 2
        ]
        for row in rows
    ]


def generate_ids(
    task: Task, source: Any, max_new_tokens: int | None = None, **generation: Any
) -> np.ndarray:
    """Generates the ids (B, L) of the best output for each input.

    Ids are padded with `task.special_tokens.pad`. It is 0, or the padding id of the checkpoint,
    or -1 if the checkpoint has no padding token, such as GPT-2.

    Args:
        source: int32 ids (B, S) of sources, which end with the end token, or of prompts; or
            images, as `predict` takes them.
        max_new_tokens: Maximum number of tokens L; defaults to that of the task.
        **generation: See `zoo.decoding.options.GenerationOptions`.

    Raises:
        UserError: If the lengths exceed the limit of the model.
    """
    options_of(GenerationOptions, generation, "generate_ids")
    run = task.runner(max_new_tokens=max_new_tokens, **generation)
    features = _source(task).features_of(task.fitted, source)
    return run(task.preprocessor.feature_signature, features)["token_ids"]


def stream(
    task: Task, source: Any, max_new_tokens: int | None = None, **generation: Any
) -> Iterator[str]:
    """Generates a text, piece by piece. Joined, the pieces are what `predict` generates.

    Args:
        source: The source or prompt, as in the list that `predict` takes.
        max_new_tokens: Maximum number of tokens.
        **generation: Other `zoo.decoding.options.GenerationOptions`, except those of beam
            search.
    """
    how = options_of(GenerationOptions, {**generation, "max_new_tokens": max_new_tokens}, "stream")
    length = how.max_new_tokens or max_new_tokens_of(task)
    if how.beams > 1:
        raise UserError("stream has no option 'beams': beam search cannot be streamed")
    fitted, source_input = task.fitted, _source(task)
    with collecting("stream"):
        features = task.read_inputs([source], max_new_tokens=length)
    source_input.check_length(fitted, source_input.length(fitted, features), length)
    prepared = source_input.reader(fitted).prepare(features)
    inputs = {name: ops.convert_to_tensor(np.asarray(x)) for name, x in prepared.items()}
    step = task.programs.kept(STEP, lambda: streaming.TracedStep(task.model))
    writer = source_input.writer(fitted.preprocessor)
    decoding = token_by_token(how, length, step, writer.tokenizer)
    tokens = streaming.stream(decoding, inputs, how.seed)
    known = accumulate(([token] for token in tokens), operator.add)
    return streaming.pieces(writer.detokenize(tf.constant([ids])).numpy()[0] for ids in known)


def max_new_tokens_of(task: Task) -> int:
    """Default maximum number of tokens to generate."""
    return _source(task).max_new_tokens(task.settings)


max_new_tokens = property(max_new_tokens_of)


def _source(task: Task) -> GenerationInput[Any, Any]:
    source = task.parts.input
    assert isinstance(source, GenerationInput)
    return source
