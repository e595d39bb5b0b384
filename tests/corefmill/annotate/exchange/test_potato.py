"""Potato: a configuration by its documented keys, escaped texts, the states of its users."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corefmill.annotate.exchange import answers, potato
from corefmill.corpora.errors import DataError
from tests.corefmill.annotate.exchange.questions_corpora import HOSTILE, events, problems

yaml = pytest.importorskip("yaml", reason="PyYAML comes with some of the extras")

NEEDED = {"item_properties", "task_dir", "output_annotation_dir", "annotation_task_name"}
"""Keys without which Potato does not start (its config_module.validate_yaml_structure)."""


def state(labels: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"user_id": "ann", "instance_id_to_label_to_value": labels, **more}


def label(scheme: str, name: str, value: object = "true") -> list[object]:
    return [{"schema": scheme, "name": name}, value]


def test_the_configuration_is_yaml_with_the_keys_that_potato_needs(tmp_path: Path) -> None:
    _, items = problems(tmp_path)
    potato.write(tmp_path, items)
    for name in potato.names(items):
        assert (tmp_path / name).exists()
    for kind, questions in (
        ("pronoun-problem", ["answer"]),
        ("masked-name", ["person", "answer", "natural"]),
    ):
        made = yaml.safe_load((tmp_path / f"{kind}.yaml").read_text("utf-8"))
        assert made.keys() >= NEEDED
        assert made["item_properties"] == {"id_key": "id", "text_key": "text"}
        (file,) = made["data_files"]
        rows = [json.loads(row) for row in (tmp_path / file).read_text("utf-8").splitlines()]
        assert {row["id"] for row in rows} == {item.id for item in items if item.kind == kind}
        *radios, remark = made["annotation_schemes"]
        assert [one["name"] for one in radios] == questions
        assert {one["annotation_type"] for one in radios} == {"radio"}
        assert remark["annotation_type"] == "text"
        assert [one["name"] for one in radios[questions.index("answer")]["labels"]] == [
            *("a", "b", "none")
        ]


def test_texts_are_escaped(tmp_path: Path) -> None:
    _, items = events(tmp_path)
    potato.write(tmp_path, items)
    rows = (tmp_path / "event-mention.jsonl").read_text("utf-8").splitlines()
    hostile = json.loads(rows[1])
    assert hostile["id"] == HOSTILE.id
    assert "After &lt;i&gt;the&lt;/i&gt; [flood] &amp; [so]." in hostile["text"]
    assert "<" not in hostile["text"].replace("<br>", "")


def test_states_become_judgements(tmp_path: Path) -> None:
    _, items = problems(tmp_path)
    known = {item.id: item for item in items}
    letter = "ab"[answers.options(known["p"]).index("Anna")]
    labels = {"p": [label("answer", letter), label("remark", "text_box", "sure")]}
    path = tmp_path / "user_state.json"
    path.write_text(json.dumps(state(labels)))
    (one,) = potato.read(path, known)
    assert (one.rater, one.person, one.answer, one.remark) == ("ann", True, "Anna", "sure")
    path.write_text(json.dumps(state({"p": [label("answer", "none")]}, origin={"kind": "llm"})))
    (one,) = potato.read(path, known)
    assert (one.person, one.answer) == (False, "none")


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (state({"nobody": []}), "no item 'nobody' in the corpus"),
        (state({"p": [label("answer", "c")]}), "'c' is no answer to answer of 'p'"),
        (state({"p": [label("answer", "a"), label("answer", "b")]}), "two answers to answer"),
        (state({"p": [label("valid", "yes")]}), "no question 'valid'"),
        (state({"p": 3}), "no state of a user of Potato: TypeError"),
        ({"user_id": "ann"}, "no state of a user of Potato: KeyError"),
        ([], "no state of a user of Potato: TypeError"),
        (state({"p": [label("answer", "a")]}) | {"user_id": ""}, "rater is empty"),
        (state({"p": [label("answer", "a")]}) | {"user_id": 3}, "no state of a user of Potato"),
    ],
)
def test_what_is_no_state(made: object, message: str, tmp_path: Path) -> None:
    _, items = problems(tmp_path)
    path = tmp_path / "user_state.json"
    path.write_text(json.dumps(made))
    with pytest.raises(DataError, match=message) as caught:
        list(potato.read(path, {item.id: item for item in items}))
    assert caught.value.path == str(path)
