"""Label Studio: tasks and labelling configuration out, its JSON export in.

1. For each kind of item `KIND.json` has the tasks, `KIND.xml` the labelling configuration and
   `KIND.md` the guidelines; for chains `chains.json` and `chains.xml`.
2. A question is a `Choices` with an alias for each answer and each reason, which answers by itself.
   Candidates come from the task's own `options_QUESTION`, in an order drawn by the item's id;
   remarks from a `TextArea`. An answer is read by its name or its words.
3. A chain is regions `Mention` with relations between them. What the corpus has is a prediction, to
   be corrected. `start` and `end` count characters, as Label Studio's editor has done since 1.5
   (before, it counted UTF-16); each region's own `text` is held against them.
4. Read is the array of JSON that `Export > JSON` gives, of each task its annotations: the rater is
   `completed_by`, `lead_time` is the time of the first question, `was_cancelled` means skipped.
   Predictions are no answers and not read; other results are errors.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from corefmill.annotate import questions
from corefmill.annotate.documents import PlainDocument, ReadChains, ToolMention, join_links
from corefmill.annotate.judgements import Judgement, parse_time
from corefmill.annotate.questions import AnnotationItem, Question, QuestionSet
from corefmill.builders.run.stages import seeded
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.writing import replacing, write_whole
from corefmill.corpora.formats import json_records

TEXT = "passage"
_FACTS = "facts"
_LABELS = "mentions"
_REMARK = "remark"


def question_names(items: Sequence[AnnotationItem]) -> list[str]:
    """List the files of `write_questions`."""
    kinds = [asked.kind for asked, _ in _by_kind(items)]
    return [f"{kind}.{end}" for kind in kinds for end in ("json", "xml", "md")]


def write_questions(folder: Path, items: Sequence[AnnotationItem]) -> None:
    """Write the tasks, the configuration and the guidelines of each kind of item."""
    for asked, own in _by_kind(items):
        _write_tasks(folder / f"{asked.kind}.json", ({"data": _data(asked, one)} for one in own))
        write_whole(folder / f"{asked.kind}.xml", _configuration(asked, any(i.facts for i in own)))
        write_whole(folder / f"{asked.kind}.md", asked.guidelines)


def _by_kind(
    items: Sequence[AnnotationItem],
) -> Iterator[tuple[QuestionSet, list[AnnotationItem]]]:
    """Yield the items of each kind with their questions, in the order of the questions' table."""
    for kind, asked in questions.by_kind().items():
        if own := [item for item in items if item.kind == kind]:
            yield asked, own


def _write_tasks(path: Path, tasks: Iterator[Mapping[str, Any]]) -> None:
    with replacing(path) as out:
        out.write(b"[")
        for number, task in enumerate(tasks):
            out.write(b",\n" if number else b"\n")
            out.write(json.dumps(task, ensure_ascii=False, allow_nan=False).encode())
        out.write(b"\n]\n")


def _data(asked: QuestionSet, item: AnnotationItem) -> dict[str, Any]:
    made: dict[str, Any] = {"item": item.id, TEXT: questions.bracket_marks(item)}
    made[_FACTS] = "\n".join(f"{name}: {text}" for name, text in item.facts)
    for question in asked.questions:
        if question.options:
            options = list(item.options)
            seeded(0, "options", item.id).shuffle(options)
            made[f"options_{question.name}"] = [
                *({"value": one} for one in options),
                *(
                    {"value": one.label, "alias": one.name}
                    for one in (*question.answers, *question.reasons)
                ),
            ]
    return made


