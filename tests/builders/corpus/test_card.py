"""What programs and people read of a corpus: front matter, croissant.json, readings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from corefmill.builders.corpus import card
from corefmill.builders.corpus.corpus import DEFAULT_FILTERS
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import Document, EventMention, Mention, Sentence, Source, Token
from tests.builders.corpus.finished import example, mill

META: tuple[dict[str, Any], ...] = ({}, {"a": 1}, {"a": [{"b": None}, "c"], "é": {"😀": 0.5}})
"""One key of two types, and keys that others lack."""

MASKED = [example(n, article=n, **meta) for n, meta in enumerate(META)]
EVENTS = [
    EventMention(
        *(f"e{n}", "no", "A fire\u2028in 😀 \x85 town", 2, 6, "7", "The \\ 'fire'", "Fire"),
        *("infobox", Source("S", 1, None), (2, 6) if n else None),
        parts=((2, 4), (5, 6)) if n else (),
        meta=meta,
    )
    for n, meta in enumerate(META)
]
WORDS = Sentence((Token("She", head=2, space_after=False), Token("ran", upos="VERB")), "A. B")
DOCUMENTS = [
    Document("d", 0, "it", (WORDS,), ((Mention(0, 0, 1), Mention(0, 1, 1, zero=True)),), META[2]),
    Document("e", 1, "it", (Sentence((Token("no"),)),), ()),
]
KINDS = {"masked-example/1": MASKED, "event-mention/1": EVENTS, "document/1": DOCUMENTS}


def written(folder: Path, schema: str, **more: Any) -> dict[str, Any]:
    """Writes a corpus whose validation split is empty; returns the front matter of its card."""
    splits: dict[str, list[Any]] = {"train": KINDS[schema], "validation": []}
    for split, records in splits.items():
        jsonl.write(folder / f"{split}.jsonl", records)
    sizes = {split: len(records) for split, records in splits.items()}
    card.write_card(mill(folder, **more), [], [], schema=schema, splits=sizes)
    text = (folder / "README.md").read_text(encoding="utf-8").split("---\n")[1]
    said: dict[str, Any] = yaml.safe_load(text)
    return said


@pytest.mark.parametrize("schema", KINDS)
def test_datasets_gives_every_record_back(tmp_path: Path, schema: str) -> None:
    datasets = pytest.importorskip("datasets", reason="needs the extra datasets")
    written(tmp_path, schema)
    (tmp_path / "train.json").write_text("[1]")  # another form, and what is no record at all
    (tmp_path / "uncontrolled.jsonl").write_text('{"other": 1}\n')
    loaded = datasets.load_dataset(str(tmp_path), cache_dir=str(tmp_path / "cache"))
    assert [*loaded] == ["train"]
    kind = type(KINDS[schema][0])
    assert [jsonl.loads(json.dumps(row), kind) for row in loaded["train"]] == KINDS[schema]


@pytest.mark.parametrize(
    ("schema", "values"),
    [
        ("masked-example/1", {"label": [0, 0, 0], "sentences": [[[0, 12], [13, 24]]] * 3}),
        ("event-mention/1", {"head": [None, [2, 6], [2, 6]], "start": [2, 2, 2]}),
        ("document/1", {"part": [0, 1]}),
    ],
)
def test_croissant_describes_values_and_lists_of_them(
    tmp_path: Path, schema: str, values: dict[str, list[Any]]
) -> None:
    croissant = pytest.importorskip("mlcroissant", reason="needs the extra dev")
    written(tmp_path, schema)
    described = croissant.Dataset(jsonld=tmp_path / "croissant.json")
    assert not described.metadata.issues.errors
    rows = list(described.records("train"))
    for column, expected in values.items():
        assert [row[f"train/{column}"] for row in rows] == expected
    if schema != "document/1":
        titles = [row["train/source"]["train/source/title"].decode() for row in rows]
        assert titles == [record.source.title for record in KINDS[schema]]


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("a: b\n---\nc", "a: b --- c"),
        ('"', '"'),
        ("\x1b]0;x\x07", "]0;x"),
        ("{x}: &y *z # w", "{x}: &y *z # w"),
    ],
)
def test_a_title_of_anybody_stays_a_title(tmp_path: Path, title: str, shown: str) -> None:
    """A corpus that was labelled has the name that its manifest had, whoever wrote that."""
    said = written(tmp_path, "document/1", title=title)
    assert said["pretty_name"] == shown and said["configs"]


def test_a_card_cites_the_method(tmp_path: Path) -> None:
    written(tmp_path, "masked-example/1", name="wikirand-en-labelled")
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "@misc{wikirand-en-labelled," in text and "kocijan-etal-2019-wikicrem" in text
    assert "eirew" not in text


def test_nothing_in_a_title_is_latex_or_ends_the_entry(tmp_path: Path) -> None:
    said = written(tmp_path, "document/1", title="a}\n```b & 5 %, #1_2 $x ~^\\")
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    (line,) = (line for line in text.splitlines() if line.startswith("  title = "))
    grave = r"\textasciigrave{}" * 3
    assert line == (
        r"  title = {a\textbraceright{} " + grave + r"b \& 5 \%, \#1\_2 \$x"
        r" \textasciitilde{}\textasciicircum{}\textbackslash{}},"
    )
    assert said["pretty_name"].startswith("a} ```b & 5 %")


READ = mill(Path("out"), name="wikicrem-en", pipeline="en_mini 0.2.0", filters=DEFAULT_FILTERS)


def test_a_reading_is_told_with_reader_n_settings_date_and_share() -> None:
    (said,) = card._find_readings(READ).items()
    assert said[0] == "Read by a language model"
    assert said[1].startswith(
        "30 of wikicrem-en by en_mini 0.2.0 with the default filters, in novels and pages that no"
        " filter was made on, 2026-11-29: 73 % were good"
    )
