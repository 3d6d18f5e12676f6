"""Every model of the zoo: what builds it, its presets, its tasks and its paper."""

import inspect
from dataclasses import dataclass, field
from typing import Any

import keras

from zoo.errors import UserError
from zoo.models.attention_seq2seq import AttentionSeq2Seq
from zoo.models.bart import Bart
from zoo.models.bert import Bert
from zoo.models.conv_s2s import ConvS2S
from zoo.models.gpt import GPT
from zoo.models.prefix_gpt import PrefixGPT
from zoo.models.rnn_classifier import RNNClassifier
from zoo.models.rnn_lm import RNNLM
from zoo.models.rnn_seq2seq import RNNSeq2Seq
from zoo.models.transformer import Transformer


@dataclass(frozen=True)
class Entry:
    """One family of models.

    Args:
        builder: What makes the model from its config.
        tasks: Names of the tasks it is for.
        paper: Where it comes from.
        presets: Config by name of the preset.
        layers_of: Name of another model that has the same layers, or None.
    """

    builder: type[keras.Model]
    tasks: tuple[str, ...]
    paper: str
    presets: dict[str, dict[str, Any]] = field(repr=False)
    layers_of: str | None = None


GPT_PRESETS: dict[str, dict[str, Any]] = {
    "tiny": {
        "num_layers": 4,
        "width": 128,
        "num_heads": 4,
        "hidden_width": 512,
        "dropout": 0.1,
        "attention_dropout": 0.1,
    },
    # Radford et al. 2018, section 4.1: 12 layers, 768 wide, norms after the sums.
    "gpt1": {
        "num_layers": 12,
        "width": 768,
        "num_heads": 12,
        "hidden_width": 3072,
        "pre_norm": False,
        "max_length": 512,
    },
    # Radford et al. 2019, table 2, the smallest.
    "gpt2": {
        "num_layers": 12,
        "width": 768,
        "num_heads": 12,
        "hidden_width": 3072,
        "max_length": 1024,
    },
}

