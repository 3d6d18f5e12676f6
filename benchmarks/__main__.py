"""All benchmarks.

    python -m benchmarks --out results.json
    python -m benchmarks recurrent decoding --quick

A ratio above 1 says how many times as fast ours is.
"""

from benchmarks import bert, decoding, gpt, recurrent, transformer
from benchmarks.command import main

BENCHMARKS = {
    "recurrent": recurrent.run,
    "transformer": transformer.run,
    "decoding": decoding.run,
    "bert": bert.run,
    "gpt": gpt.run,
}

if __name__ == "__main__":
    main(BENCHMARKS, __doc__.splitlines()[0])
