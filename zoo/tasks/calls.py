"""Raw inputs as calls of the signatures of an artifact."""

from typing import Any

import numpy as np

from zoo.data_statistics import discarding
from zoo.preprocessing.base import Preprocessor
from zoo.preprocessing.byte_texts import as_bytes
from zoo.preprocessing.text import TokenPreprocessor
from zoo.serving.signatures import SERVING_DEFAULT

Calls = dict[str, list[dict[str, Any]]]  # arrays by name, for each call, by name of the signature


def calls_of(preprocessor: Preprocessor, raw: list[dict[str, np.ndarray]]) -> Calls:
    """Raw inputs as calls of the signatures that take them, their features, or their bytes."""
    features = []
    for batch in raw:
        with discarding():  # they are not the user's data
            read = preprocessor.read({name: list(x) for name, x in batch.items()})
        features.append({name: read[name] for name in preprocessor.features})
    calls: Calls = {SERVING_DEFAULT: raw, preprocessor.feature_signature: features}
    if isinstance(preprocessor, TokenPreprocessor):  # for `text="bytes"`
        calls["in bytes"] = [as_bytes(batch) for batch in raw]
    return calls
