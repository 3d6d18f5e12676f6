"""The list of the models of the zoo, and their creation by name."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from zoo.errors import UserError
from zoo.models.option_groups import arguments, parameters
from zoo.models.options import check_known, model_options, model_row, preset_of
from zoo.registry import MODELS
from zoo.registry_rows import resolve

if TYPE_CHECKING:
    import keras


@dataclass(frozen=True)
class ListedModel:
    """A row of `list_models`."""

    name: str
    presets: tuple[str, ...]
    tasks: tuple[str, ...]
    paper: str


def list_models() -> list[ListedModel]:
    """The models of the zoo.

    Example:
        >>> [model.name for model in list_models() if "text-to-text" in model.tasks]
        ['rnn_seq2seq', 'attention_seq2seq', 'conv_s2s', 'transformer', 'bart', 't5', 'prefix_gpt']
    """
    return [
        ListedModel(row.name, tuple(row.presets), tuple(row.tasks), row.paper)
        for row in MODELS.values()
    ]


def create_model(
    name: str, preset: str | None = None, task: str | None = None, **config: Any
) -> "keras.Model":
    """Creates a model of the zoo with random weights.

    Args:
        name: Name of the model; see `list_models`.
        preset: Name of a preset. If None, the options have the defaults of the class.
        task: Name of the task, for a model with the outputs of that task. If None, returns the
            backbone that the models for all tasks share, or the model if there is only one.
        **config: Options of the model, which override the preset.

    Raises:
        UserError: If a name is unknown (the message lists the choices), or an option is missing,
            unknown or of the wrong type.

    Example:
        >>> sizes = {"vocabulary_size": 23, "num_layers": 1}
        >>> create_model("bert", "tiny", **sizes).output["sequence"].shape
        (None, None, 128)
        >>> create_model("bert", "tiny", "masked-lm", **sizes).output["mlm_logits"].shape
        (None, None, 23)
    """
    row = model_row(name, task)
    options, settings = model_options(row, task), {**preset_of(row, preset), **config}
    check_known(name, config, options)
    for option, parameter in options.items():
        if parameter.default is parameter.empty and option not in settings:
            raise UserError(f"{name} requires the option {option!r}")
    path = row.path(task)
    model = resolve(path)
    if row.backbone is None or path == row.backbone:
        return model(**arguments(model, settings))
    backbone = resolve(row.backbone)
    shared = [option for option in parameters(backbone) if option in settings and option != "name"]
    own = {each: settings.pop(each) for each in shared}
    return model(backbone(**arguments(backbone, own)), **settings)


def model_class(name: str, task: str) -> Any:
    """The class of the model that a task trains.

    Raises:
        UserError: If the model does not support the task; the message lists those that do.
    """
    return resolve(model_row(name, task).path(task))


def with_layers_of(name: str, task: str) -> str:
    """The model for a task that can be initialized with another model's weights.

    Args:
        name: Name of the other model.
        task: Name of the task.

    Outputs: Name of the model. It is the other model itself if that supports the task, or if no
        model with the same layers does.

    Example:
        >>> with_layers_of("gpt", "text-to-text"), with_layers_of("gpt", "causal-lm")
        ('prefix_gpt', 'gpt')
    """
    layers = model_row(name).layers_of or name
    names = [
        row.name
        for row in MODELS.values()
        if layers in (row.name, row.layers_of) and task in row.tasks
    ]
    return name if name in names or not names else names[0]
