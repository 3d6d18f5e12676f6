"""The training of node classifiers."""

import numpy as np

from zoo.data.batching.batches import Batches
from zoo.data.batching.graphs import GraphUnions
from zoo.data.batching.neighbors import SampledNeighbors
from zoo.data.batching.padded_columns import NO_LABEL
from zoo.data.graphs.graph import TRAIN, VALIDATION
from zoo.data.graphs.read import Graphs
from zoo.heads.head import ClassHead
from zoo.models.attending import EDGES
from zoo.tasks.answers.node_labels import node_classes
from zoo.tasks.baselines.nodes import NodeBaselines
from zoo.tasks.inputs.graphs import FittedGraphs
from zoo.tasks.options.node_classifier import PATIENCE, Training
from zoo.tasks.parts import Recipe
from zoo.tasks.recipes.class_loss import with_class_loss
from zoo.training.crossentropy import Crossentropy
from zoo.training.objective import Objective

EPOCHS = 1000


class NodeRecipe(Recipe[FittedGraphs, Training, Graphs, ClassHead]):
    """Whole graphs, or labeled nodes with some of their neighbors, many times."""

    baselines = NodeBaselines()
    beta_2 = 0.999  # as in the paper; gradients under its dropout are noisy

    def batches(
        self,
        examples: Graphs,
        fitted: FittedGraphs,
        head: ClassHead,
        training: Training,
        held_out: bool,
    ) -> Batches:
        specs = fitted.preprocessor.features
        fitted.preprocessor.check(examples.inputs)
        classes = node_classes(examples, VALIDATION if held_out else TRAIN, fitted.settings)
        if training.neighbors is None:
            return GraphUnions(examples.inputs, classes, specs, training.batch_size, training.seed)
        return SampledNeighbors(
            examples.graphs,
            classes,
            specs,
            steps=fitted.model.attention_layers[EDGES],
            neighbors=training.neighbors,
            batch_nodes=training.batch_nodes,
            seed=training.seed,
        )

    def weighted(
        self, examples: Graphs, fitted: FittedGraphs, head: ClassHead, training: Training
    ) -> ClassHead:
        def classes() -> np.ndarray:
            every = np.concatenate(node_classes(examples, TRAIN, fitted.settings))
            return every[every != NO_LABEL]

        return with_class_loss(head, training, classes)

    def objective(self, head: ClassHead, training: Training) -> Objective:
        loss, metric = head.loss(), head.metric()
        # On few nodes the loss says more than the share of those that are right.
        return Objective(
            loss={"logits": loss},
            metrics={"logits": [metric, Crossentropy(loss, NO_LABEL)]},
            monitor="val_crossentropy",
        )

    def default_epochs(self, steps_per_epoch: int) -> int:
        return EPOCHS

    def default_patience(self, epochs: int) -> int | None:
        return PATIENCE

    def default_learning_rate(self, fitted: FittedGraphs, pretrained: bool) -> float:
        return 0.01 if fitted.settings.preset == "pubmed" else 0.005

    def default_warmup(self, steps: int) -> int:
        return 1
