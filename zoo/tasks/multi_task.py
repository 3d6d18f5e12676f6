"""Several classifiers that share one encoder, and are trained together."""

from typing import Any, ClassVar

from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.labeled_tasks import LabeledTasks, read_labeled_tasks
from zoo.options import values_of
from zoo.tasks.answers.labels_of_tasks import LabelsOfTasks
from zoo.tasks.formats.in_memory import InMemoryFormat
from zoo.tasks.inputs.labeled_tasks import TextsOfTasks
from zoo.tasks.inputs.texts import EncoderInput, whole_texts
from zoo.tasks.labels import LabelSet, known_tasks, label_set_of
from zoo.tasks.learning import use_tokenizer
from zoo.tasks.options import multi_task as options
from zoo.tasks.parts import Parts
from zoo.tasks.recipes.labeled_tasks import LabeledTasksInput, LabeledTasksRecipe
from zoo.tasks.score_scaling import ScoreScaling
from zoo.tasks.task import Task
from zoo.tasks.text_classifier import TextClassifier

NAME = "multi-task"
INPUT: LabeledTasksInput = EncoderInput(NAME, whole_texts, TextsOfTasks())


def read(data: Any, settings: options.Settings, learned: Any) -> LabeledTasks:
    """The data of each task, by its name: tables with a text and a label in each row."""
    return read_labeled_tasks(data, ReadOptions.of(values_of(settings)))


class MultiTask(Task):
    """Trains several classifiers of texts or pairs of texts that share one encoder.

    Source: Caruana 1997; Liu et al. 2019, algorithm 1.
    Formula: `L = sum_t lambda_t L_t`, where each batch has examples of a single task t

    Data is a dictionary from the name of each task to the data of a `TextClassifier`. `predict`
    takes a dictionary of texts or pairs of texts, and returns one of labels. `classifier(name)`
    returns one of the tasks as a `TextClassifier`. In the training history, `NAME_loss` is the
    contribution of the task NAME to the loss, averaged over the batches of all tasks.

    Example:
        >>> import zoo
        >>> films = [("a fine film", "good"), ("a dull one", "bad")] * 2
        >>> same = [("a film", "a movie", "yes"), ("a film", "a tree", "no")] * 2
        >>> task = zoo.MultiTask(hidden_dim=8, num_heads=2, intermediate_dim=8, max_length=9)
        >>> data = {"films": films, "same": same}
        >>> task.adapt(data)
        >>> history = task.fit(data, epochs=1, weights={"same": 0.5}, xla=False, verbose=False)
        >>> task.classifier("same").predict([("a film", "a tree")])[0] in ("yes", "no")
        True
    """

    name = NAME
    Settings = options.Settings
    Training = options.Training
    parts: ClassVar = Parts(
        format=InMemoryFormat(read),
        input=INPUT,
        answer=LabelsOfTasks(),
        recipe=LabeledTasksRecipe(INPUT),
        purpose="Classifies each text, or pair of texts, for every task.",
    )

    @property
    def names(self) -> list[str]:
        """The names of the tasks."""
        return list(known_tasks(self.settings))

    def label_set(self, name: str) -> LabelSet:
        """The labels of one task.

        Raises:
            UserError: If there is no task with that name.
        """
        return label_set_of(self.settings, name)

    def classifier(self, name: str) -> TextClassifier:
        """One of the tasks as a separate `TextClassifier`, with a copy of the current weights.

        Args:
            name: Name of the task.

        Raises:
            UserError: If there is no task with that name.
        """
        own = self.label_set(name)
        settings = {**values_of(self.settings), "labels": own.labels, "pairs": own.pairs}
        task = TextClassifier(**settings, **self.model_options)
        task.examples, task.data = self.examples, self.data
        if own.pairs:
            task.examples = {**self.examples, "second": self.examples.get("text", [])}
        use_tokenizer(task, self.tokenizer)
        task.scaling = ScoreScaling(self.scaling.temperatures.get(name, 1.0))
        layers = {layer.name: layer for layer in self.model.layers}
        layers[task.model.head.name] = self.model.heads[name]
        for layer in task.model.layers:
            if layer.weights:
                layer.set_weights(layers[layer.name].get_weights())
        return task
