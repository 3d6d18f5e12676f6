"""Bundles for LiteRT-LM: their size, how fast they load, and how often they answer as the task.

keras-attn import SmolLM2-135M-Instruct.gguf --out runs/smollm2
keras-attn export runs/smollm2 --format litertlm --quantize int8 --out smollm2.litertlm
python -m benchmarks.litertlm runs/smollm2 smollm2.litertlm
"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

PROMPTS = (
    "In 2024, the capital of France is",
    "The quick brown fox jumps over 13 lazy dogs;\n\n it's",
    "def add(a, b):\n    return",
    "Water boils at a temperature of",
    "Once upon a time, there was a small",
    "The three primary colors are",
    "To bake bread, first mix flour with",
    "The largest planet in the solar system",
)
NEW = 24  # generated tokens


def ours(task: Any) -> list[list[int]]:
    """The most probable tokens after each prompt, as the task generates them."""
    answers = []
    for prompt in PROMPTS:
        ids = np.array(task.tokenizer.tokenize([prompt]).to_list(), "int32")
        answers.append([int(each) for each in task.generate_ids(ids, NEW)[0] if each >= 0])
    return answers


def measure(bundle: Path, expected: list[list[int]]) -> None:
    """Prints a line of a table about a bundle."""
    import litert_lm

    litert_lm.set_min_log_severity(litert_lm.LogSeverity.ERROR)
    greedy = litert_lm.SamplerConfig(top_k=1, top_p=0.0, temperature=1.0)
    how = {"apply_prompt_template": False, "max_output_tokens": NEW, "sampler_config": greedy}
    start = time.monotonic()
    with litert_lm.Engine(str(bundle), cache_dir=":nocache") as engine:
        loaded = time.monotonic() - start
        same = whole = 0
        for prompt, ids in zip(PROMPTS, expected, strict=True):
            with engine.create_session(**how) as session:
                session.run_prefill([prompt])
                text = session.run_decode().texts[0]
            spelled = [engine.detokenize(ids[: count + 1]) for count in range(len(ids))]
            equal = sum(text.startswith(each) for each in spelled)
            same, whole = same + equal, whole + (equal == len(ids))
        total = sum(map(len, expected))
    print(f"{bundle.name}: {bundle.stat().st_size / 1e6:.1f} MB, loaded in {loaded:.1f} s")
    print(f"equal before they differ: {same} of {total} tokens; {whole} of {len(PROMPTS)} answers")


def main() -> None:
    import zoo

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("bundles", type=Path, nargs="+")
    given = parser.parse_args()
    expected = ours(zoo.load(given.run))
    for bundle in given.bundles:
        measure(bundle, expected)


if __name__ == "__main__":
    main()
