"""An exported file that several modules look into."""

import pytest

import export
from tests.export.models import regressor


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A folder with a LiteRT file and what lies beside it."""
    folder = tmp_path_factory.mktemp("exported")
    export.litert(regressor(), folder / "lines.tflite")
    return folder
