"""Layers that were renamed keep the registered names that saved models have."""

import keras
import pytest

from zoo.models.blank_after_end import BlankAfterEnd
from zoo.models.edge_mask import EdgeMask


@pytest.mark.parametrize(
    ("layer", "name"), [(BlankAfterEnd, "CertainBlank"), (EdgeMask, "PresentEdges")]
)
def test_a_layer_is_loaded_by_its_first_name(layer, name):
    config = keras.saving.serialize_keras_object(layer(name="x"))
    assert config["registered_name"] == f"keras_attn>{name}"
    saved = {**config, "module": "zoo.models.of_before", "class_name": name}
    assert type(keras.saving.deserialize_keras_object(saved)) is layer
