"""The precisions of LiteRT files: how weights are stored, and what they are computed with."""

from __future__ import annotations

from typing import NamedTuple

CONVERTER = "converter"  # of TensorFlow
HALF = "half"  # `export.worker.half`
# Made by ai-edge-quantizer.
DYNAMIC, WEIGHT_ONLY, STATIC = "dynamic", "weight_only", "static"

MISSING = "{} needs the package ai-edge-quantizer: pip install 'keras-attn[quantize]'"


class Precision(NamedTuple):
    """What a name of a precision stands for.

    Args:
        bits: The number of bits of a weight.
        how: "converter"; "half", which stores matrices as floats of 16 bits and computes in
            float32; "dynamic", which rounds what is multiplied with the weights to eight bits at
            each call; "weight_only", which computes in float32; "static", which computes with
            integers whose ranges are calibrated.
        block: How many weights of a row share a scale; 0 if the whole row does.
    """

    bits: int
    how: str
    block: int = 0


PRECISIONS = {
    "float16": Precision(16, HALF),
    "int8": Precision(8, CONVERTER),
    "dynamic_int8": Precision(8, DYNAMIC),
    "dynamic_int4": Precision(4, DYNAMIC),
    "dynamic_int4_blockwise": Precision(4, DYNAMIC, block=32),
    "weight_only_int8": Precision(8, WEIGHT_ONLY),
    "weight_only_int4": Precision(4, WEIGHT_ONLY),
    "static_int8": Precision(8, STATIC),
}

ALL, EMBEDDINGS = "all", "embeddings"
# By scope: what the name of an operator contains, which is that of its layer with what it computes,
# such as `gpt_1/block_0_1/feed_forward_1/hidden_1/MatMul`. Projections to the vocabulary that are
# tied to an embedding have its name, too.
SCOPES = {
    ALL: "",
    "feed_forward": r"(^|[/;])[^/;]*feed_forward",
    "attention": r"(^|[/;])(query|key|value|attention_output)(_\d+)*/",
    EMBEDDINGS: r"(^|[/;])[^/;]*embeddings?(_\d+)*/",
}


class Storage(NamedTuple):
    """How one LiteRT file stores its weights.

    Args:
        quantize: A key of `PRECISIONS`; None is float32.
        scope: A key of `SCOPES`: which weights have that precision. The others are float32.

    Example:
        >>> Storage("dynamic_int4", "attention").name
        'dynamic_int4-attention'
    """

    quantize: str | None = None
    scope: str = ALL

    @property
    def name(self) -> str:
        """Its name in reports, and in names of files."""
        own = self.quantize or "float32"
        return own if self.scope == ALL else f"{own}-{self.scope}"

    @property
    def converted_as(self) -> str | None:
        """What TensorFlow's converter makes it of: its own conversion, or that to float32."""
        own = self.quantize is not None and PRECISIONS[self.quantize].how == CONVERTER
        return self.quantize if own else None

    @property
    def is_calibrated(self) -> bool:
        """Whether it takes ranges of what the model computes."""
        return self.quantize is not None and PRECISIONS[self.quantize].how == STATIC


def check_storage(quantize: str | None, scope: str = ALL) -> Storage:
    """The storage of these names.

    Raises:
        ValueError: If a name is unknown, or the precision has no scopes.

    Example:
        >>> check_storage("int8").name
        'int8'
        >>> check_storage("int8", "attention")
        Traceback (most recent call last):
        ...
        ValueError: quantize_scope needs a dynamic or a weight_only precision; received 'int8'.
    """
    if quantize not in (None, *PRECISIONS):
        raise ValueError(f"quantize must be one of {[None, *PRECISIONS]}; received {quantize!r}.")
    if scope not in SCOPES:
        raise ValueError(f"quantize_scope must be one of {list(SCOPES)}; received {scope!r}.")
    has_scopes = quantize is not None and PRECISIONS[quantize].how in (DYNAMIC, WEIGHT_ONLY)
    if scope != ALL and not has_scopes:
        raise ValueError(
            f"quantize_scope needs a dynamic or a weight_only precision; received {quantize!r}."
        )
    return Storage(quantize, scope)
