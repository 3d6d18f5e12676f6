"""Options of the tasks that give one label, or any number."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.table_columns import DATA


@dataclass(kw_only=True)
class LabelSetSettings:
    """Settings of tasks that give each row one label, or any number."""

    labels: list[str] | None = None  # which `LabelSettings` describes
    multi_label: bool | None = option(
        None,
        "Whether an input can have several labels, or none. Then the column of labels has them "
        "all, or --label-column names several columns of 0 and 1, with commas between. Default: as "
        "in the checkpoint, otherwise false.",
        group=DATA,
    )
    label_separator: str = option(
        "|", "Separator of the labels of an input, if it can have several.", group=DATA
    )
    threshold: float | None = option(
        None,
        "Probability from which a label is predicted. An input whose labels are all below it gets "
        "none. Default: of several labels, the one with the best micro F1 on the validation data, "
        "or 0.5 without any; of one label, 0, so that every input gets its most probable label.",
        above=0,
        below=1,
        group=DATA,
    )
    other_label: str = option(
        "",
        "Output if no label reaches the threshold, for inputs with one label. Default: an empty "
        "text.",
        group=DATA,
    )
