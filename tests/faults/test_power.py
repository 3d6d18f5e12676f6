"""A power failure leaves the contents and names that were synchronized, and no others."""

from pathlib import Path

from tests.faults.power import Durable


def files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_what_is_left(tmp_path):
    folder = tmp_path / "run"
    (folder / "old").mkdir(parents=True)
    (folder / "old" / "a").write_text("first")
    durable = Durable(folder)

    (folder / "old" / "a").write_text("second")  # not synchronized
    (folder / "b").write_text("named")
    durable.synchronized(folder / "b")  # its content, not its name
    (folder / "c").write_text("empty")
    durable.restore(tmp_path / "one")
    assert files(tmp_path / "one") == {"old/a": "first"}

    durable.synchronized(folder)  # the names, but not what is in c
    (folder / "b").rename(folder / "old" / "b")  # neither folder is synchronized
    durable.restore(tmp_path / "two")
    assert files(tmp_path / "two") == {"old/a": "first", "b": "named", "c": ""}

    durable.synchronized(folder)
    durable.restore(tmp_path / "three")
    assert files(tmp_path / "three") == {"old/a": "first", "c": ""}  # b has no name at all
    durable.synchronized(folder / "old")
    durable.restore(tmp_path / "four")
    assert files(tmp_path / "four") == {"old/a": "first", "old/b": "named", "c": ""}


def test_an_inode_is_not_taken_for_that_of_a_deleted_folder(tmp_path):
    """The system gives the number of a deleted folder to the next one."""
    folder = tmp_path / "run"
    (folder / "old").mkdir(parents=True)
    durable = Durable(folder)
    (folder / "old").rmdir()  # without a synchronization of its folder
    for name in ("new", "newer"):
        (folder / name).mkdir()
        (folder / name / "a").write_text("first")
        durable.synchronized(folder / name / "a")
        durable.synchronized(folder / name)
    durable.restore(tmp_path / "one")
    assert (tmp_path / "one" / "old").is_dir() and files(tmp_path / "one") == {}


def test_a_folder_that_was_not_there(tmp_path):
    durable = Durable(tmp_path / "run")
    durable.restore(tmp_path / "one")
    assert not (tmp_path / "one").exists()
    (tmp_path / "run").mkdir()
    durable.restore(tmp_path / "one")
    assert files(tmp_path / "one") == {}
