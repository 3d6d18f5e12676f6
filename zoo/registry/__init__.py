"""The models, the tasks and the metrics of the zoo by name, as literal rows.

A row names classes by their import paths, `"module:Class"`. Nothing is imported until `resolve` is
called, so reading the registry requires neither TensorFlow nor Keras.
"""

from zoo.registry.adapters import ADAPTERS
from zoo.registry.metrics import METRICS
from zoo.registry.models import MODELS
from zoo.registry.tasks import PREPARED, TASKS

__all__ = ["ADAPTERS", "METRICS", "MODELS", "PREPARED", "TASKS"]
