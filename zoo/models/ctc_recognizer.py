"""A speech recognizer that is trained with CTC."""

from typing import Any

import keras
from keras import ops

from keras_attn.blocks.encoder import EncoderBlock
from keras_attn.blocks.normalization import LayerNormalization
from keras_attn.dropout import Dropout
from keras_attn.position.sinusoidal import SinusoidalPositions
from zoo.errors import UserError
from zoo.models.arguments import FromTask, PositiveInt, Rate
from zoo.models.blank_after_end import BlankAfterEnd
from zoo.models.cells import recurrent_layer
from zoo.models.classification_head import ClassificationHead
from zoo.models.config import config_of
from zoo.models.spec_augment import SpecAugment
from zoo.models.speech_features import FrameStacking, SpeechFeatures
from zoo.models.zoo_model import ZooModel

RNN, ATTENTION = ENCODERS = ("rnn", "attention")
Tensors = dict[str, Any]


@keras.saving.register_keras_serializable(package="keras_attn")
class CTCRecognizer(ZooModel):
    """Log-mel features, an encoder, and for each step the logits of characters and of the blank.

    The features are inside the model: it takes samples. Frames are stacked, so that a step of the
    encoder has several. Steps behind the end of a recording have a certain blank.

    Source: Graves et al. 2006; Graves & Jaitly 2014 (characters); Sak et al. 2015, section 2
        (stacked frames); Vaswani et al. 2017 (Transformer blocks).
    Formula: `f_t = (log_mel(x)_t - m) / s`, `h_u = W [f_{nu}; ...; f_{nu+n-1}] + b`,
        `logits_u = encoder(h)_u V + c`

    Args:
        sample_rate: Number of samples per second.
        vocabulary_size: Number V of characters, and one for the blank, which is class 0.
        window_ms: Length of a frame in milliseconds.
        hop_ms: Milliseconds from one frame to the next.
        num_mels: Number of bands of the spectrogram.
        stack: Number of frames in a step.
        encoder: "rnn" or "attention" (Transformer blocks).
        hidden_dim: Width of the encoder; of recurrent layers, in each direction.
        num_layers: Number of layers of the encoder.
        cell: Cell of the recurrent layers: "lstm", "gru", "elman", "jordan" or "orthogonal".
        causal: Whether recurrent layers read forwards only, so that speech can be recognized while
            it is spoken.
        num_heads: Number of attention heads.
        dropout: Dropout rate.

    Inputs: `waveform` (B, S), samples from -1 to 1; `lengths` (B,), their number in each row.
    Outputs: `logits` (B, T, V), float32, with T = ceil(S / (stack hop)); `lengths` (B,), the number
        of steps of each row.

    Raises:
        UserError: If the encoder is unknown, or is to attend and to be causal.
        ValueError: If the name of the cell is unknown.

    Example:
        >>> model = CTCRecognizer(8000, vocabulary_size=5, hidden_dim=8, num_layers=1)
        >>> model.output["logits"].shape
        (None, None, 5)
    """

    def __init__(
        self,
        sample_rate: FromTask[PositiveInt],
        vocabulary_size: FromTask[PositiveInt],
        window_ms: PositiveInt = 25,
        hop_ms: PositiveInt = 10,
        num_mels: PositiveInt = 40,
        stack: PositiveInt = 2,
        encoder: str = RNN,
        hidden_dim: PositiveInt = 128,
        num_layers: PositiveInt = 2,
        cell: str = "lstm",
        causal: bool = False,
        num_heads: PositiveInt = 4,
        dropout: Rate = 0.1,
        dtype: Any = None,
        name: str = "ctc_recognizer",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(CTCRecognizer, locals())
        if encoder not in ENCODERS:
            raise UserError(f"encoder must be one of {', '.join(ENCODERS)}, got {encoder!r}")
        if causal and encoder == ATTENTION:
            raise UserError("causal is for the encoder rnn, not for attention")

        # === Layers ===
        self.features = SpeechFeatures(sample_rate, window_ms, hop_ms, num_mels, name="features")
        self.augment = SpecAugment(name="augment")
        self.stacking = FrameStacking(stack, name="stacking")
        self.input_projection = keras.layers.Dense(hidden_dim, dtype=dtype, name="input_projection")
        self.drop = Dropout(dropout, dtype=dtype, name="dropout")
        self.close = BlankAfterEnd(name="close")
        self.head = ClassificationHead(vocabulary_size, dropout, name="logits")
        self.forwards: list[Any] = []
        self.backwards: list[Any] = []
        self.blocks: list[Any] = []
        if encoder == ATTENTION:
            self.positions = SinusoidalPositions(dtype=dtype, name="positions")
            sizes = {"num_heads": num_heads, "intermediate_dim": 4 * hidden_dim}
            options: Any = {**sizes, "dropout": dropout, "pre_norm": True, "dtype": dtype}
            self.blocks = [EncoderBlock(**options, name=f"block_{i}") for i in range(num_layers)]
            self.norm = LayerNormalization(dtype=dtype, name="norm")
        else:

            def recurrent(name: str, **options: Any) -> keras.layers.Layer:
                return recurrent_layer(cell, hidden_dim, dtype, name=name, **options)

            numbers = range(num_layers)
            self.forwards = [recurrent(f"forward_{i}", return_state=True) for i in numbers]
            if not causal:
                self.backwards = [recurrent(f"backward_{i}", go_backwards=True) for i in numbers]
        self.causal = causal

        # === Functional model ===
        inputs = {
            "waveform": keras.Input((None,), name="waveform"),
            "lengths": keras.Input((), dtype="int32", name="lengths"),
        }
        x, frames = self.features(inputs["waveform"], inputs["lengths"])
        x, mask, lengths = self.stacking(self.augment(x, frames), frames)
        logits, _ = self._logits(x, mask)
        outputs = {"logits": logits, "lengths": lengths}
        super().__init__(inputs=inputs, outputs=outputs, name=name, **kwargs)

    def _logits(self, x: Any, mask: Any, states: Any = None) -> tuple[Any, list[Any]]:
        """The logits of stacked frames, and the states of recurrent layers behind them."""
        x, after = self.input_projection(x), []
        if self.blocks:
            x = self.positions(x)
            for block in self.blocks:
                x = block(x, padding_mask=mask)
            x = self.norm(x)
        for i, forward in enumerate(self.forwards):
            x = self.drop(x)
            before = {} if states is None else {"initial_state": states[i]}
            onward, *state = forward(x, mask=mask, **before)
            after.append(state)
            if self.backwards:
                back = self.backwards[i](x, mask=mask)
                onward = ops.concatenate([onward, ops.flip(back, axis=1)], axis=-1)
            x = onward
        return self.close(self.head(x), mask), after

    # --- Streaming ---

    def initial_states(self, batch_size: int) -> Tensors:
        """The states of a causal model before the first step, by name."""
        states = [forward.get_initial_state(batch_size) for forward in self.forwards]
        return self._named(states)

    def _named(self, states: list[list[Any]]) -> Tensors:
        flat = [state for of_layer in states for state in of_layer]
        return {f"state_{number}": state for number, state in enumerate(flat)}

    def step(self, inputs: Tensors) -> Tensors:
        """Reads the next steps with a causal model.

        Args:
            inputs: `waveform` (B, S) and `lengths` (B,); `steps`, the number of steps to read, for
                each of which there are `samples_per_step` samples, and `samples_ahead` behind the
                last, unless the recording ends there; and the states, by name.

        Returns:
            `logits` (B, T, V), and the states behind these steps by name.
        """
        x, frames = self.features(inputs["waveform"], inputs["lengths"])
        most = ops.cast(inputs["steps"], "int32") * self.stacking.stack
        frames = ops.minimum(frames, most)
        x, mask, _ = self.stacking(x[:, :most], frames)
        count = sum(name.startswith("state_") for name in inputs)
        flat = [inputs[f"state_{number}"] for number in range(count)]
        each = len(flat) // len(self.forwards)
        states = [flat[i : i + each] for i in range(0, len(flat), each)]
        logits, states = self._logits(x, mask, states)
        return {"logits": logits, **self._named(states)}

    @property
    def samples_per_step(self) -> int:
        """Number of samples from one step to the next."""
        return self.stacking.stack * self.features.log_mel.hop

    @property
    def samples_ahead(self) -> int:
        """Number of samples that a step reads behind those."""
        return max(0, self.features.log_mel.window - self.features.log_mel.hop)

    @property
    def layer_groups(self) -> list[list[keras.layers.Layer]]:
        """The layers from the input up: the projection, then one group for each encoder layer."""
        directions = [self.forwards, self.backwards] if self.backwards else [self.forwards]
        groups = [[block] for block in self.blocks] or [*map(list, zip(*directions, strict=True))]
        return [[self.input_projection], *groups]
