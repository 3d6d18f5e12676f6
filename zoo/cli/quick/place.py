"""The LiteRT file in a run folder, and what shows that it is of the run as it is now."""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from zoo.cli.opened_models import ExportedModel
from zoo.errors import UserError, damage
from zoo.json_file import read_json
from zoo.serving.called import CalledModel
from zoo.tasks.config import check_config, check_files, read_config, weights_file
from zoo.tasks.folder import BASE, OWN_DIGEST, WEIGHTS
from zoo.untrusted import sha256

FOLDER, FILE = "litert", "model.tflite"  # in a run folder, and in this folder
NONE = "none.json"  # in its place: which run has no such file, and why
RUN, OF, ROWS = "run", "of", "rows"  # in the manifest's config; what it is of; rows at a time


def identity(run: Path, check: bool = True) -> str:
    """What is another as soon as any answer of a run may be: its weights, settings or the library.

    It has the digest of the config, which has those of the other files, and the digests of weights
    that are a checkpoint. So a file that was made of other weights is never taken, whatever the
    times of the files are.

    Args:
        run: The run folder.
        check: Whether to check that the files are those of the config.

    Returns:
        The identity; empty if there is none, as of runs of earlier versions.

    Raises:
        UserError: If it is no run folder, or is damaged.
    """
    config = read_config(run)
    if OWN_DIGEST not in config:
        return ""
    if check:
        check_files(run, config)
        check_config(run, config)
    weights = weights_file(run, config)
    checkpoints = [] if weights == run / WEIGHTS else [weights, run / BASE]
    with damage(weights):
        digests = [sha256(path) for path in checkpoints if path.exists()]
    return " ".join([str(config[OWN_DIGEST]), *digests, _library()])


def _library() -> str:
    try:
        return version("keras-attn")
    except PackageNotFoundError:
        return ""


def is_decided(run: Path, of: str) -> bool:
    """Whether it is known that a run cannot have a file.

    Args:
        run: The run folder.
        of: Its `identity`.
    """
    try:
        return bool(read_json(run / FOLDER / NONE, dict).get(OF) == of)
    except (OSError, ValueError):
        return False


def has_file(run: Path) -> bool:
    """Whether there is a file, whatever it is of."""
    return (run / FOLDER / FILE).is_file()


def open_file(run: Path, of: str) -> CalledModel | None:
    """The file of a run; None if there is none, or it is of other weights, or damaged.

    Args:
        run: The run folder.
        of: Its `identity`.
    """
    if not has_file(run):
        return None
    try:
        model = ExportedModel(run / FOLDER / FILE)
    except (UserError, OSError, RuntimeError):  # also one that is being replaced
        return None
    facts = model.config.get(RUN)
    return model if isinstance(facts, dict) and facts.get(OF) == of else None
