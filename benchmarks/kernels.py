"""What the kernels of a training step of GPT-2 read and write on an H100, compiled without one.

    pip install --no-deps jax-cuda13-plugin==VERSION jax-cuda13-pjrt==VERSION
    python -m benchmarks.kernels --layers 2 --in block_1

VERSION is that of JAX. XLA compiles for a GPU by its description, and needs neither a GPU nor CUDA.
It cannot try kernels there, so it may choose other ones for products than it would on the GPU. The
time of a kernel is that of reading and writing at 3 TB/s: products take longer, and others should
not. Flags for XLA are in docs/how-to/training/scaling.md.
"""

import os

os.environ |= {"KERAS_BACKEND": "jax", "JAX_PLATFORMS": "cpu"}

import argparse
import dataclasses
from typing import Any
from unittest import mock

import jax
import numpy as np
from jax._src.cudnn import fused_attention_stablehlo
from jax.experimental import topologies

from benchmarks.cost_model import GPTS, Network
from benchmarks.gpu import gpt_data, gpt_model
from benchmarks.hlo import kernels, size
from keras_attn import gpu
from keras_attn.right_padding import right_padding

BYTES_PER_SECOND = 3e12  # what an H100 reached for large arrays; 3.35e12 by its data sheet
H100 = """
    gpu_device_info {
      cuda_compute_capability { major: 9 }
      threads_per_block_limit: 1024 threads_per_warp: 32 threads_per_core_limit: 2048
      shared_memory_per_block: 49152 shared_memory_per_block_optin: 232448
      shared_memory_per_core: 233472
      registers_per_core_limit: 65536 registers_per_block_limit: 65536
      core_count: 132 fpus_per_core: 128 clock_rate_ghz: 1.98
      block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535
      memory_bandwidth: 3352320000000 l2_cache_size: 52428800 device_memory_size: 84978434048
    }
    platform_name: "CUDA"
    dnn_version_info { major: 9 minor: 10 patch: 2 }
    runtime_version { major: 13 minor: 0 }
    device_description_str: "NVIDIA H100 80GB HBM3"
"""
PARTS = ("trainable", "non_trainable", "optimizer", "metrics")


def compiled_step(network: Network, rows: int) -> Any:
    """A training step in bfloat16, compiled for an H100."""
    topology = topologies.get_topology_desc(
        "h100", platform="cuda", target_config=H100, topology="1x1x1"
    )
    sharding = jax.sharding.SingleDeviceSharding(topology.devices[0])
    model = gpt_model(network, dtype="mixed_bfloat16")
    data = gpt_data(network, rows, padded=False)
    model._symbolic_build(data_batch=data)
    model.optimizer.build(model.trainable_variables)
    state = model._get_jax_state(**{f"{part}_variables": True for part in PARTS})
    inputs = jax.tree.map(
        lambda x: jax.ShapeDtypeStruct(np.shape(x), x.dtype, sharding=sharding), (state, data)
    )
    with (
        right_padding(),
        mock.patch.object(gpu, "compute_capability", lambda: 9.0),
        mock.patch.object(fused_attention_stablehlo, "check_cudnn_version", lambda: 91002),
    ):
        traced = jax.jit(model.train_step, donate_argnums=0).trace(*inputs)
        return traced.lower(lowering_platforms=("cuda",)).compile()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", type=int, default=12, help="number of blocks")
    parser.add_argument("--rows", type=int, default=16, help="number of rows of a batch")
    parser.add_argument("--top", type=int, default=40, help="number of kernels to show")
    parser.add_argument("--in", dest="place", default="", help="part of the source of a kernel")
    given = parser.parse_args()
    try:
        step = compiled_step(dataclasses.replace(GPTS[0], layers=given.layers), given.rows)
    except NotImplementedError:
        version = jax.__version__
        parser.error(f"install jax-cuda13-plugin and jax-cuda13-pjrt {version}, without CUDA")
    found = list(kernels(step.as_text()))
    others = sum(each.bytes for each in found if not each.is_product)
    print(f"{len(found)} kernels, {step.memory_analysis().temp_size_in_bytes / 1e9:.1f} GB")
    print(f"without products and attention: {1e3 * others / BYTES_PER_SECOND:.2f} ms")
    shown = [each for each in found if given.place in each.source]
    for each in sorted(shown, key=lambda kernel: -kernel.bytes)[: given.top]:
        mark = "*" if each.is_product else " "
        read = ", ".join(shape for shape in each.inputs if size(shape) > 1e6)
        microseconds = 1e6 * each.bytes / BYTES_PER_SECOND
        print(f"{microseconds:8.1f} us {mark} {each.output} <- {read}  {each.source}")


if __name__ == "__main__":
    main()
