"""The tensors of a block of Llama, Gemma and their relatives."""

from collections.abc import Iterator, Sequence

from keras_attn.blocks.encoder import EncoderBlock
from zoo.pretrained.tensor_map import TensorRow, matrix


def block_rows(
    layer: str, block: EncoderBlock, norms: Sequence[str], offset: float = 0.0
) -> Iterator[TensorRow]:
    """Rows for the weights of a block.

    Args:
        layer: What the names of its tensors begin with.
        block: The block.
        norms: Names of the normalizations around the attention, then around the feed-forward
            network, in the order in which they are computed.
        offset: What the weights of normalizations are greater by than their tensors.
    """
    heads = block.attention
    projections = {"q": heads.query_dense, "k": heads.key_dense, "v": heads.value_dense}
    hidden, down = block.feed_forward.weights
    scales = [weight for residual in block.residuals for weight in residual.weights]
    for name, scale in zip(norms, scales, strict=True):
        yield TensorRow(f"{layer}.{name}.weight", (scale,), offset=offset)
    for name, projection in projections.items():
        kernel, *bias = projection.weights
        yield matrix(f"{layer}.self_attn.{name}_proj.weight", kernel)
        if bias:
            yield TensorRow(f"{layer}.self_attn.{name}_proj.bias", tuple(bias))
    for name, norm in zip("qk", heads.query_key_normalizations, strict=True):
        if norm is not None:
            scale = tuple(norm.weights)
            yield TensorRow(f"{layer}.self_attn.{name}_norm.weight", scale, offset=offset)
    yield matrix(f"{layer}.self_attn.o_proj.weight", heads.output_dense.weights[0], inputs=2)
    # One kernel has both: what is multiplied by the gate, and the gate.
    yield matrix(f"{layer}.mlp.up_proj.weight", hidden, part=(0, 2))
    yield matrix(f"{layer}.mlp.gate_proj.weight", hidden, part=(1, 2))
    yield matrix(f"{layer}.mlp.down_proj.weight", down)