CATALOG: dict[str, Entry] = {
    "rnn_classifier": Entry(
        RNNClassifier,
        tasks=("text-classifier",),
        paper="Graves & Schmidhuber 2005; Tai et al. 2015",
        presets={
            "tiny": {"width": 64, "units": 64, "num_layers": 1, "dropout": 0.3},
            # Tai et al. 2015, table 1, the two-layer bidirectional LSTM; embeddings of 300.
            "base": {"width": 300, "units": 120, "num_layers": 2, "cell": "lstm", "dropout": 0.5},
        },
    ),
    "bert": Entry(
        Bert,
        tasks=("masked-lm", "text-classifier", "token-tagger", "text-embedder", "multi-task"),
        paper="Devlin et al. 2019",
        presets={
            "tiny": {"num_layers": 2, "width": 128, "num_heads": 2, "hidden_width": 512},
            # Wang et al. 2020, table 1: the student of 6 layers, 384 wide.
            "mini_lm": {"num_layers": 6, "width": 384, "num_heads": 12, "hidden_width": 1536},
            # Devlin et al. 2019, section 3.
            "base": {"num_layers": 12, "width": 768, "num_heads": 12, "hidden_width": 3072},
            "large": {"num_layers": 24, "width": 1024, "num_heads": 16, "hidden_width": 4096},
        },
    ),
    "rnn_lm": Entry(
        RNNLM,
        tasks=("causal-lm",),
        paper="Mikolov et al. 2010; Zaremba et al. 2014",
        presets={
            "tiny": {"width": 256, "units": 256, "num_layers": 2, "dropout": 0.2},
            # Zaremba et al. 2014, section 4.1, medium: 650 units, dropout 0.5, batches of 20.
            "ptb_medium": {
                "width": 650,
                "units": 650,
                "num_layers": 2,
                "dropout": 0.5,
                "carried_rows": 20,
            },
        },
    ),
    "rnn_seq2seq": Entry(
        RNNSeq2Seq,
        tasks=("text-to-text",),
        paper="Sutskever et al. 2014; Cho et al. 2014",
        presets={
            "tiny": {
                "width": 64,
                "units": 128,
                "num_layers": 2,
                "dropout": 0.1,
                "share_embeddings": True,
            },
            # Sutskever et al. 2014, section 3.4: four LSTM layers of 1000, embeddings of 1000.
            "base": {"width": 1000, "units": 1000, "num_layers": 4},
        },
    ),
    "attention_seq2seq": Entry(
        AttentionSeq2Seq,
        tasks=("text-to-text",),
        paper="Bahdanau et al. 2015; Luong et al. 2015",
        presets={
            "tiny": {"width": 64, "units": 128, "dropout": 0.1, "share_embeddings": True},
            # RNNsearch, appendix A.2.3: 1000 units, embeddings of 620.
            "base": {"width": 620, "units": 1000, "dropout": 0.2},
            # Luong et al. 2015, section 4.1: four LSTM layers of 1000, dropout 0.2.
            "big": {
                "width": 1000,
                "units": 1000,
                "num_layers": 4,
                "cell": "lstm",
                "score": "general",
                "order": "luong",
                "dropout": 0.2,
            },
        },
    ),
    "conv_s2s": Entry(
        ConvS2S,
        tasks=("text-to-text",),
        paper="Gehring et al. 2017",
        presets={
            "tiny": {
                "width": 128,
                "layers": [[128, 3]] * 4,
                "output_width": 128,
                "dropout": 0.2,
                "share_embeddings": True,
            },
            # Gehring et al. 2017; the sizes of fairseq's fconv_wmt_en_ro and fconv_wmt_en_de.
            "en_ro": {"width": 512, "layers": [[512, 3]] * 20, "output_width": 512},
            "en_de": {
                "width": 768,
                "layers": [[512, 3]] * 9 + [[1024, 3]] * 4 + [[2048, 1]] * 2,
                "output_width": 512,
            },
        },
    ),
    "transformer": Entry(
        Transformer,
        tasks=("text-to-text",),
        paper="Vaswani et al. 2017",
        presets={
            # Wu et al. 2021, table 1: for data as small as Multi30k.
            "tiny": {
                "num_layers": 4,
                "width": 128,
                "num_heads": 4,
                "hidden_width": 256,
                "dropout": 0.3,
            },
            "base": {
                "num_layers": 6,
                "width": 512,
                "num_heads": 8,
                "hidden_width": 2048,
                "dropout": 0.1,
            },
            "big": {
                "num_layers": 6,
                "width": 1024,
                "num_heads": 16,
                "hidden_width": 4096,
                "dropout": 0.3,
            },
        },
    ),
    "bart": Entry(
        Bart,
        tasks=("denoising", "text-to-text"),
        paper="Lewis et al. 2020",
        presets={
            "tiny": {"num_layers": 2, "width": 128, "num_heads": 2, "hidden_width": 512},
            # Lewis et al. 2020, section 2.1: 6 and 12 layers; widths as in the published ones.
            "base": {"num_layers": 6, "width": 768, "num_heads": 12, "hidden_width": 3072},
            "large": {"num_layers": 12, "width": 1024, "num_heads": 16, "hidden_width": 4096},
        },
    ),
    "gpt": Entry(
        GPT,
        tasks=("causal-lm",),
        paper="Radford et al. 2018; Radford et al. 2019",
        presets=GPT_PRESETS,
    ),
    "prefix_gpt": Entry(
        PrefixGPT,
        tasks=("text-to-text",),
        paper="Raffel et al. 2020, section 3.2.1; Radford et al. 2019",
        presets=GPT_PRESETS,
        layers_of="gpt",
    ),
}


@dataclass(frozen=True)
class Listed:
    """A row of `list_models`."""

    name: str
    presets: tuple[str, ...]
    tasks: tuple[str, ...]
    paper: str


