"""What export asks of a task, and what it says to one that does not have it."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from export.protocol import ExportableTask, LoadedArtifact, ServingSignature, SignatureTensor
from export.signatures import LiveSignature
from export.task import read_signatures
from export.worker.artifact import Artifact
from tests.export.parts import Tensor, of_features
from tests.export.standin import StandIn
from tests.export.tasks import Tagger

IDS = {"ids": Tensor(("batch", "length"), "int32", 0)}


def doubled(ids):
    return {"twice": ids * 2}


GOOD = of_features(IDS, doubled, {"twice": ("batch", "length")})


def test_plain_objects_meet_the_protocol():
    assert isinstance(StandIn(), ExportableTask)
    assert isinstance(GOOD, ServingSignature)
    assert isinstance(IDS["ids"], SignatureTensor)
    assert isinstance(Artifact(lambda name, inputs: {}, {}), LoadedArtifact)
    assert not isinstance(SimpleNamespace(model=None, signatures=None), ExportableTask)
    assert not isinstance({"function": doubled, "inputs": {}}, ServingSignature)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"invariances": ("order",)}, r"invariances must be among .*received \['order'\]"),
        ({"outputs": {"twice": ("batch", "width")}}, r"no feature has the axes \['width'\]"),
        ({"features": {}}, "inputs and features must be the same"),
        ({"inputs": {"ids": ((None, None), "int32")}}, "'ids' must have shape, dtype and padding"),
    ],
)
def test_parts_that_contradict_each_other(change, message):
    with pytest.raises(ValueError, match=f"Signature 'x': .*{message}"):
        LiveSignature("x", replace(GOOD, **change))


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ({"twice": ("batch",)}, r"'twice' has the shape \(2, 3\); its axes are \['batch'\]"),
        ({"twice": ("batch", "batch")}, r"\['batch', 'batch'\] with {'batch': 2}"),
        ({"twice": ("batch", 4)}, r"\['batch', 4\]"),
        ({"thrice": ("batch", "length")}, r"must return \['thrice'\]; received \['twice'\]"),
    ],
)
def test_outputs_are_what_they_are_said_to_be(outputs, message):
    signature = LiveSignature("x", replace(GOOD, outputs=outputs))

    with pytest.raises(ValueError, match=f"Signature 'x': .*{message}"):
        signature.run({"ids": np.ones((2, 3), "int32")})


def test_axes_of_one_name_have_one_size():
    two = {**IDS, "more": Tensor(("batch", "length"), "int32", 0)}
    parts = of_features(two, lambda ids, more: doubled(ids), {"twice": ("batch", "length")})

    with pytest.raises(ValueError, match=r"'more' has the shape \(2, 4\).*'length': 3"):
        LiveSignature("x", parts).run(
            {"ids": np.ones((2, 3), "int32"), "more": np.ones((2, 4), "int32")}
        )


def test_a_signature_of_another_kind_is_refused():
    class Old(StandIn):
        def signatures(self, text, litert=False):
            return {"serving_default": {"function": doubled, "inputs": IDS}}

    with pytest.raises(ValueError, match="'serving_default' of Old must have.*received dict"):
        read_signatures(Old().export_parts(None).signatures, "Old")


def test_the_padding_of_features_fills_outputs_of_their_own_size():
    generated = LiveSignature("x", StandIn().signatures(False)["serving_default"]).outputs
    tags = LiveSignature("x", Tagger().signatures(False)["serving_default"]).outputs

    assert (generated["token_ids"].padding, generated["lengths"].padding) == (0, None)
    assert {spec.padding for spec in tags.values()} == {None}
