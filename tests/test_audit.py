"""The audit of the pinned packages: it fails on a vulnerability, and not for want of a network."""

import json
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def audit():
    spec = spec_from_file_location("audit", ROOT / ".ci" / "audit.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def package(name, *vulnerabilities, fixed=("2.0",)):
    vulns = [{"id": id, "aliases": [f"CVE-{id}"], "fix_versions": fixed} for id in vulnerabilities]
    return {"name": name, "version": "1.0", "vulns": vulns}


def skipped(name):
    return {"name": name, "skip_reason": f"Dependency not found: {name}"}


def output(*packages):
    return json.dumps({"dependencies": packages, "fixes": []})


def test_a_vulnerability_fails(audit):
    status, lines = audit.judge(output(package("a"), package("b", "1")), "", [])
    assert (status, lines) == (1, ["vulnerable: b 1.0: 1, fixed in 2.0", "2 packages audited"])
    assert audit.judge(output(package("a")), "", []) == (0, ["1 packages audited"])
    _, lines = audit.judge(output(package("a", "1", fixed=())), "", [])
    assert lines[0] == "vulnerable: a 1.0: 1, not fixed in any version"


@pytest.mark.parametrize("id", ["1", "CVE-1"])
def test_one_is_accepted_for_a_reason(audit, id):
    accepted = [{"id": id, "reason": "we never call it"}]
    status, lines = audit.judge(output(package("a", "1")), "", accepted)
    assert (status, lines[0]) == (0, "accepted: a 1.0: 1, we never call it")
    assert audit.judge(output(package("a", "1", "2")), "", accepted)[0] == 1
    with pytest.raises(KeyError, match="reason"):
        audit.judge(output(package("a", "1")), "", [{"id": id}])


@pytest.mark.parametrize(
    ("actual", "errors"),
    [
        ("", "Traceback\nrequests.exceptions.ConnectionError: Failed to resolve the name"),
        ("", "Traceback\nrequests.exceptions.ProxyError: Unable to connect to proxy"),
        ("", "ERROR:pip_audit._cli:Could not connect to the feed\nTip: try another"),
        (output(skipped("a"), skipped("b")), "No known vulnerabilities found"),
    ],
)
def test_without_the_service_nothing_is_audited_and_it_says_so(audit, actual, errors):
    assert audit.judge(actual, errors, []) == (0, [audit.SKIPPED])


def test_nothing_else_passes_for_a_missing_network(audit):
    assert audit.judge("", "ERROR: no such file", []) == (
        1,
        ["pip-audit failed: ERROR: no such file"],
    )
    assert audit.judge("", "", [])[0] == 1
    status, lines = audit.judge(output(package("a"), skipped("b")), "", [])
    assert (status, lines[0]) == (1, "not audited: Dependency not found: b")


def test_what_is_accepted_has_a_reason():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    for each in settings["tool"]["keras-attn"]["accepted"]:
        assert each["id"] and len(each["reason"]) > 10
