"""Potato: a configuration and JSON Lines of items out, the states of its users in.

1. For each kind of item `KIND.yaml` is the configuration (JSON, which is YAML), `KIND.jsonl` has
   the items and `KIND-answers/` will have the answers: `potato start KIND.yaml`.
2. Potato shows HTML: texts are escaped, and what is judged stands in [ ]. A question is a `radio`
   scheme. Candidates are labels `a`, `b`, ... that every item has, the text says who they are.
3. Read is `KIND-answers/USER/user_state.json`, where Potato keeps its answers; the rater is its
   `user_id`. One with an `origin` other than human is a model.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from corefmill.annotate import questions
from corefmill.annotate.exchange import answers
from corefmill.annotate.exchange.answers import REMARK, Items
from corefmill.annotate.judgements import Judgement
from corefmill.annotate.passages import marked
from corefmill.annotate.questions import AnnotationItem, Question, QuestionSet
from corefmill.corpora import disk
from corefmill.corpora.atomic import replacing, write_whole
from corefmill.corpora.errors import DataError

STATE = "user_state.json"


def names(items: Sequence[AnnotationItem]) -> list[str]:
    """The files that `write` writes."""
    return [f"{kind}.{end}" for kind in answers.kinds(items) for end in ("yaml", "jsonl", "md")]


def write(folder: Path, items: Sequence[AnnotationItem]) -> None:
    """Writes configuration, items and guidelines; raises `DataError` for too many candidates."""
    for asked, own in answers.by_kind(items):
        most = max(len(item.options) for item in own)
        path = folder / f"{asked.kind}.yaml"
        if most > len(ascii_lowercase):
            raise DataError(f"an item has {most} candidates, which letters cannot name", path=path)
        made = json.dumps(_configuration(asked, most), ensure_ascii=False, indent=2)
        write_whole(path, made + "\n")
        write_whole(folder / f"{asked.kind}.md", asked.guidelines)
        with replacing(folder / f"{asked.kind}.jsonl") as out:
            for item in own:
                row = {"id": item.id, "text": _html(item)}
                out.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")


def _configuration(asked: QuestionSet, most: int) -> dict[str, Any]:
    schemes: list[dict[str, Any]] = [_scheme(question, most) for question in asked.questions]
    schemes.append({"annotation_type": "text", "name": REMARK, "description": "Remark"})
    return {
        "annotation_task_name": asked.title,
        "task_dir": ".",
        "data_files": [f"{asked.kind}.jsonl"],
        "item_properties": {"id_key": "id", "text_key": "text"},
        "output_annotation_dir": f"{asked.kind}-answers",
        "annotation_schemes": schemes,
        "user_config": {"allow_all_users": True, "users": []},
    }


def _scheme(question: Question, most: int) -> dict[str, Any]:
    letters = ascii_lowercase[: most if question.options else 0]
    labels = [
        *({"name": letter, "displayed_label": letter} for letter in letters),
        *({"name": one.name, "displayed_label": one.label} for one in answers.fixed(question)),
    ]
    return {
        "annotation_type": "radio",
        "name": question.name,
        "description": question.ask,
        "labels": labels,
    }


def _html(item: AnnotationItem) -> str:
    letters = zip(ascii_lowercase, answers.options(item), strict=False)
    lines = [
        *answers.facts(item).splitlines(),
        *([""] if item.facts else ()),
        *marked(item).splitlines(),
        *([""] if item.options else ()),
        *(f"{letter}: {words}" for letter, words in letters),
    ]
    return "<br>".join(map(html.escape, lines))


def read(path: Path, items: Items) -> Iterator[Judgement]:
    """The judgements of one user's state."""
    try:
        state = disk.json(path)
        rater, person = state["user_id"], _person(state)
        found = state["instance_id_to_label_to_value"]
        for name, labels in found.items():
            item = answers.item_of(items, name, path, None)
            yield from _judgements(item, labels, rater, person)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        said = str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"
        raise DataError(
            f"no state of a user of Potato: {said[:200]}",
            path=path,
            remedy=f"it keeps answers in USER/{STATE}",
        ) from None


def _person(state: Mapping[str, Any]) -> bool:
    origin = state.get("origin")
    return not origin or (isinstance(origin, dict) and origin.get("kind") == "human")


def _judgements(
    item: AnnotationItem, labels: Sequence[Any], rater: str, person: bool
) -> Iterator[Judgement]:
    said: dict[str, str] = {}
    remark = ""
    for label, value in labels:
        scheme, name = label["schema"], label["name"]
        if scheme == REMARK:
            remark = str(value)
        elif scheme in said:
            raise ValueError(f"two answers to {scheme[:40]} of {item.id[:60]!r}")
        else:
            said[scheme] = name
    asked = questions.by_kind()[item.kind]
    for scheme, name in said.items():
        lettered = any(one.name == scheme and one.options for one in asked.questions)
        if lettered and len(name) == 1 and name in ascii_lowercase[: len(item.options)]:
            name = answers.options(item)[ascii_lowercase.index(name)]
        yield answers.judgement(item, scheme, name, rater, person=person, remark=remark)
