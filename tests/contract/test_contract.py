"""Every exported layer x every check of the contract. A new export without a case fails."""

import keras
import pytest

from tests.contract.cases import CASES
from tests.contract.checks import CHECKS
from tests.contract.checks.empty import lengths_of
from tests.contract.surface import exported, kind

EXPORTED = exported()
# Further rows about the layers.
ROWS = EXPORTED | {name: case.layer for name, case in CASES.items() if case.title}
# Each compiles, starts a process, or builds each layer once more.
THOROUGH = {
    "keras file", "mixed", "NaN behind the mask", "length 0", "batch 0",
    "XLA", "JAX", "PyTorch", "SavedModel", "LiteRT", "Keras export",
}  # fmt: skip
# Of the layers without their variants, XLA compiles the same graph.
LONG = {"graph"}
# What is seen on JAX for every change: that the layers train and compile there. That they compute
# the same is what JAX, a check on TensorFlow, compares. The rest is decided by the layers' own
# code, which is tested on TensorFlow.
THOROUGH_ON_JAX = {"XLA"}
LONG_ON_JAX = {
    "oracle", "mixed", "symbolic", "maps", "wrong inputs", "masked", "all masked",
    "implicit mask", "causal", "neighbours", "NaN behind the mask", "length 0", "batch 0",
    "XLA, variants",
}  # fmt: skip


def marks(check):
    """The marks of a check that takes long on this backend."""
    on_tensorflow = keras.backend.backend() == "tensorflow"
    if check in (LONG if on_tensorflow else LONG_ON_JAX):
        return [pytest.mark.long]
    thorough = THOROUGH if on_tensorflow else THOROUGH_ON_JAX
    return [pytest.mark.thorough] if check in thorough else []


CELLS = [
    pytest.param(name, check, id=f"{name}-{check.replace(' ', '_')}", marks=marks(check))
    for name, thing in ROWS.items()
    for check, rule in CHECKS.items()
    if kind(thing) in rule.kinds and keras.backend.backend() in rule.backends
    if name in EXPORTED or rule.takes != "thing"
]


@pytest.mark.parametrize(("name", "check"), CELLS)
def test_contract(name, check, record_property, shared_folder):
    thing, rule = ROWS[name], CHECKS[check]
    record_property("contract", [name, check, ""])
    if rule.takes == "thing":
        rule.function(thing)
        return
    assert name in CASES, f"{name} is exported and has no case in tests/contract/cases"
    case = CASES[name]
    assert case.layer is thing
    reason = case.not_applicable.get(check)
    if reason:
        record_property("contract", [name, check, reason])
        claim_is_honest(case, check)
    elif rule.takes == "case":
        rule.function(case)
    else:
        rule.function(case, shared_folder)


def claim_is_honest(case, check):
    """A check that the case itself gives the means for cannot be called inapplicable."""
    means = {
        "keras layer": case.keras,
        "masked": case.masks,
        "all masked": case.masks,
        "NaN behind the mask": case.masks,
        "length 0": lengths_of(case),
        "implicit mask": case.implicit,
        "causal": case.causal,
        "maps": case.maps,
        "neighbours": case.masks,
    }
    assert check in means, f"{check} applies to every export of its kind"
    assert not means[check], f"the case says {check} cannot apply, and how it applies"
    hint = {
        "masked": "mask", "all masked": "mask", "NaN behind the mask": "mask",
        "implicit mask": "mask", "neighbours": "mask", "causal": "causal",
    }.get(check)  # fmt: skip
    code = getattr(case.layer, "call", None).__code__
    arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    assert not (hint and any(hint in a for a in arguments)), f"call takes {arguments}: {check}"


def test_every_case_is_exported():
    assert set(CASES) <= set(ROWS), "a case for what is not exported"
    assert {case.layer for case in CASES.values()} <= set(EXPORTED.values())


def test_every_reason_is_about_a_check():
    for case in CASES.values():
        assert set(case.not_applicable) <= set(CHECKS), case.name
