"""What every test shares: a quiet, seeded, fairly threaded Keras, and a way to real data."""

import functools
import gc
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import attacks
from tests.contract import table as layers
from tests.tasks import table as tasks

# The scripts that wrote the references need the packages that they refer to.
collect_ignore_glob = ["references/make_*.py"]

# Read when TensorFlow or JAX is first imported, so before anything here imports Keras.
_workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
_threads = str(max(1, (os.cpu_count() or 1) // _workers))
os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", _threads)
os.environ.setdefault("TF_NUM_INTEROP_THREADS", _threads)
os.environ.setdefault("OMP_NUM_THREADS", _threads)
os.environ.setdefault("JAX_PLATFORMS", "cpu")
# A run that is asked makes a LiteRT file in the background, which the tests of it ask for.
os.environ.setdefault("KERAS_ATTN_LITERT_OF_RUN", "never")
# Traces make many objects that live on: looked through seldom, they cost a tenth less.
gc.set_threshold(100_000, 50, 50)
# Tests compile a great deal and compute little.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
os.environ.setdefault(
    "XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks as thorough, or as long, what takes long.

    The examples of tasks train a model each; those of layers have run on TensorFlow before JAX.
    Of a test that is marked `quick(count)`, the first variants are quick, as many again are
    thorough, and all others are long. Of one that is marked `thorough(count)`, further variants
    are long.
    """
    seen: Counter[str] = Counter()
    on_tensorflow = os.environ["KERAS_BACKEND"] == "tensorflow"
    for item in items:
        if item.nodeid.startswith("zoo/tasks/"):
            item.add_marker(pytest.mark.long)
        if item.nodeid.startswith("keras_attn/") and not on_tensorflow:
            item.add_marker(pytest.mark.long)
        test = item.nodeid.partition("[")[0]
        seen[test] += 1
        quick, thorough = (item.get_closest_marker(name) for name in ("quick", "thorough"))
        if thorough and thorough.args and seen[test] > thorough.args[0]:
            item.add_marker(pytest.mark.long)
        elif quick and not thorough and seen[test] > quick.args[0]:
            later = seen[test] > 2 * quick.args[0]
            item.add_marker(pytest.mark.long if later else pytest.mark.thorough)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Prints the tables; with workers, here where all reports come together."""
    layers.show(terminalreporter)
    tasks.show(terminalreporter)
    attacks.show(terminalreporter)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: Any, log: Any) -> Any:
    from tests.scheduling import ByFile

    return ByFile(config, log)


@pytest.fixture(scope="session", autouse=True)
def graphs_as_traced() -> None:
    """TensorFlow spends a fifth of the tests' time optimizing graphs that run once or twice.

    Those that are exported are optimized all the same, in the processes that convert and verify.
    """
    import keras

    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})


@pytest.fixture(scope="session", autouse=True)
def operators_without_stacks() -> None:
    """TensorFlow notes the stack of Python at each operator of a graph, for messages of errors.

    Below pytest, whose stack is deep, it takes an eighth of the time of tests.
    """
    import keras

    if keras.backend.backend() == "tensorflow":
        from tensorflow.python.framework import ops
        from tensorflow.python.util import tf_stack

        stack = tf_stack.extract_stack()
        without = SimpleNamespace(**vars(tf_stack))
        without.extract_stack = lambda stacklevel=1: stack
        ops.tf_stack = without


@pytest.fixture(scope="session", autouse=True)
def skipped_attributes() -> None:
    """Keras stores what it skips when it saves under a name by which it does not look for it.

    Found anew for each layer of each file, it takes half of the time of saving.
    """
    from keras.src.saving import saving_lib

    saving_lib.get_attr_skipset = functools.cache(saving_lib.get_attr_skipset)


@pytest.fixture(scope="session", autouse=True)
def one_server() -> None:
    """The process that exports and verifies is not started again after each minute in which no
    test needs it."""
    from export import processes

    processes._server.idle_seconds = 1800.0


@pytest.fixture(autouse=True)
def seed() -> None:
    """The same random numbers in every test, whichever ran before it."""
    from tests.seeding import reseed

    reseed()


@pytest.fixture
def attack(record_property: Callable[[str, Any], None]) -> Callable[[str, str], Callable]:
    """`tried = attack(HOW, WHAT)` puts the test into the table of attacks; `tried()` is a trial."""
    return lambda how, what: attacks.recorded(record_property, how, what)


@pytest.fixture
def data_path() -> Callable[[str], Path]:
    """`data_path("multi30k/val.tsv")` under $KERAS_ATTN_DATA; skips where there is none."""

    def find(name: str) -> Path:
        root = os.environ.get("KERAS_ATTN_DATA")
        if not root:
            pytest.skip("set KERAS_ATTN_DATA to a folder of data sets to run this test")
        path = Path(root) / name
        if not path.exists():
            pytest.skip(f"KERAS_ATTN_DATA has no {name}")
        return path

    return find
