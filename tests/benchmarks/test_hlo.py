"""The kernels of compiled programs."""

import subprocess
import sys

import pytest

from benchmarks.hlo import kernels, size

PROGRAM = """HloModule jit_step

%fused (param_0: f32[3,5]) -> f32[5] {
  ROOT %reduce.1 = f32[5]{0} reduce(%param_0), dimensions={0}
}

ENTRY %main.9 (x.1: f32[3,5], w.1: bf16[5,7]) -> (f32[5], bf16[3,7]) {
  %x.1 = f32[3,5]{1,0} parameter(0), metadata={op_name="x"}
  %w.1 = bf16[5,7]{1,0} parameter(1), metadata={op_name="w"}
  %both.1 = (f32[5]{0}, bf16[3,5]{1,0}) fusion(%x.1, %x.1), metadata={op_name="jit(step)/a/sum"}
  %first.1 = f32[5]{0} get-tuple-element(%both.1), index=0
  %second.1 = bf16[3,5]{1,0} get-tuple-element(%both.1), index=1
  %custom-call.2 = (bf16[3,7]{1,0}, s8[64]{0}) custom-call(%second.1, /*index=1*/%w.1), metadata={}
  %product.1 = bf16[3,7]{1,0} get-tuple-element(%custom-call.2), index=0
  ROOT %tuple.1 = (f32[5]{0}, bf16[3,7]{1,0}) tuple(%first.1, %product.1)
}
"""


def test_kernels_read_and_write():
    fusion, product = kernels(PROGRAM)
    assert (fusion.name, fusion.source, fusion.is_product) == ("both.1", "jit(step)/a/sum", False)
    assert fusion.inputs == ("f32[3,5]",)  # read once, though named twice
    assert fusion.bytes == 4 * 15 + 4 * 5 + 2 * 15
    assert (product.name, product.is_product) == ("custom-call.2", True)
    assert product.inputs == ("bf16[3,5]", "bf16[5,7]")
    assert product.bytes == 2 * 15 + 2 * 35 + 2 * 21 + 64


@pytest.mark.parametrize(
    ("shape", "expected"),
    [("f32[]", 4), ("pred[3,5]", 15), ("f8e4m3fn[7]", 7), ("(s32[2], (bf16[3], u8[5]))", 19)],
)
def test_size(shape, expected):
    assert size(shape) == expected


COMPILED = """
import jax, jax.numpy as jnp
x = jnp.ones((13, 17), "bfloat16")
print(jax.jit(lambda x: (jnp.tanh(x), x.sum(0))).lower(x).compile().as_text())
"""


def test_a_program_of_this_processor():
    """From another process, since JAX warns where a process that has used it is forked."""
    program = subprocess.run([sys.executable, "-c", COMPILED], capture_output=True, text=True)
    actual = list(kernels(program.stdout))
    assert actual and all(each.bytes for each in actual)
    assert sum(each.bytes for each in actual) >= 2 * 2 * 13 * 17
