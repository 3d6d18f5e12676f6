"""Low-rank updates as files: adapters in the format of PEFT, Hugging Face's library for LoRA."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import keras
import numpy as np

from keras_attn.low_rank import updatable_of, updates_of
from zoo.errors import UserError, reason_of
from zoo.json_file import read_json, write_json
from zoo.training.low_rank import LowRankPlan, fingerprint, plan_of, prepare_updates
from zoo.training.options import BASE_DTYPES, FLOAT32
from zoo.untrusted import check_regular

CONFIG, TENSORS = "adapter_config.json", "adapter_model.safetensors"
BASE, BASE_DTYPE = "base_sha256", "base_dtype"  # in the metadata of the tensors
PREFIX, FIRST, SECOND = "base_model.model.", ".lora_A.weight", ".lora_B.weight"
# What adapters may have that low-rank updates have not, with the values that mean nothing.
UNSUPPORTED: dict[str, tuple[Any, ...]] = {
    "use_dora": (False, None),
    "bias": ("none", None),
    "rank_pattern": ({}, None),
    "alpha_pattern": ({}, None),
    "modules_to_save": ([], None),
    "lora_bias": (False, None),
    "trainable_token_indices": (None,),
    "target_parameters": ([], None),
    "layer_replication": ([], None),
    "alora_invocation_tokens": (None,),
    **dict.fromkeys(("use_qalora", "use_bdlora"), (False, None)),
    **dict.fromkeys(("arrow_config", "kasa_config", "monteclora_config", "velora_config"), (None,)),
}


@runtime_checkable
class NamedAsPEFT(Protocol):
    """A model that Hugging Face's library has, too."""

    @property
    def peft_modules(self) -> dict[str, str]:
        """The names in that library of the parts that low-rank updates change."""


def save_adapter(model: keras.Model, folder: Path, weights: bool = True) -> None:
    """Writes the low-rank updates of a model in the format of PEFT; nothing if it has none.

    PEFT can load the adapters of Llama models. In those of other models, the names of modules are
    those of the zoo.

    Args:
        model: The model.
        folder: The folder to write to.
        weights: Whether to write the tensors, too, not only their description.

    Raises:
        UserError: If the disk is full.
    """
    plan = plan_of(model)
    if plan is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    config = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM" if isinstance(model, NamedAsPEFT) else None,
        "base_model_name_or_path": None,
        "r": plan.rank,
        "lora_alpha": plan.alpha,
        "lora_dropout": 0.0,
        "target_modules": list(plan.layers),
        "bias": "none",
        "use_rslora": False,
        "inference_mode": True,
    }
    write_json(folder / CONFIG, config)
    if weights:
        from safetensors.numpy import save_file

        file = folder / TENSORS
        metadata = {BASE: fingerprint(model, plan.base_dtype), BASE_DTYPE: plan.base_dtype}
        save_file(_tensors(model), file, metadata={"format": "pt", **metadata})
        file.chmod((folder / CONFIG).stat().st_mode)  # it was for this user alone


def load_adapter(model: keras.Model, folder: str | Path) -> None:
    """Adds the low-rank updates of a folder, which PEFT or `save_adapter` wrote, to a model.

    Args:
        model: A built model without updates.
        folder: The folder.

    Raises:
        UserError: If the adapter is damaged, of another model, or of a kind other than LoRA.
    """
    folder = Path(folder)
    if updates_of(model):
        raise UserError(f"{model.name} has low-rank updates: merge them before you load others")
    plan = read_plan(folder)
    known = {name.rpartition(".")[2] for name in updatable_of(model)}
    if not known.issuperset(plan.layers):
        wrong = min(set(plan.layers) - known)
        raise UserError(
            f"{folder} is an adapter of another model: it changes {wrong!r}, and {model.name} has "
            f"{', '.join(sorted(known)) or 'no such projections'}"
        )
    tensors, base, base_dtype = _read_tensors(folder / TENSORS)
    prefixes = {name: f"{PREFIX}{_module(model, name)}" for name in updatable_of(model)}
    expected = {f"{prefix}{end}" for prefix in prefixes.values() for end in (FIRST, SECOND)}
    unknown = sorted(tensors.keys() - expected)
    if unknown:
        raise UserError(f"{folder} is an adapter of another model: {unknown[0]} has no place in it")
    new = _checked(model, folder, plan, tensors, prefixes)
    prepare_updates(model, plan)
    if base is not None and base != fingerprint(model, base_dtype):
        for each in updatable_of(model).values():
            each.projection.remove_updates()
        raise UserError(
            f"{folder} is an adapter of another model: the weights that it was trained with have "
            "another sha256"
        )
    for name, update in updates_of(model).items():
        values = new.get(name)
        if values is not None:
            update.a.assign(values[0])
            update.b.assign(values[1])


