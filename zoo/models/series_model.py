"""A model that forecasts quantiles of series, all steps at once."""

from collections.abc import Sequence
from typing import Any, ClassVar

import keras
import numpy as np
from keras import ops

from zoo.models.arguments import FromTask, PositiveInt, Rate
from zoo.models.attending import ENCODER
from zoo.models.config import config_of
from zoo.models.instance_normalization import InstanceNormalization, Restoration
from zoo.models.rising_quantiles import NARROW, RisingQuantiles, middle_of
from zoo.models.seasonal_fill import SeasonalFill
from zoo.models.series_encoder import SeriesEncoder
from zoo.models.zoo_model import Tensors, ZooModel

STEP_DIM = 16  # width of what the encoder says of each step of the forecast
SMALLEST = 1e-3  # distance between quantiles, in standard deviations, to start from


@keras.saving.register_keras_serializable(package="keras_attn")
class SeriesModel(ZooModel):
    """Forecasts quantiles of series at several steps, directly and not step by step.

    Each series is normalized by its own mean and standard deviation. An encoder reads it; for each
    step of the horizon, a small network reads the summary of the encoder and the covariates of that
    step. A linear function of the values is added. Quantiles do not cross. Missing values are taken
    from other seasons, and the encoder sees which they are.

    Source: Wen et al. 2017, sections 3.2 and 3.3 (MQ-RNN); Kim et al. 2022 (normalization); Lai et
        al. 2018, section 3.6 (the linear part).
    Formula: `z = fill((x - m) / s)`, `h = [e_T; mean_t e_t]` with `e = encoder([z; seen; k])`,
        `g_{1..H} = relu(W h + b)`, `u_t = MLP([g_t; k_{T+t}; h'])`, `q_mid,t = u_mid,t + A z`,
        quantiles above and below are sums of `1 + elu(u - 2)` from q_mid; `forecast = m + s q`

    Args:
        context_length: Number of values T before the forecast.
        horizon: Number of steps H of the forecast.
        num_targets: Number of targets C of each series.
        quantiles: Levels of the Q quantiles, rising.
        known_scaling: Mean and scale of each of the K covariates that are known in the future.
        num_static: Number S of static covariates; None without.
        encoder: "rnn", "conv" (causal gated convolutions) or "attention" (Transformer blocks).
        hidden_dim: Width of the encoder.
        num_layers: Number of layers of the encoder.
        cell: Cell of the recurrent layers: "gru", "lstm", "elman", "jordan" or "orthogonal".
        kernel_size: Number of steps in the window of a convolution.
        num_heads: Number of attention heads.
        dropout: Dropout rate of the encoder.
        linear: Whether to add a linear function of the normalized values, which is 0 at first.
        season: Number of steps of a season, for missing values, see `SeasonalFill`; None leaves
            them at the mean of the series.

    Inputs: `values` (B, T, C), NaN where missing; with covariates also `known` (B, T + H, K), NaN
        where missing, and `static` (B, S).
    Outputs: `forecast` (B, H, C, Q), float32, and `scaled`, the same in the normalized unit.

    Raises:
        ValueError: If the name of the encoder or of the cell is unknown.

    Example:
        >>> model = SeriesModel(context_length=11, horizon=3, num_targets=2, hidden_dim=8)
        >>> model.output["forecast"].shape
        (None, 3, 2, 3)
    """

    # Which see the unit of the series, or forecast what is far from all samples.
    float_layers: ClassVar = ("normalize", "fill", "linear", "rising", "restore")

    def __init__(
        self,
        context_length: FromTask[PositiveInt],
        horizon: FromTask[PositiveInt],
        num_targets: FromTask[PositiveInt] = 1,
        quantiles: FromTask[Sequence[float]] = (0.1, 0.5, 0.9),
        known_scaling: FromTask[Sequence[Sequence[float]]] = (),
        num_static: FromTask[PositiveInt | None] = None,
        season: FromTask[PositiveInt | None] = None,
        encoder: str = "rnn",
        hidden_dim: PositiveInt = 64,
        num_layers: PositiveInt = 1,
        cell: str = "gru",
        kernel_size: PositiveInt = 5,
        num_heads: PositiveInt = 4,
        dropout: Rate = 0.0,
        linear: bool = True,
        dtype: Any = None,
        name: str = "series_model",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(SeriesModel, locals())
        # === Layers ===
        quantiles, sizes = list(quantiles), (horizon, num_targets, len(quantiles))
        self.normalize = InstanceNormalization(name="normalize")
        self.fill = SeasonalFill(season, name="fill") if season else None
        self.rising = RisingQuantiles(quantiles, name="rising")
        self.restore = Restoration(name="restore")
        self.encoder = SeriesEncoder(
            encoder, hidden_dim, num_layers, cell, kernel_size, num_heads, dropout, dtype
        )
        dense = keras.layers.Dense
        self.of_steps = dense(horizon * STEP_DIM, "relu", dtype=dtype, name="of_steps")
        self.of_series = dense(STEP_DIM, "relu", dtype=dtype, name="of_series")
        self.hidden = dense(hidden_dim, "relu", dtype=dtype, name="of_step")
        # At first, forecasts are nearly those of the linear part.
        self.last = dense(
            num_targets * len(quantiles),
            kernel_initializer=keras.initializers.RandomNormal(stddev=0.01),
            dtype="float32",
            name="quantiles",
        )
        self.linear = None
        if linear:
            self.linear = keras.layers.EinsumDense(
                "btc,th->bhc",
                (horizon, num_targets),
                kernel_initializer="zeros",
                dtype="float32",
                name="linear",
            )
        self.sizes, self.context_length, self.hidden_dim = sizes, context_length, hidden_dim
        scaling = np.array([*map(list, known_scaling)], "float32").reshape(-1, 2)

        # === Functional model ===
        steps, known = context_length + horizon, len(scaling)
        inputs = {"values": keras.Input((context_length, num_targets), name="values")}
        if known:
            inputs["known"] = keras.Input((steps, known), name="known")
        if num_static:
            inputs["static"] = keras.Input((num_static,), name="static")
        self.known_mean, self.known_scale = scaling.T
        super().__init__(inputs=inputs, outputs=self.read(inputs)[0], name=name, **kwargs)

    def read(self, inputs: Tensors, with_maps: bool = False) -> tuple[Tensors, list[Any]]:
        """Runs all layers.

        Args:
            inputs: The inputs of the model.
            with_maps: Whether to return attention weights.

        Outputs: The outputs of the model, and with `with_maps` the attention weights (B, H, T, T)
            of each layer.
        """
        z, seen, mean, scale = self.normalize(inputs["values"])
        z = z if self.fill is None else self.fill(z, seen)
        known = self._known(inputs)
        past = [known[:, : self.context_length]] if known is not None else []
        e, maps = self.encoder.steps(ops.concatenate([z, seen, *past], axis=-1), with_maps)
        summary = ops.concatenate([e[:, -1], ops.mean(e, axis=1)], axis=-1)
        if "static" in inputs:
            summary = ops.concatenate([summary, ops.cast(inputs["static"], summary.dtype)], axis=-1)
        horizon, targets, levels = self.sizes
        steps = ops.reshape(self.of_steps(summary), (-1, horizon, STEP_DIM))
        whole = ops.repeat(ops.expand_dims(self.of_series(summary), 1), horizon, axis=1)
        future = [] if known is None else [ops.cast(known[:, self.context_length :], steps.dtype)]
        u = self.last(self.hidden(ops.concatenate([steps, whole, *future], axis=-1)))
        u = ops.reshape(u, (-1, horizon, targets, levels))
        scaled = self.rising(u, None if self.linear is None else self.linear(z))
        scaled = keras.layers.Activation("linear", dtype="float32")(scaled)
        return {"forecast": self.restore(scaled, mean, scale), "scaled": scaled}, maps

    def _known(self, inputs: Tensors) -> Any:
        """The standardized covariates, 0 where missing; None without covariates."""
        if "known" not in inputs:
            return None
        x = (ops.cast(inputs["known"], "float32") - self.known_mean) / self.known_scale
        return ops.where(ops.isnan(x), 0.0, x)

    def start_from(self, weights: np.ndarray, errors: np.ndarray) -> None:
        """Makes a linear forecast that of the model, unless it was trained or has no linear part.

        A unit of the network carries the level of each step. The quantiles of all steps are as far
        apart as on average. Covariates have no influence at first.

        Args:
            weights: Weights (T, H) of each value for each step of the forecast.
            errors: What is added to each step for each quantile, (H, Q), in the normalized unit.
        """
        if self.linear is None or ops.convert_to_numpy(self.linear.kernel).any():
            return
        horizon, targets, levels = self.sizes
        middle = errors[:, middle_of(self.rising.quantiles)]
        lowest = middle.min() - 1.0  # so that the unit is positive
        kernel, bias = map(ops.convert_to_numpy, self.of_steps.get_weights())
        kernel, bias = kernel.reshape(-1, horizon, STEP_DIM), bias.reshape(horizon, STEP_DIM)
        kernel[..., 0], bias[:, 0] = 0.0, middle - lowest
        self.of_steps.set_weights([kernel.reshape(-1, horizon * STEP_DIM), bias.ravel()])
        kernel, bias = self.hidden.get_weights()
        kernel[:, 0] = np.eye(len(kernel))[0]
        self.hidden.set_weights([kernel, bias])
        gaps = np.maximum(np.diff(errors, axis=1).mean(axis=0), SMALLEST)
        first = np.append(lowest, np.where(gaps < 1, np.log(gaps), gaps - 1) + NARROW)
        kernel = np.zeros((self.hidden_dim, targets, levels))
        kernel[0, :, 0] = 1.0
        self.last.set_weights([kernel.reshape(self.hidden_dim, -1), np.tile(first, targets)])
        self.linear.kernel.assign(weights)

    @property
    def attention_layers(self) -> dict[str, int]:
        return self.encoder.attention_layers

    def attention_maps(self, inputs: Tensors) -> dict[str, list[Any]]:
        return {ENCODER: self.read(inputs, with_maps=True)[1]}

    @property
    def layer_groups(self) -> list[list[keras.layers.Layer]]:
        return self.encoder.layer_groups
