"""Training on several devices of one process or of several, with `keras.distribution` on JAX."""

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import keras
import numpy as np
from keras import ops

from zoo.data_statistics import counted
from zoo.errors import UserError
from zoo.models.stateful import StatefulRNN
from zoo.option_names import option_name, option_value
from zoo.training.hosts import LOST, join_hosts, of_lost_process, same_on_all
from zoo.training.options import DATA, MODEL
from zoo.training.sharding import axes_to_split, axis_to_split

ROWS, WEIGHTS = "rows", "weights"  # axes of the mesh of devices
JOINING = (keras.layers.BatchNormalization, StatefulRNN)  # layers to which rows cannot be added


class Devices(keras.distribution.ModelParallel):
    """All devices, between which the rows of batches or the weights are split.

    Keras could split a batch itself only if its rows divided by the devices. So each device gets
    the whole batch, and `split_rows` says which of its rows the device computes.

    A number of rows that does not divide gives the same results, as XLA fills up the rows and masks
    them. But it does so anew for every operator, and those that join the axis of the rows with
    another one, as dense layers do, it computes on every device. `filled` avoids that.

    Args:
        how: "data" to split the rows of batches, or "model" to split the weights.
        shared: Whether each process gets only its rows of each batch, as of `share_rows`.
    """

    def __init__(self, how: str, shared: bool = False) -> None:
        names = keras.distribution.list_devices()
        shape = {DATA: (len(names), 1), MODEL: (1, len(names))}[how]
        mesh = keras.distribution.DeviceMesh(shape, (ROWS, WEIGHTS), names)
        super().__init__(layout_map=keras.distribution.LayoutMap(mesh), batch_dim_name=ROWS)
        self._shared = shared

    def get_data_layout(self, data_shape: Any) -> keras.distribution.TensorLayout:
        return self._layout(len(data_shape), 0 if self._shared else None, ROWS)

    def get_variable_layout(self, variable: keras.Variable) -> keras.distribution.TensorLayout:
        axis = axis_to_split(variable.path, variable.shape, self.device_mesh.shape[1])
        return self._layout(len(variable.shape), axis, WEIGHTS)

    def distribute_dataset(self, dataset: Any) -> Any:
        """The batches of this process, which Keras should not divide."""
        return dataset

    def split_rows(self, tensor: Any) -> Any:
        """Splits the rows of a tensor, in a compiled function."""
        layout = self._layout(len(tensor.shape), 0, ROWS)
        return keras.distribution.distribute_tensor(tensor, layout)

    def filled(self, tensor: Any) -> Any:
        """Fills up the rows of a tensor with its last row, to a multiple of the devices."""
        missing = -tensor.shape[0] % self.num_model_replicas
        return ops.concatenate([tensor, ops.repeat(tensor[-1:], missing, axis=0)])

    def _layout(
        self, rank: int, axis: int | None = None, name: str | None = None
    ) -> keras.distribution.TensorLayout:
        names = [name if number == axis else None for number in range(rank)]
        return keras.distribution.TensorLayout(names, self.device_mesh)


def check_distribution(how: str | None, jit_compile: bool | str = "auto") -> None:
    """Checks that training can be distributed, and joins the other processes if there are any.

    Args:
        how: "data", "model", or None to train on one device.
        jit_compile: XLA: True, False or "auto".

    Raises:
        UserError: If the backend is not JAX, there is only one device, XLA is off, the others
            cannot be reached, or weights were to be split between processes.

    Example:
        >>> check_distribution(None)
    """
    if how is None:
        return
    if keras.backend.backend() != "jax":
        raise UserError(
            f"distribute requires the backend jax, not {keras.backend.backend()}: set the "
            "environment variable KERAS_BACKEND=jax"
        )
    if jit_compile is False:
        xla = option_value("xla", False)
        raise UserError(f"{option_name('distribute')} requires XLA: leave out {xla}")
    if join_hosts() > 1 and how == MODEL:
        raise UserError(
            "distribute=model splits weights between the devices of one process: with several "
            "processes, use distribute=data"
        )
    names = keras.distribution.list_devices()
    if len(names) < 2:
        raise UserError(f"distribute requires several devices, but only {names[0]} is visible")


