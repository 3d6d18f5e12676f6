"""Operations of a training step of each translator, counted from the graph.

    python -m benchmarks.training_flops --batch 64 --source 16 --target 17 --vocabulary 6000

JAX traces the loss and its gradient. A product of matrices or a convolution has two operations for
each multiplication and addition, other arithmetic one for each number, and what moves numbers has
none; a scan has those of its step as often as it has steps, which XLA's own count leaves out.
The optimizer is not counted.
"""

import os

os.environ["KERAS_BACKEND"] = "jax"

import argparse
import json
import math
from typing import Any, NamedTuple

import jax
import keras
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr

import keras_attn
from zoo.models.create import create_model
from zoo.models.options import has_option

TRANSLATORS = (
    *("rnn_seq2seq", "attention_seq2seq", "conv_s2s", "transformer", "bart"),
    "prefix_gpt",
)
ELEMENTWISE = {
    *("add", "add_any", "sub", "mul", "div", "neg", "abs", "max", "min", "pow", "integer_pow"),
    *("exp", "exp2", "expm1", "log", "log1p", "tanh", "logistic", "erf", "sin", "cos", "sqrt"),
    *("rsqrt", "square", "cumsum", "cumlogsumexp", "cummax"),
}
REDUCTIONS = {"reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "argmax"}


class Operations(NamedTuple):
    """Numbers of operations.

    Args:
        products: Those of products of matrices and of convolutions.
        others: All other arithmetic.
    """

    products: int
    others: int

    @property
    def total(self) -> int:
        """All operations."""
        return self.products + self.others


def operations(closed: ClosedJaxpr) -> Operations:
    """The operations of a traced function.

    Raises:
        ValueError: If there is a loop whose number of steps is not known.

    Example:
        >>> a, b = np.ones((3, 5)), np.ones((5, 7))
        >>> operations(jax.make_jaxpr(lambda a, b: jax.numpy.tanh(a @ b))(a, b))
        Operations(products=210, others=21)
    """
    return _operations(closed.jaxpr)


def _operations(jaxpr: Jaxpr) -> Operations:
    products = others = 0
    for equation in jaxpr.eqns:
        name, params = equation.primitive.name, equation.params
        shapes = [each.aval.shape for each in equation.invars]
        size = sum(math.prod(each.aval.shape) for each in equation.outvars)
        if name == "while":
            raise ValueError("the number of steps of a while loop is not known")
        if name == "dot_general":
            (contracted, _), _ = params["dimension_numbers"]
            products += 2 * size * math.prod(shapes[0][axis] for axis in contracted)
        elif name == "conv_general_dilated":
            outputs = shapes[1][params["dimension_numbers"].rhs_spec[0]]
            products += 2 * size * math.prod(shapes[1]) // outputs
        elif name in ELEMENTWISE:
            others += size
        elif name in REDUCTIONS:
            others += math.prod(shapes[0])
        inner = [_operations(each) for each in _inner(params)]
        if inner and name == "cond":
            inner = [max(inner, key=lambda each: each.total)]
        times = params["length"] if name == "scan" else 1
        products += times * sum(each.products for each in inner)
        others += times * sum(each.others for each in inner)
    return Operations(products, others)


def _inner(params: dict[str, Any]) -> list[Jaxpr]:
    """The functions that an operation calls."""
    given = [x for each in params.values() for x in (each if isinstance(each, tuple) else (each,))]
    return [
        each.jaxpr if isinstance(each, ClosedJaxpr) else each
        for each in given
        if isinstance(each, ClosedJaxpr | Jaxpr)
    ]


def training_operations(
    model: keras.Model, inputs: dict[str, np.ndarray], labels: np.ndarray
) -> Operations:
    """The operations of a training step: the loss of a batch, and its gradient.

    Args:
        model: A model with the output `logits`.
        inputs: Its inputs, by name.
        labels: Ids of the correct tokens, (B, T).
    """
    loss = keras_attn.MaskedCrossentropy()
    others = [each.value for each in model.non_trainable_variables]

    def step(trainable: list[Any]) -> Any:
        outputs, _ = model.stateless_call(trainable, others, inputs, training=True)
        return loss(labels, outputs["logits"])

    trainable = [each.value for each in model.trainable_variables]
    return operations(jax.make_jaxpr(jax.value_and_grad(step))(trainable))


def of_translator(
    name: str, batch: int, source: int, target: int, vocabulary: int, **config: Any
) -> tuple[int, Operations]:
    """The parameters of the small preset of a translator, and the operations of a step.

    Args:
        name: Name of the model.
        batch: Number of pairs.
        source, target: Number of tokens of each source and target.
        vocabulary: Number of tokens of the vocabulary.
        **config: Options of the model that differ from its preset.
    """
    names: tuple[str, ...] = ("vocabulary_size",)
    if not has_option(name, "vocabulary_size"):
        names = ("source_vocabulary_size", "target_vocabulary_size")
    model = create_model(name, "tiny", **dict.fromkeys(names, vocabulary), **config)
    rng = np.random.default_rng(0)
    ids = {
        "source": rng.integers(4, vocabulary, (batch, source), dtype=np.int32),
        "target": rng.integers(4, vocabulary, (batch, target), dtype=np.int32),
    }
    inputs: dict[str, np.ndarray] = {f"{side}_ids": x for side, x in ids.items()}
    inputs |= {f"{side}_mask": np.ones(x.shape, bool) for side, x in ids.items()}
    return model.count_params(), training_operations(model, inputs, ids["target"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=64, help="number of pairs")
    parser.add_argument("--source", type=int, default=16, help="tokens of each source")
    parser.add_argument("--target", type=int, default=17, help="tokens of each target")
    parser.add_argument("--vocabulary", type=int, default=6000, help="size of the vocabulary")
    parser.add_argument("--out", "--output", metavar="FILE", help="JSON file to write")
    options = parser.parse_args()
    sizes = (options.batch, options.source, options.target, options.vocabulary)
    found = {}
    print("| model | parameters | GFLOP a step | MFLOP a target token | of it products |")
    print("| --- | --- | --- | --- | --- |")
    for name in TRANSLATORS:
        parameters, each = of_translator(name, *sizes)
        token = each.total / options.batch / options.target
        share = each.products / each.total
        size, step = f"{parameters:,}", f"{each.total / 1e9:.1f}"
        print(f"| {name} | {size} | {step} | {token / 1e6:.1f} | {share:.0%} |")
        found[name] = {"parameters": parameters, **each._asdict()}
    if options.out:
        with open(options.out, "w") as file:
            json.dump({"sizes": vars(options), "models": found}, file, indent=2)


if __name__ == "__main__":
    main()