def list_models() -> list[Listed]:
    """The models of the zoo.

    Example:
        >>> [model.name for model in list_models() if "text-to-text" in model.tasks]
        ['rnn_seq2seq', 'attention_seq2seq', 'conv_s2s', 'transformer', 'bart', 'prefix_gpt']
    """
    return [
        Listed(name, tuple(entry.presets), entry.tasks, entry.paper)
        for name, entry in CATALOG.items()
    ]


def create_model(name: str, preset: str | None = None, **config: Any) -> keras.Model:
    """A new model of the zoo, its weights drawn at random.

    Args:
        name: A name that `list_models` gives.
        preset: One of its presets; without one, the builder's defaults.
        **config: Arguments of the builder; they win over the preset.

    Raises:
        UserError: If a name is unknown or an argument is missing; the message lists the choices.

    Example:
        >>> model = create_model(
        ...     "transformer", "tiny", source_vocabulary_size=23, target_vocabulary_size=23
        ... )
        >>> model.name
        'transformer'
    """
    builder, settings = settle(name, preset, config)
    for key, parameter in _options(builder).items():
        if parameter.default is parameter.empty and key not in settings:
            raise UserError(f"{name} needs the option {key!r}")
    return builder(**settings)


def settle(
    name: str, preset: str | None, config: dict[str, Any], task: str | None = None
) -> tuple[type[keras.Model], dict[str, Any]]:
    """The builder of a model and the arguments for it, none of them unknown.

    Args:
        name: A name that `list_models` gives; with a task, of a model for that task.
        preset: One of its presets, or None.
        config: Arguments of the builder; they win over the preset.
        task: Name of a task.

    Raises:
        UserError: If a name is unknown, where the message lists the choices, or a value wrong.
    """
    models = {each: e for each, e in CATALOG.items() if task is None or task in e.tasks}
    entry = _choose(models, name, f"model for {task}" if task else "model")
    settings = _choose(entry.presets, preset, f"preset of {name}") if preset is not None else {}
    options = _options(entry.builder)
    for key, value in config.items():
        if key not in options:
            raise UserError(f"{name} has no option {key!r}; choose from {', '.join(options)}")
        _check_type(key, value, options[key].annotation)
    return entry.builder, {**settings, **config}


def with_the_layers_of(name: str, task: str) -> str:
    """A model for a task that has the layers of another; that other one if it is for the task.

    Example:
        >>> with_the_layers_of("gpt", "text-to-text"), with_the_layers_of("gpt", "causal-lm")
        ('prefix_gpt', 'gpt')
    """
    layers = CATALOG[name].layers_of or name
    like = [key for key, e in CATALOG.items() if layers in (key, e.layers_of) and task in e.tasks]
    return name if name in like or not like else like[0]


def has_option(name: str, option: str) -> bool:
    """Whether a model takes an option.

    Example:
        >>> has_option("gpt", "num_heads"), has_option("rnn_lm", "num_heads")
        (True, False)
    """
    return option in _options(_choose(CATALOG, name, "model").builder)


def _options(builder: type[keras.Model]) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(builder).parameters
    return {key: p for key, p in parameters.items() if p.kind != p.VAR_KEYWORD}


def _check_type(key: str, value: Any, wanted: Any) -> None:
    """Refuses a value of another type; integers are sizes here, and floats are shares."""
    if wanted is int and (type(value) is not int or value < 1):
        raise UserError(f"{key} must be a positive integer, got {value!r}")
    if wanted is float and (type(value) not in (int, float) or not 0 <= value < 1):
        raise UserError(f"{key} must be a number from 0 to below 1, got {value!r}")
    if wanted in (bool, str) and type(value) is not wanted:
        kind = {bool: "true or false", str: "text"}[wanted]
        raise UserError(f"{key} must be {kind}, got {value!r}")


def _choose(table: dict[str, Any], name: str | None, what: str) -> Any:
    if name not in table:
        raise UserError(f"unknown {what} {name!r}; choose from {', '.join(table)}")
    return table[name]