@contextmanager
def distributed(
    model: keras.Model,
    how: str | None,
    optimizer: keras.Optimizer,
    metrics: Any = None,
    shared: bool = False,
) -> Iterator[list[str]]:
    """Trains a model on all devices within a `with` block; afterwards, it is on one device again.

    Whether that is possible is for `check_session` to say before.

    Args:
        model: A built model, which is compiled within the block.
        how: "data", "model", or None for one device.
        optimizer: The optimizer that it is compiled with.
        metrics: The metrics that it is compiled with.
        shared: Whether each process gets only its rows of each batch.

    Yields:
        Lines for the log.

    Raises:
        UserError: If no weight of the model can be split, or another process was lost.

    Example:
        >>> model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
        >>> with distributed(model, None, keras.optimizers.SGD()) as notes:
        ...     notes
        []
    """
    if how is None:
        yield []
        return
    devices = Devices(how, shared)
    notes = [_describe(model, devices, how)]
    if shared:
        notes += ["each process reads its own rows only"]
    with devices.scope():
        given = [each for each in keras.tree.flatten(metrics) if isinstance(each, keras.Metric)]
        for variable in itertools.chain(*(part.variables for part in (model, optimizer, *given))):
            # Keras chooses the layout of a variable when it creates it, which was before.
            variable._layout = devices.get_variable_layout(variable)
            variable.assign(same_on_all(np.asarray(variable.value)))
        model.stateless_call = _splitting(model, devices)
        lost = False
        try:
            yield notes
        except Exception as error:
            lost = of_lost_process(error)
            if lost:
                raise UserError(LOST) from error
            raise
        finally:
            del model.stateless_call
            model.train_function = model.test_function = model.predict_function = None
            if not lost:
                _gather(model)


def _splitting(model: keras.Model, devices: Devices) -> Callable[..., Any]:
    """The computation of a model, with the rows of its inputs split between the devices.

    Rows are filled up only for the model, unless it computes with several rows at a time: loss and
    metrics are those of the given rows.
    """
    call = model.stateless_call
    by_rows = not any(isinstance(layer, JOINING) for layer in model._flatten_layers())

    def split_call(trainable: Any, others: Any, inputs: Any, **options: Any) -> tuple[Any, ...]:
        sizes = {tensor.shape[0] for tensor in keras.tree.flatten(inputs)}
        fills = by_rows and len(sizes) == 1
        if fills:
            inputs = keras.tree.map_structure(devices.filled, inputs)
        inputs = keras.tree.map_structure(devices.split_rows, inputs)
        outputs, *more = call(trainable, others, inputs, **options)
        if fills:
            outputs = keras.tree.map_structure(lambda tensor: tensor[: max(sizes)], outputs)
        return outputs, *more

    return split_call


def _gather(model: keras.Model) -> None:
    """Moves all variables to one device."""
    optimizer = [] if model.optimizer is None else model.optimizer.variables
    for variable in [*model.variables, *optimizer, *model.metrics_variables]:
        variable._layout = None
        if not variable.value.is_deleted():  # which it is if an error interrupted a step
            variable.assign(np.asarray(variable.value))


def _describe(model: keras.Model, devices: Devices, how: str) -> str:
    count = devices.device_mesh.devices.size
    if how == DATA:
        return f"the rows of each batch are split between {count} devices"
    split: list[keras.Variable] = []
    whole: list[keras.Variable] = []
    for weight in model.weights:
        if axes_to_split(weight.path):
            parts = axis_to_split(weight.path, weight.shape, count)
            (whole if parts is None else split).append(weight)
    if not split:
        reason = f", such as {_named(whole)}," if whole else ""
        raise UserError(
            f"distribute=model cannot split any weight of {model.name}{reason} between {count} "
            "devices: use distribute=data"
        )
    share = _parameters(split) / _parameters(model.weights)
    text = f"{share:.0%} of the parameters are split between {count} devices"
    if whole:
        text += f"; {counted(len(whole), 'weights')} could not be, such as {_named(whole)}"
    return text


def _parameters(weights: list[Any]) -> int:
    return sum(math.prod(weight.shape) for weight in weights)


def _named(weights: list[Any]) -> str:
    return f"{weights[0].path} {tuple(weights[0].shape)}"
