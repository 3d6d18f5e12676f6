"""A Transformer of the zoo in CTranslate2, an engine made for it, as a contender."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.endless import LENGTHS, source_ids
from zoo.bench.timing import Contender
from zoo.text.special_tokens import END, START


def write_model(model: Any, folder: Path) -> None:
    """The weights of a post-norm Transformer with shared embeddings, in CTranslate2's format."""
    from ctranslate2.specs import TransformerSpec
    from ctranslate2.specs.common_spec import Activation

    num_heads = model.encoder[0].num_heads
    spec = TransformerSpec.from_config(
        len(model.encoder), num_heads, pre_norm=False, activation=Activation.RELU
    )
    (table,) = map(np.array, model.target_embedding.weights)
    places = np.zeros((1, max(LENGTHS.values()) + 1, table.shape[1]), "float32")
    places = np.array(model.positions(places))[0]
    for side, embeddings in ((spec.encoder, spec.encoder.embeddings[0]), (spec.decoder, None)):
        (embeddings or side.embeddings).weight = table
        side.position_encodings.encodings = places
    spec.decoder.projection.weight = table
    for block, layer in zip(model.encoder, spec.encoder.layer, strict=True):
        _fill_self_attention(layer.self_attention, block.attention, block.residuals[0])
        _fill_feed_forward(layer.ffn, block.feed_forward, block.residuals[1])
    for block, layer in zip(model.decoder, spec.decoder.layer, strict=True):
        _fill_self_attention(layer.self_attention, block.self_attention, block.residuals[0])
        _fill_cross_attention(layer.attention, block.cross_attention, block.residuals[1])
        _fill_feed_forward(layer.ffn, block.feed_forward, block.residuals[2])
    words = [str(i) for i in range(len(table))]
    spec.register_source_vocabulary(words)
    spec.register_target_vocabulary(words)
    spec.config.unk_token = words[0]
    spec.config.bos_token = spec.config.decoder_start_token = words[START]
    spec.config.eos_token = words[END]
    spec.validate()
    spec.optimize(quantization=None)
    folder.mkdir()
    spec.save(str(folder))


def contender(folder: Path, rows: int, compute_type: str, threads: int) -> Contender:
    """Generates as many tokens as the artifacts do."""
    import ctranslate2

    translator = ctranslate2.Translator(
        str(folder), compute_type=compute_type, intra_threads=threads
    )
    sources = [[str(i) for i in row] for row in source_ids(rows)]
    length = LENGTHS["target"]

    def generate() -> list[list[str]]:
        found = translator.translate_batch(
            sources, beam_size=1, max_decoding_length=length, min_decoding_length=length
        )
        assert all(len(row.hypotheses[0]) == length for row in found)
        return [row.hypotheses[0] for row in found]

    return generate


def _matrix(projection: Any) -> tuple[np.ndarray, np.ndarray]:
    """Weight (output, input) and bias, whatever axes they are spread over."""
    kernel, bias = map(np.array, projection.weights)
    return kernel.reshape(-1, bias.size).T, bias.reshape(-1)


def _fill(linear: Any, *projections: Any) -> None:
    """One matrix product for all projections of the same input."""
    weights, biases = zip(*map(_matrix, projections), strict=True)
    linear.weight, linear.bias = np.concatenate(weights), np.concatenate(biases)


def _fill_norm(norm: Any, residual: Any) -> None:
    norm.gamma, norm.beta = map(np.array, residual.weights)


def _fill_self_attention(spec: Any, attention: Any, residual: Any) -> None:
    _fill(spec.linear[0], attention.query_dense, attention.key_dense, attention.value_dense)
    _fill(spec.linear[1], attention.output_dense)
    _fill_norm(spec.layer_norm, residual)


def _fill_cross_attention(spec: Any, attention: Any, residual: Any) -> None:
    _fill(spec.linear[0], attention.query_dense)
    _fill(spec.linear[1], attention.key_dense, attention.value_dense)
    _fill(spec.linear[2], attention.output_dense)
    _fill_norm(spec.layer_norm, residual)


def _fill_feed_forward(spec: Any, feed_forward: Any, residual: Any) -> None:
    layers = {layer.name: layer for layer in feed_forward._layers}
    _fill(spec.linear_0, layers["hidden"])
    _fill(spec.linear_1, layers["output"])
    _fill_norm(spec.layer_norm, residual)
