import platform
import subprocess
import sys
from importlib import import_module

import pytest

from zoo.cli import memory

# Takes 64 MiB, writes to each page and frees them, 20 times in a thread of its own, as
# TensorFlow's threads do.
USE = """
import ctypes, resource, threading
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.memset.argtypes = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
libc.free.argtypes = (ctypes.c_void_p,)
def use():
    for _ in range(20):
        place = libc.malloc(2**26)
        libc.memset(place, 1, 2**26)
        libc.free(place)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
thread = threading.Thread(target=use)
thread.start()
thread.join()
faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
print(faults * resource.getpagesize() / 2**26)
"""
KEEP = "from zoo.cli.memory import keep_freed_memory\nkeep_freed_memory()\n"


def times_cleared(code, **environment):
    """How many times the system has handed out the 64 MiB."""
    command = [sys.executable, "-c", code]
    return float(subprocess.check_output(command, env=environment, text=True))


@pytest.mark.thorough
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="mallopt is glibc's")
def test_the_system_clears_memory_once_and_not_at_every_use():
    assert times_cleared(USE) == pytest.approx(20, rel=0.05)
    assert times_cleared(KEEP + USE) == pytest.approx(1, rel=0.05)


@pytest.mark.thorough
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="mallopt is glibc's")
def test_what_the_environment_sets_stays():
    kept = times_cleared(KEEP + USE, MALLOC_MMAP_MAX_="65536", MALLOC_MMAP_THRESHOLD_="131072")
    assert kept == pytest.approx(20, rel=0.05)


def test_without_glibc_nothing_is_set(monkeypatch):
    monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    monkeypatch.setattr(memory.ctypes, "CDLL", lambda name: pytest.fail("a library was opened"))
    memory.keep_freed_memory()


def test_the_console_script_keeps_memory_before_anything_else(monkeypatch):
    program, calls = import_module("zoo.cli.app"), []
    monkeypatch.setattr(program, "keep_freed_memory", lambda: calls.append("memory"))
    monkeypatch.setattr(program, "app", lambda **options: calls.append("command"))
    program.main()
    assert calls == ["memory", "command"]
