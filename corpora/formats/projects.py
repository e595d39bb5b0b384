r"""Read projects of Label Studio, doccano and brat: texts with marked spans and their links.

What becomes of spans and links is said in annotated.py. A file is read only.

1. **Label Studio**: the array of tasks of Export > JSON, or such tasks a line. Of a task one
   annotation is read: the ground truth, else the first that was not cancelled; others, and tasks
   without an annotation, are counted. Older exports call annotations `completions`. Layers
   are the labels of relations (`relation` for those without), and values given to a region, by the
   name of their control (`from_name`). Dialogues (paragraphs) are read with their speakers; spans
   of HTML are counted. JSON-MIN holds no relations and is refused.
2. **doccano**: JSON Lines or an array, `text` or `data`, with `entities` and `relations`, or the
   older `labels`, `label` or `annotations`: `[start, end, label]`, or objects with `start_offset`
   and `end_offset`. Layers are the types of relations, and `label`.
3. **brat**: NAME.ann beside NAME.txt. Spans are the `T` lines, in pieces too; links are relations
   (`R`), equivalences (`*`), and values: attributes (`A`, `M`), references (`N`), notes (`#`). An
   event (`E`) stands for its trigger. What is guessed is guessed for all .ann files of the folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, naming
from corefmill.corpora.formats import json_records
from corefmill.corpora.formats.annotated import AnnotatedText, make_format

Raw = dict[str, Any]


def _parse_objects(
    parse: Callable[[Raw, str], Iterator[AnnotatedText]], what: str
) -> Callable[[Path], Iterator[AnnotatedText]]:
    """Make a reader of a JSON array, or of JSON Lines, from a reader of one object."""

    def read(path: Path) -> Iterator[AnnotatedText]:
        for line, raw in json_records.read(path):
            name = f"{disk.show_name(path.stem)}-{raw.get('id', line)}"
            try:
                for one in parse(raw, name):
                    one.line = line
                    yield one
            except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
                # Our own messages say enough; of others the type is half of what they say.
                own = type(error) is ValueError
                said = str(error) if own else f"{type(error).__name__}: {error}"
                raise DataError(f"{what}: {said[:200]}", path=path, line=line) from None

    return read


def _check_offset(value: Any) -> int:
    """Return an offset; raise `ValueError` for what is no whole number."""
    if type(value) is not int:
        raise ValueError(f"an offset is no whole number: {str(value)[:40]!r}")
    return value


# Label Studio.


_VALUES = {"textarea": "text"}
"""By the type of a result the key of its value, where it is another."""


def _parse_task(raw: Raw, name: str) -> Iterator[AnnotatedText]:
    """Parse a task of Label Studio, unless it has no annotation."""
    if not isinstance(raw.get("data"), dict):
        raise ValueError("no data: JSON-MIN holds no relations, so export by Export > JSON")
    given = raw.get("annotations", raw.get("completions")) or []
    whole = [one for one in given if not (one.get("was_cancelled") or one.get("skipped"))]
    if not whole:
        note = AnnotatedText(name, "")
        note.counts["left out, task without an annotation"] += 1
        yield note
        return
    chosen = next((one for one in whole if one.get("ground_truth")), whole[0])
    one = AnnotatedText(name, "")
    one.counts["left out, further annotations of a task"] = len(whole) - 1
    results = chosen.get("result") or []
    values: dict[str, dict[str, str]] = {}
    marked: list[tuple[str, Raw]] = []
    for number, result in enumerate(results):
        if result["type"] == "relation":
            for layer in result.get("labels") or ["relation"]:
                one.link(str(layer), (str(result["from_id"]), str(result["to_id"])))
            continue
        value, region = result["value"], str(result.get("id", f"region {number}"))
        if "start" not in value or "end" not in value:
            one.counts[f"left out, {result['type']} of a task"] += 1  # about the text as a whole
            continue
        marked.append((region, value))
        kind = str(result["type"])
        said = value.get(_VALUES.get(kind, kind), [])
        said = ", ".join(map(str, said if isinstance(said, list) else [said]))
        if said and kind.endswith("labels"):
            one.labels[region] = said
        elif said:
            values.setdefault(str(result["from_name"]), {})[region] = said
    _find_text(one, raw["data"], marked)
    for layer, own in values.items():
        one.share(layer, own)
    if one.labels:
        one.share("label", one.labels)
    yield one


def _find_text(one: AnnotatedText, data: Raw, marked: list[tuple[str, Raw]]) -> None:
    """Find the text of a task among its data, and set the text and the spans."""
    bases = [0]
    dialogues = [value for value in data.values() if isinstance(value, list) and value]
    if (
        any("startOffset" in value and "globalOffsets" not in value for _, value in marked)
        and dialogues
    ):
        for turn in dialogues[0]:
            said = str(next(turn[key] for key in ("text", "dialogue", "utterance") if key in turn))
            speaker = next((turn[key] for key in ("author", "speaker", "name") if key in turn), "")
            one.speakers.append((bases[-1], str(speaker)))
            one.text += f"{said}\n\n"
            bases.append(len(one.text))
    else:
        texts = {key: value for key, value in data.items() if isinstance(value, str)}
        quoted = [str(value["text"]) for _, value in marked if isinstance(value.get("text"), str)]

        def count_quoted(key: str) -> tuple[int, bool, int]:
            found = sum(words in texts[key] for words in quoted)
            return found, key == "text", len(texts[key])

        if not texts:
            raise ValueError(f"no text among the data, which has {', '.join(data)[:80]!r}")
        one.text = texts[max(texts, key=count_quoted)]
    for region, value in marked:
        start, end = value["start"], value["end"]
        if "globalOffsets" in value or (isinstance(start, str) and not start.isdigit()):
            one.counts["left out, spans of HTML"] += 1
            one.labels.pop(region, None)
            continue
        if "startOffset" in value:  # of a dialogue, whose start and end are turns
            start = bases[int(start)] + _check_offset(value["startOffset"])
            end = bases[int(end)] + _check_offset(value["endOffset"])
        one.spans[region] = [(_check_offset(start), _check_offset(end))]
        if isinstance(value.get("text"), str) and value["text"]:
            one.quoted[region] = value["text"]


def _suits_label_studio(name: str, head: str) -> bool:
    # The data come last in a task, perhaps beyond the head.
    return (
        head.lstrip("\ufeff \t\r\n")[:1] in ("[", "{")
        and re.search(r'"(annotations|completions)"\s*:\s*\[', head) is not None
        and re.search(r'"(result|completed_by|was_cancelled|lead_time)"\s*:', head) is not None
    )


# doccano.

_SPANS = ("entities", "labels", "label", "annotations", "spans")


def _parse_example(raw: Raw, name: str) -> Iterator[AnnotatedText]:
    """Parse an object of doccano's export."""
    text = raw["text"] if "text" in raw else raw["data"]
    if not isinstance(text, str):
        raise ValueError("`text` is not a string")
    one = AnnotatedText(name, text)
    for key in (key for key in _SPANS if isinstance(raw.get(key), list)):
        for number, item in enumerate(raw[key]):
            if isinstance(item, Mapping):
                start, end = (item.get(f"{at}_offset", item.get(at)) for at in ("start", "end"))
                label, own = item.get("label", ""), str(item.get("id", f"{key} {number}"))
            else:
                (start, end, label), own = item, f"{key} {number}"
            one.spans[own] = [(_check_offset(start), _check_offset(end))]
            one.labels[own] = str(label)
    for relation in raw.get("relations") or ():
        layer = relation.get("type", relation.get("label")) or "relation"
        one.link(str(layer), (str(relation["from_id"]), str(relation["to_id"])))
    one.share("label", one.labels)
    yield one


