"""Label Studio: what is written, what its export gives, and what is no export of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from corefmill.annotate import label_studio
from corefmill.annotate.judgements import Judgement
from corefmill.corpora.files.errors import DataError
from tests.corefmill.annotate.trials import HOSTILE, events, problems

pytestmark = pytest.mark.usefixtures("without_fsync")


def choice(question: str, answer: str) -> dict[str, Any]:
    return {
        "from_name": question,
        "to_name": "passage",
        "type": "choices",
        "value": {"choices": [answer]},
    }


def test_tasks_and_configuration_of_events(tmp_path: Path) -> None:
    _, items = events(tmp_path)
    tmp_path /= "sent"
    label_studio.write_questions(tmp_path, items, overwrite=False)
    first, hostile = json.loads((tmp_path / "event-mention.json").read_text("utf-8"))
    assert first["data"]["passage"] == "After the [flood]."
    assert first["data"]["facts"].startswith("Event: A flood\nType: disaster")
    assert hostile["data"]["item"] == HOSTILE.id
    view = ElementTree.parse(tmp_path / "event-mention.xml").getroot()
    choices = view.find("Choices")
    assert choices is not None and choices.get("name") == "valid"
    assert [one.get("alias") for one in choices][:3] == ["yes", "no", "boundary"]
    assert choices[0].get("hotkey") == "y"
    shown = {one.get("value") for one in view.iter("Text")}
    assert shown == {"$facts", "$passage"}
    assert "boundary" in (tmp_path / "event-mention.md").read_text("utf-8").lower()


def test_candidates_are_in_the_task(tmp_path: Path) -> None:
    _, items = problems(tmp_path)
    tmp_path /= "sent"
    label_studio.write_questions(tmp_path, items, overwrite=False)
    (task,) = json.loads((tmp_path / "pronoun-problem.json").read_text("utf-8"))
    assert task["data"]["passage"] == "Anna met Bob. [She] left."
    *names, none = task["data"]["options_answer"]
    assert sorted(one["value"] for one in names) == ["Anna", "Bob"]
    assert none["alias"] == "none"
    view = ElementTree.parse(tmp_path / "masked-name.xml").getroot()
    assert [one.get("name") for one in view.iter("Choices")] == ["person", "answer", "natural"]
    assert not view.findall(".//Choice[@hotkey]")  # two questions have the same keys
    assert view.find("Choices[@name='answer']").get("value") == "$options_answer"  # type: ignore


def test_answers_become_judgements(tmp_path: Path) -> None:
    _, items = problems(tmp_path)
    known = {item.id: item for item in items}
    annotation = {
        "completed_by": {"id": 3, "email": "ann@example.org"},
        "updated_at": "2026-11-23T09:30:00.123456Z",
        "lead_time": 8.5,
        "result": [
            choice("person", "Yes"),
            choice("answer", "Bob"),
            {**choice("remark", ""), "type": "textarea", "value": {"text": ["hm", "so"]}},
        ],
    }
    skipped = {"completed_by": 4, "was_cancelled": True, "result": []}
    path = tmp_path / "export.json"
    tasks = [{"data": {"item": "1"}, "annotations": [annotation, skipped], "predictions": []}]
    path.write_text(json.dumps(tasks))
    found = list(label_studio.read_questions(path, known))
    common: dict[str, Any] = {"item": "1", "rater": "ann@example.org", "person": True}
    common |= {"remark": "hm\nso", "when": "2026-11-23T09:30:00Z"}
    assert found[:2] == [
        Judgement(**common, question="person", answer="yes", seconds=8.5),
        Judgement(**common, question="answer", answer="Bob"),
    ]
    assert [(one.rater, one.answer) for one in found[2:]] == [("4", "")] * 3


def test_a_reason_answers_by_itself(tmp_path: Path) -> None:
    _, items = events(tmp_path)
    path = tmp_path / "export.json"
    annotation = {"completed_by": 1, "result": [choice("valid", "boundary")]}
    path.write_text(json.dumps([{"data": {"item": HOSTILE.id}, "annotations": [annotation]}]))
    (one,) = label_studio.read_questions(path, {item.id: item for item in items})
    assert (one.item, one.answer, one.reason) == (HOSTILE.id, "no", "boundary")


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ({"data": {"item": "nobody"}}, r"export\.json:2: the corpus has no item 'nobody'"),
        ({"data": {"item": "1"}, "annotations": 3}, r":2: .*value of `annotations` is not a list"),
        (
            {
                "data": {"item": "1"},
                "annotations": [{"completed_by": 1, "result": [choice("answer", "Cyd")]}],
            },
            r"'Cyd' is not an answer to the question answer about '1'",
        ),
        (
            {
                "data": {"item": "1"},
                "annotations": [
                    {"completed_by": 1, "result": [{**choice("person", "yes"), "type": "rating"}]}
                ],
            },
            "a result has the unknown type rating",
        ),
    ],
)
def test_one_fault_a_task(task: Any, message: str, tmp_path: Path) -> None:
    _, items = problems(tmp_path)
    path = tmp_path / "export.json"
    path.write_text(f"[\n{json.dumps(task)}]")
    with pytest.raises(DataError, match=message):
        list(label_studio.read_questions(path, {item.id: item for item in items}))
