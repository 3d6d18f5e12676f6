"""Fails if a pinned package has a known vulnerability that pyproject.toml does not accept.

Where the advisory service cannot be reached, nothing is known, and the audit says so and passes. A
registry may also answer without having advisories: then pip-audit skips every package.
"""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PINS = [Path(f".ci/constraints{each}.txt") for each in ("", "-clients", "-release")]
AUDIT = [sys.executable, "-m", "pip_audit", "--no-deps", "--disable-pip", "--format", "json"]
SKIPPED = "skipped: the advisory service cannot be reached; nothing was audited"
# What pip-audit says when it gets no answer.
NO_ANSWER = re.compile(
    r"^requests\.exceptions\.(Connect\w+|Proxy\w+|ReadTimeout):|^ERROR:.*Could not connect",
    re.MULTILINE,
)


def judge(output: str, errors: str, accepted: Iterable[dict[str, str]]) -> tuple[int, list[str]]:
    """The exit status of an audit, and what to say.

    Args:
        output: What pip-audit wrote, JSON unless it failed.
        errors: Its messages.
        accepted: The advisories that do not fail it, each with an `id` and a `reason`.
    """
    reasons = {each["id"]: each["reason"] for each in accepted}
    last = (errors.strip().splitlines() or [""])[-1]
    if not output.strip():
        return (0, [SKIPPED]) if NO_ANSWER.search(errors) else (1, [f"pip-audit failed: {last}"])
    packages = json.loads(output)["dependencies"]
    unknown = [each for each in packages if "skip_reason" in each]
    if packages and len(unknown) == len(packages):
        return 0, [SKIPPED]
    bad = [f"not audited: {each['skip_reason']}" for each in unknown]
    lines = []
    for package, found in ((each, x) for each in packages for x in each.get("vulns", [])):
        known = [reasons[id] for id in (found["id"], *found["aliases"]) if id in reasons]
        named = f"{package['name']} {package['version']}: {found['id']}"
        if known:
            lines.append(f"accepted: {named}, {known[0]}")
        else:
            bad.append(f"vulnerable: {named}, {_remedy(found)}")
    return int(bool(bad)), [*lines, *bad, f"{len(packages) - len(unknown)} packages audited"]


def _remedy(found: dict[str, Any]) -> str:
    fixed = " or ".join(found["fix_versions"])
    return f"fixed in {fixed}" if fixed else "not fixed in any version"


def main() -> int:
    """Audits the pins of this repository."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    failed = 0
    for pins in PINS:
        command = [*AUDIT, "--requirement", pins]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        status, lines = judge(done.stdout, done.stderr, settings["tool"]["keras-attn"]["accepted"])
        print("\n".join(f"{pins}: {line}" for line in lines), flush=True)
        failed |= status
    return failed


if __name__ == "__main__":
    sys.exit(main())
