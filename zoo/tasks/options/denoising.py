"""Options of denoising."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import (
    MaskedTextSettings,
    PassageTraining,
    TaskSettings,
)
from zoo.tasks.options.table_columns import DATA, TableOptions, TextColumn
from zoo.training.options import TrainingOptions

DEFAULT_CORRUPTIONS = ["sentence_permutation", "text_infilling"]


@dataclass(kw_only=True)
class Settings(MaskedTextSettings, TaskSettings, TextColumn, TableOptions):
    """Settings of a denoising task."""

    model: str = "bart"
    corruptions: list[str] = option(
        DEFAULT_CORRUPTIONS,
        "Corruptions, applied in this order: token_masking, token_deletion, text_infilling, "
        "sentence_permutation, document_rotation.",
        group=DATA,
    )


@dataclass(kw_only=True)
class Training(PassageTraining, TrainingOptions):
    """Training options of a denoising task."""