_TRIPLE = r"\[\s*\[\s*\d+\s*,\s*\d+\s*,\s*\""


def _suits_doccano(name: str, head: str) -> bool:
    if head.lstrip("\ufeff \t\r\n")[:1] not in ("[", "{") or not re.search(
        r'"(text|data)"\s*:\s*"', head
    ):
        return False
    keys = "|".join(_SPANS)
    return (
        re.search(rf'"({keys})"\s*:\s*(\[\s*\{{[^{{}}]*"start_offset"|{_TRIPLE})', head) is not None
        or re.search(r'"entities"\s*:\s*\[[^{]*"relations"\s*:\s*\[', head) is not None
    )


# brat.

_SPAN = re.compile(r"(T\S*)\s+(\S+)\s+(\d+\s+\d+(?:\s*;\s*\d+\s+\d+)*)(?:\t(.*))?")
_LITBANK = re.compile(r"(COREF|COP|APPOS|MENTION)\t", re.MULTILINE)
_BRAT = re.compile(r"(T\d+\t\S+ \d+ \d+|R\d+\t\S+ \S+:\S+ |\*\t\S+ [TE]\d|#\d*\t|E\d+\t\S+:T)")


def _parse_brat(path: Path) -> Iterator[AnnotatedText]:
    """Parse an .ann file, with the text beside it."""
    beside = path.with_suffix(".txt")
    if not beside.is_file():
        raise DataError(f"there is no text {beside.name} beside this file", path=path)
    yield _parse_lines(path, disk.read_text(beside, own_line_ends=True))


