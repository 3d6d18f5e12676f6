"""Graphs, as users have them."""

from dataclasses import replace
from typing import Any

from zoo.data.graphs.graph import VALIDATION
from zoo.data.graphs.read import Graphs, read_graphs
from zoo.data.readers.column_names import ReadOptions
from zoo.data_statistics import counted
from zoo.errors import UserError
from zoo.options import values_of
from zoo.preprocessing.graphs import GraphPreprocessor
from zoo.tasks.measured_on import Seen
from zoo.tasks.options.node_classifier import Settings
from zoo.tasks.parts import Format


class GraphFormat(Format[Settings, GraphPreprocessor, Graphs]):
    """Tables of nodes and edges, `.npz` files, Planetoid's files, or graphs in memory."""

    def read(self, data: Any, settings: Settings, learned: GraphPreprocessor | None) -> Graphs:
        options, several = ReadOptions.of(values_of(settings)), bool(settings.multi_label)
        graphs = read_graphs(data, options, settings.directed, several)
        return with_features(graphs, settings, learned)

    def own_validation(self, examples: Graphs) -> Graphs | None:
        return examples.own_validation()

    def seen(self, examples: Graphs, same: int, files: int) -> Seen:
        if not same:
            return Seen.NOTHING
        if not examples.has_split:
            return Seen.SOME
        return Seen.SELECTED if examples.part_to_evaluate == VALIDATION else Seen.NOTHING

    def note_on(self, examples: Graphs, same: int, files: int) -> str:
        part = examples.part_to_evaluate
        count = sum(int(mask.sum()) for mask in examples.part(part))
        if examples.has_split:
            told = "; they selected the best epoch" if part == VALIDATION and same else ""
            return f"evaluated on {counted(count, f'{part} nodes')}{told}"
        told = "; training nodes are among them: add a split to the file, or evaluate another"
        return f"evaluated on all {counted(count, 'labeled nodes')}{told if same else ''}"


def with_features(graphs: Graphs, settings: Settings, learned: GraphPreprocessor | None) -> Graphs:
    """Graphs with the features of the training data in their order, or with identity features.

    Args:
        graphs: The graphs.
        settings: The settings of the task.
        learned: The preprocessor of a task that is adapted, or None.

    Raises:
        UserError: If a feature is missing, or nodes are not those of the training data.
    """
    identity = settings.identity
    if identity is None and learned is None:
        identity = graphs.needs_identity
    if identity:
        return _with_identity(graphs, learned)
    if learned is None:
        return graphs
    return replace(graphs, graphs=[*map(learned.in_order, graphs.graphs)])


def _with_identity(graphs: Graphs, learned: GraphPreprocessor | None) -> Graphs:
    if len(graphs) > 1:
        raise UserError(f"{graphs.path} has several graphs: identity is for the nodes of one")
    graphs = graphs.with_identity()
    count = graphs.graphs[0].nodes.shape[1]
    known = count if learned is None else learned.num_features
    if count != known:
        raise UserError(
            f"{graphs.path} has {len(graphs.graphs[0]):,} nodes; the model knows the {known:,} "
            "nodes of its training data only, since they have no features"
        )
    return graphs
