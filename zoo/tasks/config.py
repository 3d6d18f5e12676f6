"""The config of a run folder, and the files that belong to it."""

from pathlib import Path
from typing import Any

from zoo.errors import UserError, damage
from zoo.json_file import read_json
from zoo.tasks.folder import BEST, CONFIG, DIGESTS, LAST, OWN_DIGEST, START, WEIGHTS
from zoo.tasks.provenance import sha256_of_config
from zoo.tasks.saving import is_inside, recover
from zoo.untrusted import sha256

SECTIONS = {"settings": dict, "model_options": dict, "training": dict, "files": dict,
            "data": dict, "examples": dict}  # fmt: skip

COLUMNS = "columns"  # names of the columns of the training data; earlier runs have none


def is_run(folder: Path) -> bool:
    """Whether a folder contains a run, which may have no checkpoint yet."""
    return (to_resume(folder) / CONFIG).exists()


def to_resume(folder: Path) -> Path:
    """The folder with the config of the latest training of a run.

    It is the run folder, or, until the training has its first checkpoint, a folder in it.
    """
    recover(folder)
    return folder / START if (folder / START / CONFIG).exists() else folder


def read_config(folder: Path) -> dict[str, Any]:
    """Reads the config of a run folder.

    Raises:
        UserError: If there is no config, or it is damaged.
    """
    recover(folder)
    path = folder / CONFIG
    if not path.exists():
        if (start := to_resume(folder)) != folder:
            raise UserError(
                f"{folder} has no trained weights yet, since its first epoch did not end: continue "
                f"with --resume, or with zoo.load({str(start)!r}) and fit"
            )
        raise UserError(f"{folder} contains no {CONFIG}: is it a run folder?")
    try:
        config = read_json(path, dict)
    except (OSError, ValueError) as error:
        raise UserError(f"{path} is damaged ({error}): restore it, or train again.") from None
    if not isinstance(config.get("task"), str):
        raise UserError(f"{path} does not name a task: restore it, or train again.")
    known = {"task", COLUMNS, "vocabulary_size", DIGESTS, OWN_DIGEST, *SECTIONS}
    unknown = sorted(set(config) - known)
    if unknown:
        raise UserError(f"{path} is damaged (unknown {unknown[0]!r}): restore it, or train again.")
    for name, kind in SECTIONS.items():
        if not isinstance(config.get(name), kind):
            raise UserError(f"{path} is damaged (no {name!r}): restore it, or train again.")
    columns = config.get(COLUMNS, {})
    if not isinstance(columns, dict) or not all(isinstance(x, str) for x in columns.values()):
        raise UserError(f"{path} is damaged ({COLUMNS!r}): restore it, or train again.")
    digests = config.get(DIGESTS, {})
    if not isinstance(digests, dict) or not all(is_inside(name) for name in digests):
        raise UserError(f"{path} is damaged ({DIGESTS!r}): restore it, or train again.")
    return config


def check_files(folder: Path, config: dict[str, Any]) -> None:
    """Checks that the files of a run folder are those that were saved with its config.

    Raises:
        UserError: If a file is missing or another one, such as after a failure of the disk.
    """
    for name, digest in config.get(DIGESTS, {}).items():
        path = folder / name
        if not path.exists():
            raise UserError(f"{path} is missing: restore it, or train again.")
        with damage(path):
            actual = sha256(path)
        if actual != digest:
            raise UserError(
                f"{path} is damaged, or of another run (its sha256 is not that in {CONFIG}): "
                "restore it, or train again."
            )


def check_config(folder: Path, config: dict[str, Any]) -> None:
    """Checks that the values of a config are those that were saved.

    Raises:
        UserError: If one is another, such as after a failure of the disk.
    """
    if config.get(OWN_DIGEST, sha256_of_config(config)) != sha256_of_config(config):
        raise UserError(
            f"{folder / CONFIG} was changed after it was saved (its sha256 is another): restore "
            "it. If you changed it yourself, use check_digests=False or --no-check-digests."
        )


def refuse_checkpoints(folder: Path) -> None:
    """Refuses a folder with checkpoints, which do not belong to what is to be saved there.

    Raises:
        UserError: If there are checkpoints.
    """
    if any((folder / name).exists() for name in (BEST, LAST)):
        raise UserError(
            f"{folder} contains checkpoints of another run, which would be resumed instead of this "
            "one: choose another folder"
        )


def weights_file(folder: Path, config: dict[str, Any]) -> Path:
    """The weights file of a run: the saved weights, or else the best or the last checkpoint.

    Raises:
        UserError: If there is no weights file.
    """
    names = [BEST, LAST]
    if WEIGHTS in config.get(DIGESTS, [WEIGHTS]):
        names.insert(0, Path(WEIGHTS))
    paths = [folder / name for name in names if (folder / name).exists()]
    if not paths:
        raise UserError(f"{folder} contains no {WEIGHTS}: restore it, or train again.")
    return paths[0]
