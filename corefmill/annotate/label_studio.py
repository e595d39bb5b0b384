"""Label Studio: tasks and labelling configuration out, its JSON export in.

1. For each kind of item `KIND.json` has the tasks, `KIND.xml` the labelling configuration and
   `KIND.md` the guidelines.
2. A question is a `Choices` with an alias for each answer and each reason, which answers by itself.
   Candidates come from the task's own `options_QUESTION`, in an order drawn by the item's id;
   remarks from a `TextArea`. An answer is read by its name or its words.
3. Read is the array of JSON that `Export > JSON` gives, of each task its annotations: the rater is
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
from corefmill.annotate.judgements import Judgement, parse_time
from corefmill.annotate.questions import AnnotationItem, Question, QuestionSet
from corefmill.builders.run.stages import make_random
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.ownership import together
from corefmill.corpora.files.writing import replacing, write_whole
from corefmill.corpora.formats import json_records

TEXT = "passage"
_FACTS = "facts"
_REMARK = "remark"


def write_questions(folder: Path, items: Sequence[AnnotationItem], *, overwrite: bool) -> None:
    """Write the tasks, the configuration and the guidelines of each kind of item.

    Raises `UsageError` where the folder holds other files.
    """
    found = [
        (asked, own)
        for kind, asked in questions.load_questions().items()
        if (own := [item for item in items if item.kind == kind])
    ]
    names = [f"{asked.kind}.{end}" for asked, _ in found for end in ("json", "xml", "md")]
    with together(folder, names, overwrite=overwrite):
        for asked, own in found:
            with replacing(folder / f"{asked.kind}.json") as out:
                out.write(b"[")
                for number, item in enumerate(own):
                    out.write(b",\n" if number else b"\n")
                    task = {"data": _make_data(asked, item)}
                    out.write(json.dumps(task, ensure_ascii=False, allow_nan=False).encode())
                out.write(b"\n]\n")
            view = _make_configuration(asked, any(item.facts for item in own))
            write_whole(folder / f"{asked.kind}.xml", view)
            write_whole(folder / f"{asked.kind}.md", asked.guidelines)


def _make_data(asked: QuestionSet, item: AnnotationItem) -> dict[str, Any]:
    """Make the data of a task: id, text and facts of the item, and its candidates as choices."""
    made: dict[str, Any] = {"item": item.id, TEXT: questions.bracket_marks(item)}
    made[_FACTS] = "\n".join(f"{name}: {text}" for name, text in item.facts)
    for question in asked.questions:
        if question.options:
            options = list(item.options)
            make_random(0, "options", item.id).shuffle(options)
            made[f"options_{question.name}"] = [
                *({"value": one} for one in options),
                *(
                    {"value": one.label, "alias": one.name}
                    for one in (*question.answers, *question.reasons)
                ),
            ]
    return made


def _make_configuration(asked: QuestionSet, with_facts: bool) -> bytes:
    """Make the XML of the labelling configuration (rule 2)."""
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
    ElementTree.indent(view)
    return bytes(ElementTree.tostring(view, "utf-8")) + b"\n"


def read_questions(path: Path, items: Mapping[str, AnnotationItem]) -> Iterator[Judgement]:
    """Read the judgements of an export; `items` are those of the corpus by their ids.

    Raises `DataError` with the line of a task that is malformed, or about another corpus.
    """
    for line, task in json_records.read_array(path):
        try:
            name = task["data"]["item"]
            if not isinstance(name, str) or name not in items:
                raise DataError(
                    f"the corpus has no item {str(name)[:60]!r}",
                    path=path,
                    line=line,
                    remedy="name the corpus that the tasks were exported from",
                )
            annotations = task.get("annotations", [])
            if not isinstance(annotations, list):
                raise TypeError("the value of `annotations` is not a list")
            for annotation in annotations:
                yield from _read_annotation(items[name], annotation)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            # Our own messages say enough; of others the type is half of what they say.
            said = str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"
            raise DataError(
                f"the task is not of the form that Label Studio exports: {said[:200]}",
                path=path,
                line=line,
                remedy="export the project by Export > JSON",
            ) from None


def _read_annotation(item: AnnotationItem, annotation: Mapping[str, Any]) -> Iterator[Judgement]:
    """Read the judgements of one rater about an item (rule 3)."""
    # Label Studio gives the rater as a number or as an object, by its version.
    by = annotation["completed_by"]
    if isinstance(by, dict):
        by = by.get("email") or by.get("id")
    if not isinstance(by, str | int) or isinstance(by, bool):
        raise TypeError("`completed_by` names no rater")
    when = annotation.get("updated_at") or annotation.get("created_at") or ""
    choices: dict[str, str] = {}
    remark = ""
    for result in annotation["result"]:
        name, value = result["from_name"], result["value"]
        if result["type"] == "choices":
            (choices[name],) = value["choices"]
        elif result["type"] == "textarea" and name == _REMARK:
            remark = "\n".join(value["text"])
        else:
            raise ValueError(f"a result has the unknown type {str(result['type'])[:40]}")
    asked = {one.name: one for one in questions.load_questions()[item.kind].questions}
    if annotation.get("was_cancelled"):
        choices = dict.fromkeys(asked, questions.SKIPPED)
    seconds = annotation.get("lead_time")
    for place, (question, given) in enumerate(choices.items()):
        if question not in asked:
            raise ValueError(
                f"no question {question[:40]!r}; of {item.kind} there are {', '.join(asked)}"
            )
        answer, reason = _parse_choice(asked[question], item, given)
        yield Judgement(
            item=item.id,
            rater=str(by),
            person=True,
            question=question,
            answer=answer,
            reason=reason,
            remark=remark,
            when=parse_time(when).strftime("%Y-%m-%dT%H:%M:%SZ") if when else "",
            # One time is given for all questions of the task: the first has it.
            seconds=None if place or seconds is None else float(seconds),
        )


def _parse_choice(question: Question, item: AnnotationItem, said: str) -> tuple[str, str]:
    """Parse a rater's choice into answer and reason; raise `ValueError` for an unknown one."""
    if said == questions.SKIPPED or (question.options and said in item.options):
        return said, ""
    for one in question.answers:
        if said in (one.name, one.label):
            return one.name, ""
    for one in question.reasons:
        if said in (one.name, one.label):
            return question.answers_with, one.name
    raise ValueError(
        f"{said[:40]!r} is not an answer to the question {question.name} about {item.id[:60]!r}"
    )
