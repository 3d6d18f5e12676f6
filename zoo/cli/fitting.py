"""The tasks that fit a data file: those that have the given options, and whose model takes it."""

from dataclasses import replace
from importlib import import_module
from typing import Any

from zoo.cli.console import load
from zoo.data.readers.files import paths_of
from zoo.errors import UserError
from zoo.option_names import spelled
from zoo.options import names_of
from zoo.registry import TASKS
from zoo.registry_rows import resolve

IMAGES = "image-classifier"
SIZES = ("32x32", "64x64")  # that are tried if images are too small for the layers


def with_model(inspection: Any, columns: dict[str, Any]) -> Any:
    """An `Inspection` of only those tasks that have the given options, and need them, too.

    Whether images have a size that the default model takes, the model says.

    Args:
        inspection: The `Inspection`.
        columns: The options of the command line that name columns.

    Raises:
        UserError: If no task that fits has these options.
    """
    fits, lacking = [], ""
    for fit in inspection.fits:
        names = names_of(import_module(TASKS[fit.task].options).Settings)
        unknown = [name for name in columns if name not in names]
        if unknown:
            lacking = lacking or f"{fit.task} has no option {spelled(unknown[0])}"
            continue
        fits.append(replace(fit, options={**columns, **fit.options}))
    if lacking and not fits:
        raise UserError(lacking)
    inspection = replace(inspection, fits=fits)
    return _with_size(inspection) if inspection.task == IMAGES else inspection


def _with_size(inspection: Any) -> Any:
    """Adds the option for the size of images if the model needs one."""
    load("zoo")  # without TensorFlow's messages
    (fit,), refused = inspection.fits, ""
    for size in (None, *SIZES):
        options = fit.options | ({} if size is None else {"image_size": size})
        try:
            resolve(TASKS[IMAGES].path)(**options).adapt(paths_of(inspection.path))
        except UserError as error:
            refused = refused or f"{IMAGES}: {error}"
            continue
        return replace(inspection, fits=[replace(fit, options=options)])
    return replace(inspection, fits=[], understood=refused)
