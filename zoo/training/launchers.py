"""The environment variables by which launchers tell a process of the others."""

from collections.abc import Mapping
from dataclasses import dataclass

from zoo.errors import UserError

# Who starts the processes, and the variables in which it tells each: the address of the first
# process, or its host and its port, how many there are, and which one this is.
LAUNCHERS = (
    (
        "Keras",
        ("KERAS_DISTRIBUTION_JOB_ADDRESSES",),
        "KERAS_DISTRIBUTION_NUM_PROCESSES",
        "KERAS_DISTRIBUTION_PROCESS_ID",
    ),
    (
        "Kubeflow Trainer",
        ("JAX_COORDINATOR_ADDRESS",),
        "JAX_NUM_PROCESSES",
        "JAX_PROCESS_ID",
    ),
    (
        "Kubeflow JAXJob",
        ("COORDINATOR_ADDRESS", "COORDINATOR_PORT"),
        "NUM_PROCESSES",
        "PROCESS_ID",
    ),
    ("Slurm", (), "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),  # JAX knows the address
)


@dataclass(frozen=True)
class ProcessRank:
    """The number of this process among all.

    Args:
        launcher: Who started the processes.
        address: Host and port of the first process; None if JAX finds them.
        count: Number of processes.
        index: Number of this one, from 0.
    """

    launcher: str
    address: str | None
    count: int
    index: int


def process_rank(variables: Mapping[str, str]) -> ProcessRank | None:
    """What environment variables say of several processes; None if they say nothing.

    Args:
        variables: The environment variables.

    Raises:
        UserError: If a variable is missing, or is no number that makes sense.

    Example:
        >>> process_rank({"COORDINATOR_ADDRESS": "job-0", "COORDINATOR_PORT": "1234",
        ...           "NUM_PROCESSES": "4", "PROCESS_ID": "2"})
        ProcessRank(launcher='Kubeflow JAXJob', address='job-0:1234', count=4, index=2)
        >>> process_rank({})
    """
    for launcher, address, count, index in LAUNCHERS:
        names = (*address, count, index)
        if not address and not all(name in variables for name in names):
            continue  # within an allocation of Slurm, but not started by srun
        if not any(name in variables for name in names):
            continue
        for name in names:
            if not variables.get(name):
                raise UserError(f"the environment variable {name} is missing: {launcher} sets it")
        host = ":".join(variables[name] for name in address).split(",")[0]
        if address and not host.rpartition(":")[2].isdecimal():
            raise UserError(f"{address[0]} must be a host and a port, host:port; got {host!r}")
        total = _number(variables, count, 1)
        return ProcessRank(launcher, host or None, total, _number(variables, index, 0, total - 1))
    return None


def _number(variables: Mapping[str, str], name: str, least: int, most: int = 100_000) -> int:
    text = variables[name]
    if not (text.isdecimal() and text.isascii() and least <= int(text) <= most):
        raise UserError(f"{name} must be a number from {least} to {most}; got {text!r}")
    return int(text)
