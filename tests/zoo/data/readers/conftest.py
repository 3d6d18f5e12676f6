import pytest


@pytest.fixture
def write(tmp_path):
    """Writes a file of this name and content, and returns its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
