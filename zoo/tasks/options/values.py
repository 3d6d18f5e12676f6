"""Options of the tasks that give values."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.table_columns import DATA
from zoo.training.options import OPTIMIZATION, VALUE_LOSSES


@dataclass(kw_only=True)
class ValueSettings:
    """Settings of tasks that give each row a value, or several."""

    value_names: list[str] | None = option(
        None, "Names of the values. Default: those of their columns.", group=DATA
    )
    value_means: list[float] | None = option(
        None,
        "What is subtracted from each value before the model learns it. Default: its mean in the "
        "training data.",
        group=DATA,
    )
    value_scales: list[float] | None = option(
        None,
        "What each value is divided by after that. Default: its standard deviation in the training "
        "data.",
        group=DATA,
    )


@dataclass(kw_only=True)
class ValueLoss:
    """Training options of tasks that give values."""

    loss: str = option(
        "mse",
        "Loss of the standardized values: squared error, absolute error, or Huber's loss, which "
        "is squared up to one standard deviation and absolute beyond.",
        choices=VALUE_LOSSES,
        group=OPTIMIZATION,
    )
