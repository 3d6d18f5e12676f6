"""The options that the projections of an attention layer share."""

from dataclasses import dataclass
from types import ModuleType
from typing import Any, Self

import keras

from keras_attn.attention.projection import Projection

# The fields by the module of Keras that reads and writes them.
KINDS: dict[str, ModuleType] = {
    "kernel_initializer": keras.initializers,
    "bias_initializer": keras.initializers,
    "kernel_regularizer": keras.regularizers,
    "bias_regularizer": keras.regularizers,
    "activity_regularizer": keras.regularizers,
    "kernel_constraint": keras.constraints,
    "bias_constraint": keras.constraints,
}


@dataclass(frozen=True)
class ProjectionOptions:
    """How the kernels and biases of projections begin, and what limits them.

    Args:
        use_bias: Whether the projections have biases.
        kernel_initializer, bias_initializer: Initializers.
        kernel_regularizer, bias_regularizer, activity_regularizer: Regularizers, or None.
        kernel_constraint, bias_constraint: Constraints, or None.

    Example:
        >>> options = ProjectionOptions.of(kernel_constraint="max_norm")
        >>> projection = options.build("query", (11,), (2, 7), dtype="float32")
        >>> tuple(projection.kernel.shape), type(projection.kernel_constraint).__name__
        ((11, 2, 7), 'MaxNorm')
    """

    use_bias: bool = True
    kernel_initializer: Any = None
    bias_initializer: Any = None
    kernel_regularizer: Any = None
    bias_regularizer: Any = None
    activity_regularizer: Any = None
    kernel_constraint: Any = None
    bias_constraint: Any = None

    @classmethod
    def of(
        cls,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **given: Any,
    ) -> Self:
        """Options from the names, configurations or objects that Keras's layers take."""
        given |= {"kernel_initializer": kernel_initializer, "bias_initializer": bias_initializer}
        return cls(use_bias, **{name: KINDS[name].get(value) for name, value in given.items()})

    def build(self, name: str, inputs: tuple, outputs: tuple, **options: Any) -> Projection:
        """A projection with weights.

        Args:
            name: Its name.
            inputs, outputs: Sizes of its input and output axes.
            **options: Other arguments of `Projection`, which override these options.
        """
        options = {**vars(self), **options}
        projection = Projection(tuple(outputs), len(inputs), name=name, **options)
        projection.build((None, None, *inputs))
        return projection

    def config(self) -> dict[str, Any]:
        """The arguments of `of`, as JSON types."""
        written = {name: kind.serialize(vars(self)[name]) for name, kind in KINDS.items()}
        return {"use_bias": self.use_bias, **written}
