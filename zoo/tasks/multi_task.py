"""Several tasks that share one encoder, and are trained together."""

from typing import Any, ClassVar

from zoo.options import values_of
from zoo.tasks.answers.several_tasks import AnswersOfTasks
from zoo.tasks.baselines.several_tasks import BaselinesOfTasks
from zoo.tasks.formats.several_tasks import FormatOfTasks
from zoo.tasks.inputs.several_tasks import InputsOfTasks
from zoo.tasks.inputs.texts import EncoderInput, whole_texts
from zoo.tasks.kinds.texts import KINDS
from zoo.tasks.learning import use_tokenizer
from zoo.tasks.options import multi_task as options
from zoo.tasks.parts import Parts
from zoo.tasks.recipes.several_tasks import InputOfTasks, RecipeOfTasks
from zoo.tasks.task import Task

NAME = "multi-task"
INPUT: InputOfTasks = EncoderInput(NAME, whole_texts, InputsOfTasks(KINDS))


class MultiTask(Task):
    """Trains several tasks on texts or pairs of texts that share one encoder.

    A task gives one label, any number of labels, values, or a tag for each word: what it is, is
    recognized by its data, or said by `kinds`.

    Source: Caruana 1997; Liu et al. 2019, algorithm 1.
    Formula: `L = sum_t lambda_t L_t`, where each batch has examples of a single task t

    Data is a dictionary from the name of each task to the data of a `TextClassifier`, a
    `TextRegressor` or a `TokenTagger`. `predict` takes a dictionary of their inputs, and returns
    one of their answers. `single_task(name)` returns one of the tasks as such. In the training
    history, `NAME_loss` is the contribution of the task NAME to the loss, averaged over the batches
    of all tasks.

    Example:
        >>> import zoo
        >>> films = [("a fine film", "good"), ("a dull one", "bad")] * 2
        >>> alike = [("a film", "a movie", 4.5), ("a film", "a tree", 0.5)] * 2
        >>> task = zoo.MultiTask(hidden_dim=8, num_heads=2, intermediate_dim=8, max_length=9)
        >>> data = {"films": films, "alike": alike}
        >>> task.adapt(data)
        >>> history = task.fit(data, epochs=1, weights={"alike": 0.5}, xla=False, verbose=False)
        >>> task.kind("films"), task.kind("alike")
        ('label', 'values')
        >>> type(task.single_task("alike")).__name__
        'TextRegressor'
    """

    name = NAME
    Settings = options.Settings
    Training = options.Training
    parts: ClassVar = Parts(
        format=FormatOfTasks(KINDS),
        input=INPUT,
        answer=AnswersOfTasks(KINDS),
        recipe=RecipeOfTasks(INPUT, KINDS, BaselinesOfTasks(KINDS)),
        purpose="Answers for each text, or pair of texts, what every task asks.",
    )

    @property
    def names(self) -> list[str]:
        """The names of the tasks."""
        return KINDS.names(self.settings)

    def kind(self, name: str) -> str:
        """The kind of one task: "label", "labels", "values" or "tags".

        Raises:
            UserError: If there is no task with that name.
        """
        return KINDS.of(self.settings, name)

    def single_task(self, name: str) -> Any:
        """One of the tasks as a task of its own, with a copy of the current weights.

        Args:
            name: Name of the task.

        Returns:
            A `TextClassifier`, a `TextRegressor` or a `TokenTagger`.

        Raises:
            UserError: If there is no task with that name.
        """
        member = KINDS.member(self.settings, name)
        task = member.kind.task(**values_of(member.settings), **self.model_options)
        task.data, task.columns, text = self.data, self.columns, self.examples.get("text", [])
        task.examples = {"text": text}
        use_tokenizer(task, self.tokenizer)
        task.examples = dict.fromkeys(task.preprocessor.inputs, text)
        task.scaling = self.scaling.of_task(name)
        task.baselines = None if self.baselines is None else self.baselines.tasks.get(name)
        layers = {layer.name: layer for layer in self.model.layers}
        layers[task.model.head.name] = self.model.heads[name]
        for layer in task.model.layers:
            if layer.weights:
                layer.set_weights(layers[layer.name].get_weights())
        return task
