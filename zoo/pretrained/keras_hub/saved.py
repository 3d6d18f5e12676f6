"""Tasks and backbones of KerasHub that are in memory, as presets."""

import shutil
import tempfile
import weakref
from typing import Any

from zoo.errors import UserError
from zoo.pretrained.keras_hub.preset import KerasHubPreset


def preset_of(model: Any) -> KerasHubPreset:
    """A preset that has been saved to a temporary folder, which exists as long as the preset does.

    Args:
        model: A task of KerasHub, with its preprocessor.

    Raises:
        UserError: If it is neither a task nor a backbone of KerasHub, or has no tokenizer.
    """
    if not hasattr(model, "save_to_preset"):
        raise UserError(
            f"expected a path, the name of a model on the hub, or a task of KerasHub, got "
            f"{type(model).__name__}"
        )
    if getattr(model, "preprocessor", None) is None:
        raise UserError(f"the {type(model).__name__} has no preprocessor, and so no tokenizer")
    folder = tempfile.mkdtemp(prefix="keras-hub-")
    try:
        model.save_to_preset(folder)
        preset = KerasHubPreset(folder)
    except BaseException:
        shutil.rmtree(folder)
        raise
    weakref.finalize(preset, shutil.rmtree, folder, ignore_errors=True)
    return preset
