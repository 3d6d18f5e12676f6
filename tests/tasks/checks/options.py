"""Options that a task, or its training, cannot take: one sentence each, before any work."""

from collections.abc import Callable
from typing import Any

from tests.tasks import api
from tests.tasks.checks.mistakes import refused
from tests.tasks.harness import Subject


def unknown_option(subject: Subject) -> None:
    refused(lambda: subject.new(widht=3), "no option 'widht'")


def size_of_another_type(subject: Subject) -> None:
    for value in ("nine", 0, 2.5):
        refused(lambda value=value: subject.new(**{subject.case.size: value}), repr(value))


def length_of_another_type(subject: Subject) -> None:
    for value in ("nine", 0, 2.5):
        length = {api.length_option(subject.case.task): value}
        refused(lambda length=length: subject.new(**length), repr(value))


def vocabulary_of_another_type(subject: Subject) -> None:
    refused(lambda: subject.new(vocabulary_size="many"), "vocabulary_size", "'many'")


def share_out_of_range(subject: Subject) -> None:
    for value in ("much", 1.5):
        refused(lambda value=value: subject.new(dropout=value), "dropout", repr(value))


def unknown_precision(subject: Subject) -> None:
    refused(lambda: subject.new(dtype="float13"), "dtype", "float13")


def unknown_model(subject: Subject) -> None:
    refused(lambda: subject.new(model="transfromer"), "transfromer")
    refused(lambda: subject.new(preset="huge"), "huge")


def seed_of_another_type(subject: Subject) -> None:
    refused(lambda: subject.new(seed="one"), "seed", "'one'")


def labels_of_another_type(subject: Subject) -> None:
    refused(lambda: subject.new(labels="yes").adapt(subject.data), "labels")


def fit_refuses(subject: Subject, *parts: str, **options: Any) -> None:
    refused(lambda: subject.fit(subject.adapted(), 1, **options), *parts)


def fit_unknown_option(subject: Subject) -> None:
    fit_refuses(subject, "no option 'epoch'", epoch=3)


def fit_epochs_of_another_type(subject: Subject) -> None:
    refused(lambda: subject.adapted().fit(subject.data, **{**api.FIT, "epochs": "three"}), "epochs")


def fit_rate_of_another_type(subject: Subject) -> None:
    fit_refuses(subject, "learning_rate", learning_rate="high")


def fit_batch_of_another_type(subject: Subject) -> None:
    option = api.batch_option(subject.case.task)
    fit_refuses(subject, option, **{option: "large"})


def fit_batch_of_nothing(subject: Subject) -> None:
    option = api.batch_option(subject.case.task)
    fit_refuses(subject, f"{option} must be", **{option: 0})


def fit_unknown_schedule(subject: Subject) -> None:
    fit_refuses(subject, "schedule", "'cubic'", schedule="cubic")


def fit_into_an_occupied_folder(subject: Subject) -> None:
    subject.train()
    fit_refuses(subject, "resume", folder=subject.run)


OPTIONS: dict[str, Callable[[Subject], None]] = {
    "unknown option": unknown_option,
    "size": size_of_another_type,
    "length": length_of_another_type,
    "vocabulary": vocabulary_of_another_type,
    "dropout": share_out_of_range,
    "precision": unknown_precision,
    "model": unknown_model,
    "seed": seed_of_another_type,
    "labels": labels_of_another_type,
    "fit option": fit_unknown_option,
    "fit epochs": fit_epochs_of_another_type,
    "fit rate": fit_rate_of_another_type,
    "fit batch": fit_batch_of_another_type,
    "fit no batch": fit_batch_of_nothing,
    "fit schedule": fit_unknown_schedule,
    "fit folder": fit_into_an_occupied_folder,
}
