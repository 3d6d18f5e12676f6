"""Types of the arguments of models, with the limits of their values as options of a task.

A task checks options by these annotations, before it fits a tokenizer or builds a model.
"""

import math
from typing import Annotated, Any, TypeVar, get_args

from zoo.limits import Limits

T = TypeVar("T")


class SetByTask:
    """Mark of an argument that a task sets from its data or its settings.

    Users pass it to `create_model` only.
    """


PositiveInt = Annotated[int, Limits(minimum=1)]
NonNegativeInt = Annotated[int, Limits(minimum=0)]
Positive = Annotated[float, Limits(above=0, below=math.inf)]
NonNegative = Annotated[float, Limits(minimum=0, below=math.inf)]
Rate = Annotated[float, Limits(minimum=0, below=1)]  # such as that of dropout
FromTask = Annotated[T, SetByTask()]


def is_from_task(annotation: Any) -> bool:
    """Whether an argument with this annotation is set by a task.

    Example:
        >>> is_from_task(FromTask[PositiveInt]), is_from_task(PositiveInt)
        (True, False)
    """
    return any(isinstance(each, SetByTask) for each in get_args(annotation))
