"""The command line of every benchmark: run, print, write."""

import argparse
import json
from collections.abc import Callable, Iterable

from zoo.bench.machine import machine
from zoo.bench.timing import Result

Benchmark = Callable[[bool], Iterable[Result]]


def main(benchmarks: dict[str, Benchmark], description: str) -> None:
    """Run the benchmarks named on the command line, by default all of them.

    Args:
        benchmarks: By name, from whether to be quick to the results.
        description: First line of the help.
    """
    parser = argparse.ArgumentParser(description=description)
    if len(benchmarks) > 1:
        parser.add_argument("names", nargs="*", metavar="name", help=", ".join(benchmarks))
    parser.add_argument("--out", "--output", metavar="FILE", help="JSON file to write")
    parser.add_argument("--quick", action="store_true", help="small models and few turns")
    options = parser.parse_args()
    names = getattr(options, "names", None) or list(benchmarks)
    if unknown := sorted(set(names) - set(benchmarks)):
        parser.error(f"unknown {', '.join(unknown)}; choose from {', '.join(benchmarks)}")
    report = {"machine": machine(), "quick": options.quick, "results": []}
    for name in names:
        for result in benchmarks[name](options.quick):
            print(f"{table(result)}\n", flush=True)
            report["results"].append(result.as_json())
            if options.out:  # after each result: a long run that is stopped leaves what it has
                with open(options.out, "w") as file:
                    json.dump(report, file, indent=2)


def table(result: Result) -> str:
    """One comparison, a line for each contender and a line for each ratio."""
    lines = [f"=== {result.name}"]
    width = max(map(len, [*result.seconds, *result.ratios]))
    for name, numbers in result.as_json()["contenders"].items():
        line = f"{name:<{width}}  {numbers['median_ms']:>10.1f} ms"
        if (rate := result.rate(name)) is not None:
            line += f"  {rate:>8.0f} {result.unit}/s"
        lines.append(line)
    lines += [f"{name:<{width}}  {ratio:>10.2f} x" for name, ratio in result.ratios.items()]
    return "\n".join(lines)
