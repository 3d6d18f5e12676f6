"""Changes files of one target so that they reach further code; needs atheris.

    pip install atheris
    python -m tests.fuzz.coverage "word vectors" --minutes 5

It tests the property of `tests.fuzz`; but libFuzzer chooses the changes, and goes on from those
after which lines of this library run that did not run before. Prints how many files were read.
"""

import argparse
import faulthandler
import random
import sys
import tempfile
from pathlib import Path

SEEDS, SIZE = 50, 1000  # inputs to begin with, and the largest number of bytes that make up one
EVERY = 500  # files between two lines of output


def main() -> None:
    """Reads changed files until the time is up, or one is not read as it should be."""
    import atheris

    with atheris.instrument_imports(include=["zoo", "export"]):
        from tests.fuzz.guard import SECONDS, WAITING
        from tests.fuzz.running import property_of
        from tests.fuzz.targets import TARGETS

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--minutes", type=float, default=5)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    read = 0

    def count() -> None:
        nonlocal read
        read += 1
        faulthandler.dump_traceback_later(2 * SECONDS * WAITING, exit=True)
        if read % EVERY == 0:
            print(f"{given.target}: {read:,} files read, the last one is in {folder}", flush=True)

    check = property_of(TARGETS[given.target], folder, 1, count)
    seeds = folder / "seeds"
    seeds.mkdir()
    for number in range(SEEDS):
        (seeds / str(number)).write_bytes(random.Random(number).randbytes(SIZE))
    options = {"max_total_time": int(given.minutes * 60), "max_len": SIZE, "len_control": 0}
    options |= {"timeout": 0, "rss_limit_mb": 8192}  # the guard has a timeout of its own
    flags = [f"-{name}={value}" for name, value in options.items()]
    atheris.Setup([sys.argv[0], *flags, str(seeds)], check.hypothesis.fuzz_one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
