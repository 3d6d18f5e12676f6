"""The time of each kind of operator, from the files of TensorFlow's profiler."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

WAITING = ("Run", "BlockUntilReady", "Await")  # events of a thread that waits for others


def operators(folder: Path) -> Counter[str]:
    """Seconds by operator, of all threads of the host."""
    from tensorflow.tsl.profiler.protobuf.xplane_pb2 import XSpace

    space, found = XSpace(), Counter[str]()
    for path in folder.rglob("*.xplane.pb"):
        space.ParseFromString(path.read_bytes())
    for plane in space.planes:
        if not plane.name.startswith("/host:CPU"):
            continue
        for line in plane.lines:
            names = {key: kind(each.name) for key, each in plane.event_metadata.items()}
            found += self_times(
                (event.offset_ps, event.duration_ps, names[event.metadata_id])
                for event in line.events
            )
    return Counter({name: each for name, each in found.items() if name not in WAITING})


def kind(name: str) -> str:
    """`layer/MatMul:MatMul` is MatMul, and `fusion.12` is fusion."""
    return re.sub(r"[._\d]+$", "", name.rsplit(":", 1)[-1]).strip()


def self_times(events: Iterable[tuple[int, int, str]]) -> Counter[str]:
    """Seconds by name of the nested events of one thread, each without the events inside of it.

    Args:
        events: Start and duration of each in picoseconds, and its name.
    """
    found: Counter[str] = Counter()
    around: list[tuple[int, str]] = []  # end and name of the events around this one
    for start, duration, name in sorted(events, key=lambda event: (event[0], -event[1])):
        while around and around[-1][0] <= start:
            around.pop()
        if around:
            found[around[-1][1]] -= duration
        found[name] += duration
        around.append((start + duration, name))
    return Counter({name: duration / 1e12 for name, duration in found.items()})
