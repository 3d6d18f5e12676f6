import platform
import subprocess
import sys
from importlib import import_module
from types import SimpleNamespace

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


def times_cleared(code):
    """How many times the system has handed out the 64 MiB."""
    return float(subprocess.check_output([sys.executable, "-c", code], env={}, text=True))


@pytest.mark.thorough
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="mallopt is glibc's")
def test_the_system_clears_memory_once_and_not_at_every_use():
    assert times_cleared(USE) == pytest.approx(20, rel=0.05)
    assert times_cleared(KEEP + USE) == pytest.approx(1, rel=0.05)


def test_what_the_environment_sets_stays(monkeypatch):
    calls = {}
    libc = SimpleNamespace(mallopt=lambda parameter, value: calls.update({parameter: value}))
    monkeypatch.setattr(platform, "libc_ver", lambda: ("glibc", "2.36"))
    monkeypatch.setattr(memory.ctypes, "CDLL", lambda name: libc)
    monkeypatch.setattr(memory.os, "environ", {"MALLOC_MMAP_MAX_": "65536"})
    memory.keep_freed_memory()
    # M_ARENA_MAX, M_TRIM_THRESHOLD and M_TOP_PAD in glibc's malloc.h; M_MMAP_MAX is left alone.
    assert calls == {-8: 1, -1: 2**31 - 1, -2: 2**28}


def test_the_server_keeps_few_shapes_unless_the_environment_says_otherwise(monkeypatch):
    monkeypatch.setattr(memory.os, "environ", {"TF_NUM_INTEROP_THREADS": "4"})
    memory.keep_few_shapes()
    assert memory.os.environ == {
        "TF_NUM_INTEROP_THREADS": "4",
        "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "128",
    }


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
