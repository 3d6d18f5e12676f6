"""The rows of the contract's table, by hand: name -> case."""

from tests.tasks.case import Case
from tests.tasks.cases import (
    answers,
    captions,
    checkpoints,
    graphs,
    images,
    labels,
    series,
    speech,
    texts,
    values,
)

CASES: dict[str, Case] = {
    **texts.CASES,
    **labels.CASES,
    **values.CASES,
    **answers.CASES,
    **checkpoints.CASES,
    **graphs.CASES,
    **images.CASES,
    **captions.CASES,
    **series.CASES,
    **speech.CASES,
}
