"""Language models: trained on plain text, they continue a prompt."""

from collections.abc import Sequence
from typing import Any, ClassVar

from zoo.data.shards.manifest import SCALARS
from zoo.errors import UserError
from zoo.tasks import chatting, generating
from zoo.tasks.answers.generated_text import GeneratedText
from zoo.tasks.answers.language_model import LanguageModelInferences, WindowScores, statefully
from zoo.tasks.comparison import Comparison
from zoo.tasks.formats.chats import read_pieces, read_texts, with_template
from zoo.tasks.formats.documents import document_format
from zoo.tasks.inputs.prompts import PromptInput
from zoo.tasks.options import causal_lm as options
from zoo.tasks.parts import Parts
from zoo.tasks.recipes.causal_lm import CausalLMRecipe
from zoo.tasks.task import Task
from zoo.tasks.token_streams import StreamFormat, stream_of

NAME = "causal-lm"
FORMAT: StreamFormat = document_format(
    NAME,
    stream_of,
    {"token_ids": SCALARS},
    read=read_texts,
    read_pieces=read_pieces,
    complete=with_template,
)
INPUT = PromptInput(NAME)
MetricNames = Sequence[str] | None


class CausalLM(Task):
    """Trains a language model on plain text or chats, and continues prompts with it.

    Of chats, a JSON object per line with `messages`, `conversations`, or `prompt` and `completion`,
    only the answers are learned. `reply` answers chats. The default warm-up is 200 steps, or a
    tenth of all steps if that is less.

    Example:
        >>> import zoo
        >>> task = zoo.CausalLM("rnn_lm", "tiny", units=16, max_length=8, max_new_tokens=4)
        >>> task.adapt(["to be or not to be"])
        >>> history = task.fit(["to be or not to be"], epochs=1, xla=False, verbose=False)
        >>> len(task.predict(["to ", "be"], max_new_tokens=3))
        2
    """

    name = NAME
    Settings = options.Settings
    Training = options.Training
    parts: ClassVar = Parts(
        format=FORMAT,
        input=INPUT,
        answer=GeneratedText(
            NAME, INPUT, LanguageModelInferences(), WindowScores(FORMAT), scoring=statefully
        ),
        recipe=CausalLMRecipe(FORMAT),
        purpose="Continues each prompt.",
        preview="The first halves of lines, as the model continues them.",
    )
    candidates = generating.candidates
    generate_ids = generating.generate_ids
    stream = generating.stream
    reply = chatting.reply
    max_new_tokens = generating.max_new_tokens

    def evaluate(
        self, data: Any, stateful: bool = True, *, metrics: MetricNames = None, **options: Any
    ) -> dict[str, float]:
        """Computes next-token loss, perplexity and bits per byte.

        The text is split into windows of `max_length` tokens, which are evaluated independently.

        Args:
            data: A text file, a folder of .txt files, or a list of texts.
            stateful: Whether the states of a model with a `stateful_batch_size` continue from
                window to window, as in training. Exported files reset the states in every window.
            metrics: "loss" in nats per token, "perplexity", or "bits_per_byte", which can be
                compared across tokenizers. Default: these.

        Raises:
            UserError: If a generation option is given, since nothing is generated.
        """
        return self.compare(data, stateful, metrics=metrics, **options).metrics

    def compare(
        self, data: Any, stateful: bool = True, *, metrics: MetricNames = None, **options: Any
    ) -> Comparison:
        """What `evaluate` computes, with the metrics of the model and of the n-grams apart.

        Args:
            data, stateful: See `evaluate`, also for what is raised.
            metrics: See `evaluate`; each gets a 95 % interval.
        """
        for option in options:
            raise UserError(f"evaluate of {self.name} has no option {option!r}")
        return self.answered(data, None if stateful else self.runner()).comparison(metrics)