def read_plan(folder: Path, base_dtype: str = FLOAT32) -> LowRankPlan:
    """The rank, the factor and the projections of the adapter in a folder.

    Args:
        folder: The folder.
        base_dtype: Dtype of the frozen kernels, which PEFT's format does not have.

    Raises:
        UserError: If it is damaged, or of a kind other than LoRA.
    """
    path = folder / CONFIG
    try:
        config = read_json(path, dict)
    except (OSError, ValueError) as error:
        raise UserError(f"{path} is missing or damaged ({reason_of(error)})") from None
    if config.get("peft_type") != "LORA":
        raise UserError(f"{path}: peft_type must be LORA, got {config.get('peft_type')!r:.40}")
    for name, harmless in UNSUPPORTED.items():
        if config.get(name) not in harmless:
            raise UserError(f"{path}: {name} = {config[name]!r:.60} is not supported")
    rank: Any = config.get("r")
    alpha: Any = config.get("lora_alpha")
    layers: Any = config.get("target_modules")
    if type(rank) is not int or not 1 <= rank <= 2**16:
        raise UserError(f"{path}: r must be an integer from 1 to 65536, got {rank!r:.40}")
    if type(alpha) not in (int, float) or not 0 < alpha < float("inf"):
        raise UserError(f"{path}: lora_alpha must be a positive number, got {alpha!r:.40}")
    if not isinstance(layers, list) or not layers or not all(isinstance(x, str) for x in layers):
        raise UserError(f"{path}: target_modules must be a list of names, got {layers!r:.60}")
    if config.get("use_rslora"):
        alpha = alpha * rank**0.5  # which is divided by the rank, not by its root
    names = tuple(sorted({name.rpartition(".")[2] for name in layers}))
    return LowRankPlan(rank=rank, alpha=float(alpha), layers=names, base_dtype=base_dtype)


def _module(model: keras.Model, name: str) -> str:
    """The name of a projection in an adapter."""
    path, _, projection = name.rpartition(".")
    names = model.peft_modules if isinstance(model, NamedAsPEFT) else {}
    return f"{names.get(path, path.replace('/', '.'))}.{projection}"


def _tensors(model: keras.Model) -> dict[str, np.ndarray]:
    tensors = {}
    for name, update in updates_of(model).items():
        for end, weight in ((FIRST, update.a), (SECOND, update.b)):
            array = np.asarray(keras.ops.convert_to_numpy(weight), "float32").T
            tensors[f"{PREFIX}{_module(model, name)}{end}"] = np.ascontiguousarray(array)
    return tensors


def _read_tensors(path: Path) -> tuple[dict[str, np.ndarray], str | None, str]:
    """The tensors of a file as float32, the fingerprint of the base, if any, and its dtype."""
    import safetensors

    if not path.exists():
        raise UserError(f"{path} is missing; adapters in pickled files (.bin) are never loaded")
    try:
        check_regular(path)
        with safetensors.safe_open(path, "numpy") as file:
            tensors = {name: file.get_tensor(name).astype("float32") for name in file.keys()}
            metadata = file.metadata() or {}
    except (safetensors.SafetensorError, OSError, ValueError, TypeError) as error:
        raise UserError(f"{path} is damaged: {reason_of(error)}") from None
    for name, tensor in tensors.items():
        if not np.isfinite(tensor).all():
            raise UserError(f"{path}: the tensor {name} has values that are NaN or infinite")
    base_dtype = metadata.get(BASE_DTYPE, FLOAT32)
    if base_dtype not in BASE_DTYPES:
        raise UserError(f"{path}: {BASE_DTYPE} is {base_dtype!r:.40}, which is not known")
    return tensors, metadata.get(BASE), base_dtype


def _checked(
    model: keras.Model,
    folder: Path,
    plan: LowRankPlan,
    tensors: Mapping[str, np.ndarray],
    prefixes: Mapping[str, str],
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The two matrices of each update that an adapter has, of the shapes that fit the model."""
    new = {}
    for name, each in updatable_of(model).items():
        first, second = (tensors.get(f"{prefixes[name]}{end}") for end in (FIRST, SECOND))
        if first is None or second is None:
            if first is not None or second is not None:
                raise UserError(f"{folder} is damaged: it has one of two tensors of {name}")
            # Without tensors, its second matrix stays 0.
            continue
        shape = each.projection.update_shapes(plan.rank, each.part)
        actual = (first.T.shape, second.T.shape)
        if actual != shape:
            raise UserError(
                f"{folder} is an adapter of another model: {prefixes[name]} has matrices of shape "
                f"{actual[0]} and {actual[1]}, expected {shape[0]} and {shape[1]}"
            )
        new[name] = (first.T, second.T)
    if not new:
        raise UserError(f"{folder} has no tensors of low-rank updates")
    return new