def _configuration(asked: QuestionSet, with_facts: bool) -> bytes:
    view = ElementTree.Element("View")

    def add(tag: str, to: ElementTree.Element = view, **attributes: str) -> ElementTree.Element:
        return ElementTree.SubElement(to, tag, attributes)

    if with_facts:
        add("Text", name=_FACTS, value=f"${_FACTS}")
    add("Text", name=TEXT, value=f"${TEXT}")
    keys = len(asked.questions) == 1  # of several questions one would take the other's keys
    for question in asked.questions:
        add("Header", value=question.ask)
        one = add("Choices", name=question.name, toName=TEXT, choice="single-radio")
        if question.options:
            one.set("value", f"$options_{question.name}")
            continue
        for answer in (*question.answers, *question.reasons):
            choice = add("Choice", one, value=answer.label, alias=answer.name)
            if keys:
                choice.set("hotkey", answer.key)
    add("TextArea", name=_REMARK, toName=TEXT, maxSubmissions="1", rows="1", placeholder="Remark")
    return _xml(view)


def _xml(view: ElementTree.Element) -> bytes:
    ElementTree.indent(view)
    return bytes(ElementTree.tostring(view, "utf-8")) + b"\n"


def chain_names(documents: Sequence[PlainDocument]) -> list[str]:
    """List the files of `write_chains`."""
    return ["chains.json", "chains.xml"]


def write_chains(folder: Path, documents: Sequence[PlainDocument]) -> None:
    """Write the documents as tasks, each with its clusters as a prediction."""
    view = ElementTree.Element("View")
    labels = ElementTree.SubElement(view, "Labels", {"name": _LABELS, "toName": TEXT})
    ElementTree.SubElement(labels, "Label", {"value": "Mention"})
    relations = ElementTree.SubElement(view, "Relations")
    ElementTree.SubElement(relations, "Relation", {"value": "Coreference"})
    ElementTree.SubElement(view, "Text", {"name": TEXT, "value": f"${TEXT}"})
    _write_tasks(folder / "chains.json", map(_chain_task, documents))
    write_whole(folder / "chains.xml", _xml(view))


def _chain_task(one: PlainDocument) -> dict[str, Any]:
    result: list[dict[str, Any]] = []
    links: list[dict[str, Any]] = []
    for cluster in one.marked:
        for place, mention in enumerate(cluster):
            number = len(result) + 1
            start, end = mention.pieces[0][0], mention.pieces[-1][1]
            region: dict[str, Any] = {
                "id": f"m{number}",
                "from_name": _LABELS,
                "to_name": TEXT,
                "type": "labels",
                "value": {
                    "start": start,
                    "end": end,
                    "text": one.text[start:end],
                    "labels": ["Mention"],
                },
            }
            if mention.label:
                region["meta"] = {"text": [mention.label]}
            result.append(region)
            if place:
                links.append(
                    {
                        "type": "relation",
                        "from_id": f"m{number}",
                        "to_id": f"m{number - 1}",
                        "direction": "right",
                        "labels": ["Coreference"],
                    }
                )
    data = {"document": one.number, TEXT: one.text}
    return {"data": data, "predictions": [{"model_version": "corpus", "result": result + links}]}


def read_questions(path: Path, items: Mapping[str, AnnotationItem]) -> Iterator[Judgement]:
    """Read the judgements of an export; `items` are those of the corpus by their ids."""
    for line, task in json_records.read_array(path):
        try:
            name = task["data"]["item"]
            if not isinstance(name, str) or name not in items:
                raise DataError(
                    f"no item {str(name)[:60]!r} in the corpus",
                    path=path,
                    line=line,
                    remedy="were the tasks exported from this very corpus?",
                )
            item = items[name]
            for annotation in _annotations(task):
                yield from _judgements(item, annotation)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise _make_error(error, path, line) from None


def _make_error(error: Exception, path: Path, line: int) -> DataError:
    said = str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"
    return DataError(
        f"no task that Label Studio exported: {said[:200]}",
        path=path,
        line=line,
        remedy="Export > JSON gives the file that is read",
    )


