"""Plain dataclasses with the attributes that export's protocol asks for."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

TEXT = ("batch",)


@dataclass(frozen=True)
class Tensor:
    shape: tuple
    dtype: str
    padding: Any = None
    meaning: str = ""


@dataclass(frozen=True)
class Parts:
    inputs: dict[str, Tensor]
    features: dict[str, Tensor]
    infer: Callable
    outputs: dict[str, tuple]
    preprocess: Callable | None = None
    postprocess: Callable | None = None
    invariances: tuple[str, ...] = ("batch", "padding")
    results: dict[str, tuple] = field(default_factory=dict)
    tables: tuple = ()
    purpose: str = ""
    meanings: dict[str, str] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    follows: str = ""


def of_features(features, infer, outputs, **rest):
    """A signature of one stage."""
    return Parts(features, features, infer, outputs, **rest)


def call(signature, **inputs):
    """What a signature gives for inputs, by its definition in `export.protocol`."""
    features = signature.preprocess(**inputs) if signature.preprocess else inputs
    outputs = signature.infer(**{name: features[name] for name in signature.features})
    return signature.postprocess(outputs, features) if signature.postprocess else outputs


@dataclass(frozen=True)
class AllParts:
    """What `export_parts` returns."""

    signatures: dict[str, Any]
    live: dict[str, Any]
    strings: dict[str, Any] | None
    probes: dict[str, list]
    samples: dict[str, list]
    config: dict[str, Any]
    assets: dict[str, str]


class InOneCall:
    """Gathers what a task has: signatures, probes, samples, export_config and assets."""

    def export_parts(self, text, litert=False, samples=False, **generation):
        given = {name: x for name, x in generation.items() if name != "length"}
        return AllParts(
            self.signatures(text, litert, **generation),
            self.signatures(text, **generation),
            self.signatures("strings", **given) if text == "bytes" else None,
            self.probes(**given),
            self.samples(**given) if samples else {},
            self.export_config,
            self.assets(),
        )
