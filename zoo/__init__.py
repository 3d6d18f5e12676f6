"""Sequence models, and tasks that train them on your own files."""

from typing import TYPE_CHECKING, Any

from zoo.errors import missing_package
from zoo.registry import TASKS
from zoo.registry_rows import resolve

if TYPE_CHECKING:
    from zoo.data.graphs.graph import Graph as Graph
    from zoo.data.series.series import Series as Series
    from zoo.errors import DataError as DataError
    from zoo.errors import UserError as UserError
    from zoo.models.create import create_model as create_model
    from zoo.models.create import list_models as list_models
    from zoo.own_models.image_model import ExportableImageModel as ExportableImageModel
    from zoo.own_models.tokenizer import ExportableTokenizer as ExportableTokenizer
    from zoo.pretrained.load import from_pretrained as from_pretrained
    from zoo.pretrained.save import to_pretrained as to_pretrained
    from zoo.tasks.causal_lm import CausalLM as CausalLM
    from zoo.tasks.denoising import Denoising as Denoising
    from zoo.tasks.ensembles import ensemble as ensemble
    from zoo.tasks.image_captioner import ImageCaptioner as ImageCaptioner
    from zoo.tasks.image_classifier import ImageClassifier as ImageClassifier
    from zoo.tasks.image_regressor import ImageRegressor as ImageRegressor
    from zoo.tasks.load import load as load
    from zoo.tasks.masked_lm import MaskedLM as MaskedLM
    from zoo.tasks.multi_task import MultiTask as MultiTask
    from zoo.tasks.node_classifier import NodeClassifier as NodeClassifier
    from zoo.tasks.question_answering import QuestionAnswering as QuestionAnswering
    from zoo.tasks.series_classifier import SeriesClassifier as SeriesClassifier
    from zoo.tasks.series_forecaster import SeriesForecaster as SeriesForecaster
    from zoo.tasks.series_regressor import SeriesRegressor as SeriesRegressor
    from zoo.tasks.speech_recognizer import SpeechRecognizer as SpeechRecognizer
    from zoo.tasks.text_classifier import TextClassifier as TextClassifier
    from zoo.tasks.text_embedder import TextEmbedder as TextEmbedder
    from zoo.tasks.text_pair_scorer import TextPairScorer as TextPairScorer
    from zoo.tasks.text_regressor import TextRegressor as TextRegressor
    from zoo.tasks.text_to_text import TextToText as TextToText
    from zoo.tasks.token_tagger import TokenTagger as TokenTagger
    from zoo.training.hosts import join_hosts as join_hosts

# Import paths by public name. They are imported on first use, so `--help` works without TensorFlow.
_PATHS = {row.path.rpartition(":")[2]: row.path for row in TASKS.values()} | {
    "DataError": "zoo.errors:DataError",
    "ExportableImageModel": "zoo.own_models.image_model:ExportableImageModel",
    "ExportableTokenizer": "zoo.own_models.tokenizer:ExportableTokenizer",
    "Graph": "zoo.data.graphs.graph:Graph",
    "Series": "zoo.data.series.series:Series",
    "UserError": "zoo.errors:UserError",
    "create_model": "zoo.models.create:create_model",
    "ensemble": "zoo.tasks.ensembles:ensemble",
    "from_pretrained": "zoo.pretrained.load:from_pretrained",
    "join_hosts": "zoo.training.hosts:join_hosts",
    "list_models": "zoo.models.create:list_models",
    "load": "zoo.tasks.load:load",
    "to_pretrained": "zoo.pretrained.save:to_pretrained",
}

__all__ = sorted(_PATHS)


def __getattr__(name: str) -> Any:
    if name not in _PATHS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return resolve(_PATHS[name])
    except ModuleNotFoundError as error:
        if message := missing_package(error):
            raise ImportError(message) from error
        raise