def _annotations(task: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = task.get("annotations", [])
    if not isinstance(found, list):
        raise TypeError("annotations is no list")
    return found


def _rater(annotation: Mapping[str, Any]) -> str:
    by = annotation["completed_by"]
    if isinstance(by, dict):
        by = by.get("email") or by.get("id")
    if not isinstance(by, str | int) or isinstance(by, bool):
        raise TypeError("completed_by names nobody")
    return str(by)


def _judgements(item: AnnotationItem, annotation: Mapping[str, Any]) -> Iterator[Judgement]:
    rater = _rater(annotation)
    when = annotation.get("updated_at") or annotation.get("created_at") or ""
    said: dict[str, str] = {}
    remark = ""
    for result in annotation["result"]:
        name, value = result["from_name"], result["value"]
        if result["type"] == "choices":
            (said[name],) = value["choices"]
        elif result["type"] == "textarea" and name == _REMARK:
            remark = "\n".join(value["text"])
        else:
            raise ValueError(f"a result of the kind {str(result['type'])[:40]}")
    asked = {one.name: one for one in questions.by_kind()[item.kind].questions}
    if annotation.get("was_cancelled"):
        said = dict.fromkeys(asked, questions.SKIPPED)
    seconds = annotation.get("lead_time")
    for place, (question, given) in enumerate(said.items()):
        if question not in asked:
            raise ValueError(
                f"no question {question[:40]!r}; of {item.kind} there are {', '.join(asked)}"
            )
        answer, reason = _parse_choice(asked[question], item, given)
        yield Judgement(
            item=item.id,
            rater=rater,
            person=True,
            question=question,
            answer=answer,
            reason=reason,
            remark=remark,
            when=parse_time(when).strftime("%Y-%m-%dT%H:%M:%SZ") if when else "",
            seconds=None if place or seconds is None else float(seconds),
        )


def _parse_choice(question: Question, item: AnnotationItem, said: str) -> tuple[str, str]:
    """Parse a choice into answer and reason; raise `ValueError` for neither."""
    if said == questions.SKIPPED or (question.options and said in item.options):
        return said, ""
    for one in question.answers:
        if said in (one.name, one.label):
            return one.name, ""
    for one in question.reasons:
        if said in (one.name, one.label):
            return question.answers_with, one.name
    raise ValueError(f"{said[:40]!r} is no answer to {question.name} of {item.id[:60]!r}")


def read_chains(path: Path) -> Iterator[ReadChains]:
    """Read the chains of an export, by document and rater."""
    for line, task in json_records.read_array(path):
        try:
            number, text = task["data"]["document"], task["data"][TEXT]
            if type(number) is not int or not isinstance(text, str):
                raise TypeError("document is no number, or passage no text")
            for annotation in _annotations(task):
                if annotation.get("was_cancelled"):
                    continue
                yield _chains(number, text, annotation, line)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise _make_error(error, path, line) from None


def _chains(number: int, text: str, annotation: Mapping[str, Any], line: int) -> ReadChains:
    mentions: dict[str, ToolMention] = {}
    links: list[tuple[str, str]] = []
    for result in annotation["result"]:
        if result["type"] == "relation":
            links.append((result["from_id"], result["to_id"]))
        elif result["type"] == "labels":
            value, name = result["value"], result["id"]
            start, end = value["start"], value["end"]
            if type(start) is not int or type(end) is not int or not isinstance(name, str):
                raise TypeError("a region's start, end or id is none")
            own = value.get("text", text[start:end]).replace("\\n", "\n")
            if own.split() != text[start:end].replace("\\n", "\n").split():
                raise ValueError(
                    f"the region {name[:40]} at {start} is {text[start:end][:40]!r}, and says"
                    f" {own[:40]!r}: versions before 1.5 count emoji twice"
                )
            said = " ".join(result.get("meta", {}).get("text", ()))
            mentions[name] = ToolMention(((start, end),), said, line)
        else:
            raise ValueError(f"a result of the kind {str(result['type'])[:40]}")
    for ends in links:
        for end in ends:
            if end not in mentions:
                raise ValueError(f"a relation to {str(end)[:40]!r}, which is no region")
    return ReadChains(number, _rater(annotation), text, join_links(mentions, links))
