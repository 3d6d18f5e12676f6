"""All converters, and the converter for each architecture that a `config.json` may name."""

from zoo.pretrained import bart, gemma, gpt2, llama, t5
from zoo.pretrained.converter import Converter
from zoo.pretrained.encoders.families import ENCODERS

CONVERTERS: tuple[Converter, ...] = (
    *ENCODERS,
    gpt2.CONVERTER,
    bart.CONVERTER,
    llama.CONVERTER,
    gemma.CONVERTER,
    t5.CONVERTER,
)
ARCHITECTURES = {name: each for each in CONVERTERS for name in each.architectures}
