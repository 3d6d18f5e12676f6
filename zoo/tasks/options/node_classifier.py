"""Options of node classification."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.class_loss import ClassLoss
from zoo.tasks.options.common import MODEL, LabelSettings, TaskSettings
from zoo.tasks.options.table_columns import DATA, column, text_encoding
from zoo.training.options import (
    OPTIMIZATION,
    TrainingOptions,
    epochs,
    learning_rate,
    schedule,
    warmup,
)

PATIENCE = 100


@dataclass(kw_only=True)
class GraphTableOptions:
    """How the tables of a graph are read."""

    id_column: str | None = column("ids of nodes")
    label_column: str | None = column("labels")
    split_column: str | None = column("parts: train, validation or test, or empty")
    source_column: str | None = column("ids of nodes where edges begin")
    target_column: str | None = column("ids of nodes where edges end")
    encoding: str | None = text_encoding()
    directed: bool = option(
        False,
        "Take edges in their direction only; otherwise in both directions, as Planetoid's files "
        "always are.",
        group=DATA,
    )
    multi_label: bool | None = option(
        None,
        "Whether a node can have several labels, with | between them in tables. Default: as in the "
        "training data; tables have one.",
        group=DATA,
    )


@dataclass(kw_only=True)
class Settings(LabelSettings, TaskSettings, GraphTableOptions):
    """Settings of a node classifier."""

    model: str = "gat"
    preset: str | None = option(
        None,
        "Preset of the model; see `keras-attn models`. Default: cora, or ppi if nodes can have "
        "several labels.",
        group=MODEL,
    )
    identity: bool | None = option(
        None,
        "Learn a vector for each node, by its id, in place of features; the model then knows the "
        "nodes of one graph only. Default: if the nodes of the training data have no features, or "
        "only such as follow from their numbers of edges.",
        group=DATA,
    )


@dataclass(kw_only=True)
class Training(ClassLoss, TrainingOptions):
    """Training options of a node classifier."""

    epochs: int | None = epochs("1000, of which early stopping often leaves some out")
    learning_rate: float | None = learning_rate("0.005, or 0.01 with the preset pubmed")
    warmup: int | None = warmup("1")
    schedule: str = schedule("constant")
    patience: int | None = option(
        None,
        "Early stopping: stop after this many epochs without improvement on the validation nodes. "
        f"Default: {PATIENCE} if there are any.",
        minimum=1,
        group="Duration",
    )
    batch_size: int = option(
        2, "Number of graphs in a batch, if there are several.", minimum=1, group=OPTIMIZATION
    )
    neighbors: int | None = option(
        None,
        "Maximum number of neighbors that a node attends to in training, chosen at random, for "
        "graphs that are too large to train on as a whole. Default: all.",
        minimum=1,
        group=OPTIMIZATION,
    )
    batch_nodes: int = option(
        512, "Number of labeled nodes in a batch, with neighbors.", minimum=1, group=OPTIMIZATION
    )
