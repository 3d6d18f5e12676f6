"""The workflows and templates of .github: they are valid, and name actions by commits alone."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".github"
WORKFLOWS = sorted((FOLDER / "workflows").glob("*.yml"))
FORMS = sorted(
    set((FOLDER / "ISSUE_TEMPLATE").glob("*.yml")) - {FOLDER / "ISSUE_TEMPLATE/config.yml"}
)
ACTION = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}")
RUN = re.compile(r"(?:bash |python )(\.ci/\w+(?:\.py)?)|make ([\w-]+)")


def read(path):
    return yaml.safe_load(path.read_text("utf-8"))


def steps(workflow):
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_names_actions_by_their_commits_and_has_few_permissions(path):
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow[True]  # YAML reads the key "on" so
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] and job["runs-on"] == "ubuntu-latest"
    for step in steps(workflow):
        assert ("uses" in step) != ("run" in step), step
        assert ACTION.fullmatch(step.get("uses", "a/b@" + 40 * "0")), step
        if "actions/checkout" in step.get("uses", ""):
            assert step["with"]["persist-credentials"] is False
    pinned = re.findall(r"uses: \S+(.*)", path.read_text("utf-8"))
    assert pinned and all(re.fullmatch(r" # v\d+\.\d+\.\d+", each) for each in pinned)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_scripts_and_targets_that_exist(path):
    makefile = (ROOT / "Makefile").read_text("utf-8")
    found = [match for step in steps(read(path)) for match in RUN.finditer(step.get("run", ""))]
    assert found
    for match in found:
        script, target = match.groups()
        assert (ROOT / script).is_file() if script else f"\n{target}:" in makefile, match[0]


def test_the_release_publishes_what_was_tried_without_a_secret():
    text = (FOLDER / "workflows/release.yml").read_text("utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    assert "secrets." not in text and "password" not in text
    assert [name for name in jobs if "id-token" in jobs[name].get("permissions", {})] == ["publish"]
    publish = jobs["publish"]
    assert publish["needs"] == "build" and publish["environment"] == "pypi"
    assert not [step for step in publish["steps"] if "run" in step]
    assert publish["steps"][-1]["with"] == {"attestations": True}
    commands = [step["run"] for step in jobs["build"]["steps"] if "run" in step]
    assert "make release-check" in commands


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_and_each_question_has_a_label(path):
    form = read(path)
    assert form["name"] and form["description"] and form["labels"]
    asked = [each for each in form["body"] if each["type"] != "markdown"]
    assert len({each["id"] for each in asked}) == len(asked) > 0
    assert all(each["attributes"]["label"] for each in asked)
    assert any(each.get("validations", {}).get("required") for each in asked)


def test_there_is_a_form_for_each_kind_of_issue():
    assert [path.stem for path in FORMS] == ["bug", "feature", "wrong-answer"]
    assert read(FOLDER / "ISSUE_TEMPLATE/config.yml") == {"blank_issues_enabled": False}
