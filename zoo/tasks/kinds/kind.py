"""Kinds of tasks that share one encoder: what each takes from the single task that it is."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from zoo.data.batching.padded_columns import NO_LABEL
from zoo.errors import UserError
from zoo.nearest import offered
from zoo.options import names_of, options_of, values_of
from zoo.preprocessing.text import TextPreprocessor
from zoo.tasks.options.multi_task import Settings
from zoo.tasks.parts import AnyParts, AnyPredictor, Fitted, Predictor
from zoo.tasks.recipes.text_batches import TokenRecipe
from zoo.training.options import TrainingOptions

if TYPE_CHECKING:
    from zoo.tasks.task import Task

FittedTasks = Fitted[Settings, TextPreprocessor]
OWN = ("labels", "pairs")  # settings of single tasks that the settings of several have by name


@dataclass(frozen=True)
class Kind:
    """A kind of task among several: the single task that it is.

    Args:
        task: The single task.
        recipe: Its columns of tokens, its loss and its baselines.
        metric: The metric that selects the best epoch, higher is better.
        fixed: Settings of the single task that make it this kind.
        of_words: Whether it answers for each word, not for the whole text.
        precision: The factor of `1 / sigma^2` before the loss, if its weight is learned: that of
            the negative logarithm of the likelihood.
        missing: What targets are in rows of other tasks.
    """

    task: type["Task"]
    recipe: TokenRecipe
    metric: str
    fixed: Mapping[str, Any] = field(default_factory=dict)
    of_words: bool = False
    precision: float = 1.0
    missing: float = NO_LABEL

    @property
    def parts(self) -> AnyParts:
        """The parts of the single task."""
        return self.task.parts

    def training(self, given: TrainingOptions) -> Any:
        """The training options of the single task, as those of several say."""
        names = names_of(self.task.Training)
        own = {name: value for name, value in values_of(given).items() if name in names}
        return options_of(self.task.Training, own, self.task.name)


@dataclass(frozen=True)
class Member:
    """One of several tasks.

    Args:
        name: Its name.
        kind: Its kind.
        settings: The settings of the single task that it is.
    """

    name: str
    kind: Kind
    settings: Any

    @property
    def parts(self) -> AnyParts:
        """The parts of the single task."""
        return self.kind.parts

    @property
    def num_classes(self) -> int:
        """The number of outputs of its head."""
        count: int = self.parts.answer.sizes(self.settings)["num_classes"]
        return count

    @property
    def inference(self) -> str:
        """The name of its inference, which no other inference has."""
        return f"task/{self.name}"

    @property
    def head(self) -> Any:
        """Its head."""
        return self.parts.answer.head(self.settings, None)

    def fitted(self, several: FittedTasks) -> Fitted[Any, Any]:
        """The single task, with the tokenizer and the model of several, and one head of it."""
        tokenizer = several.preprocessor.tokenizer
        preprocessor = self.parts.input.with_tokenizer(tokenizer, self.settings)
        return Fitted(self.settings, preprocessor, several.model.one(self.name))

    def predictor(self, several: AnyPredictor) -> AnyPredictor:
        """What computes its answers, by the inference of its name."""
        return Predictor(
            self.fitted(several.fitted),
            self.parts.input,
            several.head.heads[self.name],
            lambda _, features: several.run(self.inference, features),
        )

    def check_examples(self, examples: Any, tokenizer: Any) -> None:
        """Raises a `UserError` if examples are not of the form that it was trained on."""
        preprocessor = self.parts.input.with_tokenizer(tokenizer, self.settings)
        self.parts.input.check_examples(examples, self.settings, preprocessor)


@dataclass(frozen=True)
class Kinds:
    """All kinds by name.

    Args:
        by_name: The kinds.
        usual: The kind of a task of which nothing else is known.
    """

    by_name: Mapping[str, Kind]
    usual: str

    def names(self, settings: Settings) -> list[str]:
        """The names of the tasks.

        Raises:
            UserError: If they have learned from no data yet.
        """
        names = list(settings.kinds or settings.labels)
        if not names:
            raise UserError("the task has no labels yet: call adapt(data) first")
        return names

    def of(self, settings: Settings, name: str) -> str:
        """The kind of one of the tasks.

        Raises:
            UserError: If there is no task with that name, or they have learned from no data yet.
        """
        names = self.names(settings)
        if name not in names:
            raise UserError(f"there is no task {name!r}; {offered(name, names)}")
        return settings.kinds.get(name, self.usual)

    def member(self, settings: Settings, name: str) -> Member:
        """One of the tasks; raises like `of`."""
        return self.single(settings, name, self.of(settings, name))

    def members(self, settings: Settings) -> dict[str, Member]:
        """All tasks by name."""
        return {name: self.member(settings, name) for name in self.names(settings)}

    def single(self, settings: Settings, name: str, kind: str) -> Member:
        """A task of a given kind, with what the settings say of it.

        Raises:
            UserError: If there is no such option.
        """
        own = self.by_name[kind]
        names = names_of(own.task.Settings)
        shared = {key: x for key, x in values_of(settings).items() if key in names}
        of_name = {key: values_of(settings)[key].get(name) for key in OWN if key in names}
        given = {**shared, **of_name, **settings.task_options.get(name, {}), **own.fixed}
        single = options_of(own.task.Settings, given, f"{name} ({kind})")
        own.parts.input.check(single)
        own.parts.answer.check(single)
        return Member(name, own, single)

    def with_learned(self, settings: Settings, name: str, learned: Any) -> Settings:
        """The settings with what one of the tasks has learned, as the settings of a single task."""
        before, now = values_of(self.member(settings, name).settings), values_of(learned)
        of_name: dict[str, Any] = {
            key: {**values_of(settings)[key], name: now.pop(key)} for key in OWN if key in now
        }
        new = {key: value for key, value in now.items() if value != before[key]}
        options = {**settings.task_options.get(name, {}), **new}
        if options:
            of_name["task_options"] = {**settings.task_options, name: options}
        return replace(settings, **of_name)

    def mean(self, kinds: Iterable[str]) -> str:
        """The name of the mean of the metrics of tasks of some kinds."""
        metrics = {self.by_name[kind].metric for kind in kinds}
        return f"mean_{metrics.pop()}" if len(metrics) == 1 else "mean_score"