def _parse_folder(path: Path) -> Iterator[AnnotatedText]:
    """Parse all .ann files of a folder, of which a guess is made, without their texts."""
    known = []
    for one in disk.list_folder(path.parent):
        if one.suffix == path.suffix:
            status = one.stat()
            known.append((one, status.st_mtime_ns, status.st_size))
    yield from _parse_all(path, tuple(known))


@lru_cache(maxsize=4)
def _parse_all(path: Path, files: tuple[tuple[Path, int, int], ...]) -> list[AnnotatedText]:
    """Parse the files; each is read once, though each file of the folder asks for all."""
    read = (one for one, *_ in files if _suits_brat(one.name, disk.read_head(one, 1 << 16)))
    return [_parse_lines(one, "") for one in read]


def _parse_lines(path: Path, text: str) -> AnnotatedText:
    """Parse the lines of an .ann file."""
    one = AnnotatedText(disk.show_name(path.stem), text)
    triggers: dict[str, str] = {}
    values: dict[str, dict[str, str]] = {}
    links: list[tuple[str, list[str]]] = []
    for number, line in disk.read_lines(path):
        if not line.strip():
            continue
        with naming(path, number):
            kind, _, rest = line.partition("\t")
            words = rest.partition("\t")[0].split()
            if line[0] == "T":
                span = _SPAN.fullmatch(line.rstrip("\r"))
                if span is None:
                    raise ValueError(f"no span of brat, such as T1, tab, PER 0 3: {line[:60]!r}")
                bounds = [tuple(map(int, piece.split())) for piece in span[3].split(";")]
                one.spans[span[1]] = [(start, end) for start, end in bounds]
                one.labels[span[1]] = span[2]
                if span[4]:
                    one.quoted[span[1]] = span[4]
            elif line[0] == "*" and len(words) > 1:
                links.append((words[0], words[1:]))
            elif line[0] == "R" and len(words) > 2:
                links.append((words[0], [word.partition(":")[2] for word in words[1:]]))
            elif line[0] == "E" and words and ":" in words[0]:
                triggers[kind] = words[0].partition(":")[2]
                one.counts["left out, arguments of events"] += len(words) - 1
            elif line[0] in "AMN" and len(words) > 1:
                if len(words) > 2:  # without a value it joins nothing
                    values.setdefault(words[0], {})[words[1]] = words[2]
            elif line[0] == "#":
                if len(words) > 1:
                    values.setdefault(words[0], {})[words[1]] = rest.partition("\t")[2].strip()
            else:
                raise ValueError(f"no line of brat (T, R, *, E, A, M, N or #): {line[:60]!r}")
    for layer, ids in links:
        one.link(layer, [triggers.get(name, name) for name in ids])
    for layer, own in values.items():
        named = {triggers.get(name, name): value for name, value in own.items()}
        one.share(layer, {name: value for name, value in named.items() if name in one.spans})
    one.share("label", one.labels)
    return one


def _suits_brat(name: str, head: str) -> bool:
    return name.endswith(".ann") and (
        not head.strip() or (_BRAT.match(head.lstrip()) is not None and not _LITBANK.search(head))
    )


LABEL_STUDIO = make_format(
    "label-studio",
    "Label Studio's Export > JSON: regions and relations",
    ".label-studio.json",
    _parse_objects(_parse_task, "no task as Label Studio exports it"),
    _suits_label_studio,
)
DOCCANO = make_format(
    "doccano",
    "doccano's JSON Lines: entities and relations, or labels",
    ".doccano.jsonl",
    _parse_objects(_parse_example, "no example as doccano exports it"),
    _suits_doccano,
)
BRAT = make_format(
    "brat",
    "brat's .ann beside its .txt: spans, relations and equivalences",
    ".ann",
    _parse_brat,
    _suits_brat,
    _parse_folder,
)
