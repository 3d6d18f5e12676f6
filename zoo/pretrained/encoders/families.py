"""The converters of all families of encoders."""

from zoo.pretrained.converter import Converter
from zoo.pretrained.encoders.bert import BERT
from zoo.pretrained.encoders.config import read_config
from zoo.pretrained.encoders.distilbert import DISTILBERT
from zoo.pretrained.encoders.electra import ELECTRA
from zoo.pretrained.encoders.family import Family
from zoo.pretrained.encoders.modern_bert import MODERN_BERT
from zoo.pretrained.encoders.mpnet import MPNET
from zoo.pretrained.encoders.reading import Reading
from zoo.pretrained.encoders.roberta import ROBERTA
from zoo.pretrained.encoders.writing import Writing
from zoo.pretrained.encoders.xlm_roberta import XLM_ROBERTA

# A task that is none of a family's is written as one of the first, which says what differs.
FAMILIES = (BERT, DISTILBERT, ROBERTA, XLM_ROBERTA, MPNET, ELECTRA, MODERN_BERT)


def converter(family: Family) -> Converter:
    """The converter between the checkpoints of a family and tasks."""
    reading = Reading(family)
    return Converter(
        model="bert",
        architectures=family.architectures,
        settings=lambda checkpoint: read_config(family, checkpoint),
        make=reading.make,
        write=Writing(family).write,
        default_task=reading.default_task,
        fits=family.fits,
    )


ENCODERS = tuple(converter(family) for family in FAMILIES)
