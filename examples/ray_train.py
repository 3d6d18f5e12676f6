"""Trains on several workers of a Ray cluster, with Ray Train.

    pip install 'keras-attn[jax,zoo]' 'ray[train]'
    python ray_train.py 4 text-classifier --data /shared/reviews.tsv --out /shared/runs/reviews

The first argument is the number of workers, the others are those of `keras-attn train`. All workers
see the folder of --out. If one is lost, Ray Train starts all again, and they go on from the last
checkpoint. With GPUs, add use_gpu=True to ScalingConfig.
"""

import os
import socket
import subprocess
import sys
from pathlib import Path

import ray
from ray.train import FailureConfig, RunConfig, ScalingConfig, get_context
from ray.train.collective import broadcast_from_rank_zero
from ray.train.v2.api.data_parallel_trainer import DataParallelTrainer


def free_address() -> str:
    """This host, and a free port."""
    with socket.socket() as free:
        free.bind(("", 0))
        return f"{ray.util.get_node_ip_address()}:{free.getsockname()[1]}"


def work(config: dict) -> None:
    """What each worker does: it starts one of the processes that train together."""
    context, arguments = get_context(), config["arguments"]
    place = {
        "KERAS_BACKEND": "jax",
        "KERAS_DISTRIBUTION_JOB_ADDRESSES": broadcast_from_rank_zero(free_address()),
        "KERAS_DISTRIBUTION_NUM_PROCESSES": str(context.get_world_size()),
        "KERAS_DISTRIBUTION_PROCESS_ID": str(context.get_world_rank()),
    }
    folder = Path(arguments[arguments.index("--out") + 1])
    resume = ["--resume"] if (folder / "log.txt").exists() else []
    command = ["keras-attn", "train", *arguments, "--distribute", "data", *resume]
    subprocess.run(command, env={**os.environ, **place}, check=True)


def main(workers: int, arguments: list[str]) -> None:
    """Starts the workers, again if one fails."""
    DataParallelTrainer(
        work,
        train_loop_config={"arguments": arguments},
        scaling_config=ScalingConfig(num_workers=workers),
        run_config=RunConfig(failure_config=FailureConfig(max_failures=3)),
    ).fit()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
