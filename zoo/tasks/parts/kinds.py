"""The types that the parts of a task share, as type variables."""

from typing import TypeVar

from zoo.data.examples import Examples
from zoo.heads.head import Head
from zoo.options import Options
from zoo.preprocessing.base import Preprocessor
from zoo.training.options import TrainingOptions

S = TypeVar("S", bound=Options)
T = TypeVar("T", bound=TrainingOptions)
P = TypeVar("P", bound=Preprocessor)
E = TypeVar("E", bound=Examples)
H = TypeVar("H", bound=Head)
