"""The attention of models of documents: which words and which sentences they look at."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from zoo.attention_map import AttentionMap
from zoo.models.attending import SENTENCES, WORDS
from zoo.preprocessing.base import BATCH
from zoo.serving.inference import Inference, OutputAxes, Tensors
from zoo.tasks.attending import ATTENTION, map_names


def document_attention(
    model: Any, features: Mapping[str, Any], prepare: Callable[[Tensors], Tensors]
) -> dict[str, Inference]:
    """The inference of the attention weights of a model of documents, by its name.

    Args:
        model: A model with the parts "words" and "sentences".
        features: Spec of each feature.
        prepare: Function from features to the inputs of the model.
    """
    names = {part: name for name, part in map_names(model).items()}

    def compute(inputs: Tensors) -> Tensors:
        return {names[part]: maps[0] for part, maps in model.attention_maps(inputs).items()}

    outputs: OutputAxes = {
        names[WORDS]: (BATCH, 1, SENTENCES, WORDS),
        names[SENTENCES]: (BATCH, 1, 1, SENTENCES),
    }
    return {ATTENTION: Inference(features, prepare, compute, outputs)}


def document_maps(
    ids: np.ndarray, outputs: Mapping[str, Any], pieces: Callable[[Any], list[str]]
) -> dict[str, list[AttentionMap]]:
    """The maps of one document: one of each sentence over its words, and one over the sentences.

    Args:
        ids: The ids of the document, (sentences, words).
        outputs: The outputs of the signature `attention` for it.
        pieces: Function from the ids of a sentence to its tokens, without padding.
    """
    words, sentences = outputs[f"{WORDS}_0"][0], outputs[f"{SENTENCES}_0"][0]
    tokens = [row_pieces for row in ids if (row_pieces := pieces(row))]
    rows = [
        AttentionMap(words[:, i : i + 1, : len(each)], each, [f"sentence {i + 1}"], WORDS)
        for i, each in enumerate(tokens)
    ]
    columns = [" ".join(each) for each in tokens]
    whole = AttentionMap(sentences[:, :, : len(tokens)], columns, ["document"], SENTENCES)
    return {WORDS: rows, SENTENCES: [whole]}
