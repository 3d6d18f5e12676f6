"""Changes files and reads them until the time is up.

    python -m tests.fuzz --minutes 30
    python -m tests.fuzz --minutes 1 --target "word vectors"

Each target runs in a process of its own with limited memory, so that a crash of a library is found,
too. Prints a line for each, and ends with status 1 if one failed; its files are kept.
"""

import argparse
import faulthandler
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hypothesis import seed

from tests.fuzz.guard import SECONDS, WAITING
from tests.fuzz.running import property_of
from tests.fuzz.targets import TARGETS

ROUND = 100  # inputs between two looks at the clock
LINES, WIDTH = 80, 300  # of the report of a failure, which quotes the whole file
MEMORY = 6 << 30  # bytes that reading small files may take, in addition to those of the libraries


def main() -> None:
    """Runs all targets, or one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10, help="time for all targets")
    parser.add_argument("--target", choices=TARGETS, help="run this one only")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first inputs")
    parser.add_argument("--here", type=Path, help=argparse.SUPPRESS)  # the folder of one target
    given = parser.parse_args()
    if given.here:
        one(given.target, given.here, given.minutes * 60, given.seed)
        return
    names = [given.target] if given.target else list(TARGETS)
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    failed = [
        name
        for number, name in enumerate(names)
        if not passes(name, folder / str(number), given.minutes / len(names), given.seed)
    ]
    print(f"{len(names) - len(failed)} of {len(names)} targets passed", flush=True)
    if failed:
        sys.exit(f"failed, files in {folder}: {', '.join(failed)}")


def passes(name: str, folder: Path, minutes: float, first: int) -> bool:
    """Runs one target in a process of its own; prints how it fails."""
    folder.mkdir()
    options = ["--target", name, "--here", folder, "--minutes", str(minutes), "--seed", str(first)]
    run = [sys.executable, "-m", "tests.fuzz", *options]
    done = subprocess.run(run, capture_output=True, text=True, errors="replace")
    if done.returncode:
        lines = [line[:WIDTH] for line in done.stderr.splitlines()]
        print(
            f"{name}: FAILED with status {done.returncode}", *lines[-LINES:], sep="\n", flush=True
        )
    else:
        print(f"{name}: {done.stdout.splitlines()[-1]}", flush=True)
    return done.returncode == 0


def one(name: str, folder: Path, seconds: float, first: int) -> None:
    """Runs one target until the time is up."""
    inputs, begin, rounds = 0, time.monotonic(), first

    def count() -> None:
        nonlocal inputs
        inputs += 1
        # Where a library is stuck, no exception reaches it.
        faulthandler.dump_traceback_later(2 * SECONDS * WAITING, exit=True)

    check = property_of(TARGETS[name], folder, ROUND, count)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    while time.monotonic() < begin + seconds:
        seed(rounds)(check)()
        rounds += 1
    faulthandler.cancel_dump_traceback_later()
    print(f"{inputs:,} inputs in {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
