"""Parts of a job in processes of their own."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from export.worker.server import FORKS

pytestmark = pytest.mark.skipif(not FORKS, reason="parts run one after the other here")

START = """
import os, sys, time
from export.worker import side_by_side as module
module._cores = lambda: 2
folder = sys.argv[1]
def alive(number):
    open(f"{folder}/{number} {os.getpid()}", "w").close()
def wait():
    until = time.monotonic() + 60
    while time.monotonic() < until: time.sleep(0.01)
"""
ORDERED = """
import json
def part(number):
    time.sleep(0.2 if number == 0 else 0)
    return [number, os.getpid()]
print(json.dumps([os.getpid(), module.side_by_side(part, [0, 1, 2, 3, 4])]))
"""
ONE = "print(module.side_by_side(lambda x: os.getpid(), [7]) == [os.getpid()])"
CRASHES = """
def part(number):
    alive(number)
    if number == 0: wait()
    while len(os.listdir(folder)) < 2: time.sleep(0.01)
    os.abort()
module.side_by_side(part, [0, 1, 2])
"""
RAISES = """
def part(number):
    raise KeyError("entry")
module.side_by_side(part, [0, 1])
"""
ENDLESS = """
def part(number):
    alive(number)
    wait()
module.side_by_side(part, [0, 1])
"""


def started(code, folder):
    command = [sys.executable, "-c", START + code, str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def parts_in(folder):
    return [int(name.split()[1]) for name in os.listdir(folder)]


def lives(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition):
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_answers_are_in_order_each_of_a_process_of_its_own(tmp_path):
    output, errors = started(ORDERED, tmp_path).communicate()
    job, answers = json.loads(output)
    assert [number for number, _ in answers] == [0, 1, 2, 3, 4] and not errors
    assert len({job, *(pid for _, pid in answers)}) == 6


def test_a_single_part_needs_no_process(tmp_path):
    assert started(ONE, tmp_path).communicate()[0] == "True\n"


def test_a_crash_of_a_part_is_that_of_the_job_and_ends_the_others(tmp_path):
    job = started(CRASHES, tmp_path)
    job.communicate()
    assert job.returncode == -signal.SIGABRT
    wait_until(lambda: not any(map(lives, parts_in(tmp_path))))


def test_an_error_of_a_part_is_that_of_the_job(tmp_path):
    job = started(RAISES, tmp_path)
    assert job.communicate()[1].strip().splitlines()[-1] == "KeyError: 'entry'"
    assert job.returncode == 1


def test_a_killed_job_leaves_no_part_behind(tmp_path):
    job = started(ENDLESS, tmp_path)
    wait_until(lambda: len(parts_in(tmp_path)) == 2)
    assert all(map(lives, parts_in(tmp_path)))
    os.kill(job.pid, signal.SIGKILL)
    job.communicate()
    wait_until(lambda: not any(map(lives, parts_in(tmp_path))))
