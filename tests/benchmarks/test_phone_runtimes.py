"""What the benchmark of runtimes makes of its turns: rates, ratios, rows and contenders."""

import argparse
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.phone_runtimes import GOALS, contenders, numbers, ratio_row, ratios, size_of
from benchmarks.phone_runtimes_peer import WORDS, text_of, timed

TURN = {
    **{"first_cpu": 0.5, "first_wall": 0.75, "peak_bytes": 300e6},
    **{"prefill_tokens": 512, "prefill_cpu": 2.0, "prefill_wall": 4.0},
    **{"decode_tokens": 128, "decode_cpu": 4.0, "decode_wall": 8.0},
}
SLOWER = {name: value if "tokens" in name else 2 * value for name, value in TURN.items()}


def test_rates_are_those_of_the_median_turn():
    found = numbers([SLOWER, TURN, TURN], size=149_200_000)
    assert found.prefill == (256.0, 128.0) and found.decode == (32.0, 16.0)
    assert found.first == (0.5, 0.75) and found.peak == 300e6
    assert found.row("ours") == (
        "| ours | 149.2 | 256.0 | 128.0 | 32.0 | 16.0 | 0.75 | 0.50 | 300 |"
    )


def test_the_rate_is_that_of_the_tokens_that_were_written():
    assert numbers([{**TURN, "decode_tokens": 64}], size=1).decode == (16.0, 8.0)


def test_ratios_above_one_say_that_ours_is_better():
    found = ratios(numbers([TURN], size=100), numbers([SLOWER], size=150))
    assert found == {
        **{"prefill": 2.0, "decode": 2.0, "first token": 2.0, "memory": 2.0},
        "size": 1.5,
    }


def test_goals_stand_behind_their_ratios():
    found = {"prefill": 2.5, "decode": 1.234, "size": 1.0}
    row = ratio_row("llama.cpp Q8_0", found, GOALS["llama.cpp Q8_0"])
    assert row == "| llama.cpp Q8_0 | 2.50 (2.0) | 1.23 (1.1) | 1.00 |"
    assert ratio_row("other", found, {}) == "| other | 2.50 | 1.23 | 1.00 |"


def test_each_given_file_is_a_contender():
    files = {"bundle": Path("a.litertlm"), "peer_bundle": Path("b.litertlm")}
    gguf = [Path("smollm2.Q8_0.gguf"), Path("SmolLM2-135M.Q4_1.gguf")]
    given = argparse.Namespace(**files, gguf=gguf, checkpoint=Path("folder"), peer="python")
    found = contenders(given)
    assert [each.name for each in found] == [
        "ours",
        "litert-torch",
        "llama.cpp Q8_0",
        "llama.cpp Q4_1",
        "transformers, float32",
    ]
    assert [each.python for each in found] == [sys.executable] * 2 + ["python"] * 3
    assert [each.name in GOALS for each in found] == [False, True, True, False, False]


def test_a_folder_is_as_large_as_its_files(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "a").write_bytes(b"123")
    (tmp_path / "b").write_bytes(b"4567")
    assert size_of(tmp_path) == 7 and size_of(tmp_path / "b") == 4


def test_a_prompt_has_as_many_tokens_as_it_should():
    assert text_of(12, str.split).split() == [*WORDS, "one", "two"]
    with pytest.raises(AssertionError, match="3 words are 13 tokens"):
        text_of(3, list)


def test_seconds_of_the_processor_leave_out_waiting():
    import time

    cpu, wall = timed(time.sleep, 0.3)
    assert wall >= 0.3 and cpu < 0.1


def test_files_for_a_peer_need_its_interpreter():
    command = [sys.executable, "-m", "benchmarks.phone_runtimes", "a.litertlm", "--gguf", "b.gguf"]
    root = Path(__file__).parents[2]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert ran.returncode == 2
    assert ran.stderr.endswith("error: --gguf and --checkpoint need --peer\n")
