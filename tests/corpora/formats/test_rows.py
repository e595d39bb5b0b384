"""Items of the task sets in the forms of the Hub, of Kaggle and of pandas."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import gap
from corefmill.corpora.formats.registry import FORMATS, detect_format
from corefmill.corpora.records import MaskedExample

TEXT = 'Zoë met "Ada" Lee, then Bo. She won.'
GAP: dict[str, Any] = {
    "ID": "t-1",
    "Text": TEXT,
    "Pronoun": "She",
    "Pronoun-offset": 28,
    "A": "Zoë",
    "A-offset": 0,
    "A-coref": False,
    "B": "Lee",
    "B-offset": 14,
    "B-coref": True,
    "URL": "http://en.wikipedia.org/wiki/Bo",
}
GRANDE = {"sentence": "The cup hit Bo, so _ was hurt.", "option1": "cup", "option2": "Bo"}
WSC: dict[str, Any] = {
    "text": "The city council refused the men a permit because they feared it.",
    "pronoun": "they",
    "pronoun_loc": 50,
    "quote": "they feared it",
    "quote_loc": 50,
    "options": ["The city council", "The men"],
    "label": 0,
    "source": "(Winograd 1972)",
}
SPANS = {"span1_text": "Mark", "span1_index": 0, "span2_text": "He", "span2_index": 5}
SUPERGLUE: dict[str, Any] = {"text": 'Mark told Pete many lies. "He wept.', "idx": 4, "label": 1}
BIAS: dict[str, Any] = {
    "document_id": "wino/1",
    "part_number": "0",
    "word_number": [1, 2, 3, 4, 5, 6, 7, 8],
    "tokens": ["The", "cook", "told", "the", "baker", "that", "she", "burnt"],
    "coreference_clusters": ["4", "5", "7", "7"],
}
FLAT = SUPERGLUE | SPANS
DPR = {"sentence": "Bo hit Al as he ran.", "pronoun": "he", "candidates": ["Bo", "Al"], "label": 1}
CLUE = {  # counts characters
    "text": "王打开门,它坏了",
    "target": {"span1_text": "门", "span1_index": 3, "span2_text": "它", "span2_index": 5},
    "label": "true",
}

ITEMS: dict[str, dict[str, Any]] = {
    "wsc": WSC,
    "superglue-wsc": {**SUPERGLUE, "target": SPANS},
    "winobias-rows": BIAS,
}
"""An object a line for the tests of every format."""


def table(
    row: dict[str, Any], sign: str = "\t", quoting: Any = csv.QUOTE_MINIMAL, end: str = "\n"
) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=sign, quoting=quoting, lineterminator=end)
    writer.writerows([list(row), list(row.values())])
    return out.getvalue()


def plain(row: dict[str, Any]) -> str:
    return "".join("\t".join(map(str, one)) + "\n" for one in (row, row.values()))


def changed(**change: Any) -> dict[str, Any]:
    return {**GAP, **change}


INDEXED = {"": 0, **GAP}
LOWER = {key.replace("-", "_").lower(): value for key, value in GAP.items()}
STRINGS = {key: str(value) for key, value in GAP.items()}
KAGGLE = {key: value for key, value in GAP.items() if not key.endswith("coref")}
FLOATS = {**GAP, "Pronoun-offset": 28.0, "A-offset": "0.0", "B-offset": 14.0}
COLUMNS = {key: {"0": value} for key, value in GAP.items()}


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(GAP) + "\n",
        json.dumps([GAP]),
        json.dumps([GAP], indent=2),
        json.dumps(COLUMNS),  # DataFrame.to_json
        json.dumps({key: [value] for key, value in GAP.items()}),  # Dataset.to_dict
        json.dumps(LOWER),
        json.dumps(STRINGS),
        json.dumps(FLOATS),
        json.dumps(changed(**{"A-coref": 0, "B-coref": 1})),
        json.dumps(changed(**{"A-coref": "0", "B-coref": "1.0"})),
        json.dumps(changed(**{"A-coref": "false", "B-coref": "true"})),
        json.dumps(dict(reversed(GAP.items()))),
        json.dumps(changed(__index_level_0__=3)),
        plain(GAP),
        table(GAP),
        table(INDEXED),
        table({"Unnamed: 0": 7, **GAP}, ","),
        table(INDEXED, ",", end="\r\n"),
        table(GAP, ";"),
        table(GAP, "\t", csv.QUOTE_ALL),
        table(LOWER, ",", csv.QUOTE_NONNUMERIC),
        table(dict(reversed(GAP.items())), ","),
        "\ufeff" + table(GAP, ","),
    ],
)
def test_gap_from_anywhere(tmp_path: Path, content: str) -> None:
    path = tmp_path / "any.thing"
    path.write_text(content, "utf-8")
    assert detect_format(path) is gap.FORMAT
    ((_, example),) = gap.FORMAT.read(path, "en")
    assert (example.id, example.text, example.label) == ("t-1", TEXT, 1)
    assert (example.target, example.candidates) == ((28, 31), ("Zoë", "Lee"))
    assert (example.source.title, example.meta) == ("Bo", {})
    gap.write(path, [example])
    released = {
        key: str(value) if value not in (True, False) else str(value).upper()
        for key, value in GAP.items()
    }
    assert path.read_text("utf-8") == plain(released | {"A-offset": "0"})


def test_what_gap_may_lack_and_have(tmp_path: Path) -> None:
    path = tmp_path / "test_stage_1.tsv"
    path.write_text(plain(KAGGLE), "utf-8")
    assert detect_format(path) is gap.FORMAT
    ((_, example),) = gap.FORMAT.read(path, "en")
    assert (example.id, example.label) == ("t-1", None)
    row = {key: value for key, value in KAGGLE.items() if key not in ("ID", "URL")}
    path.write_text(json.dumps([row | {"votes": [1, 2]}] * 2))
    examples = [example for _, example in gap.FORMAT.read(path, "en")]
    assert [example.id for example in examples] == ["test_stage_1-1", "test_stage_1-2"]
    assert examples[0].meta == {"other": {"votes": [1, 2]}}


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (table(INDEXED, ",") + '1,"open', 3, "not a row of a table"),
        (table(GAP, ",") + "1,2\n", 3, "2 columns where the header has 11"),
        (json.dumps(GAP) + "\n{}\n", 2, "no Text, Pronoun, Pronoun-offset, A,"),
        (json.dumps(GAP) + "\n[]\n", 2, "not an object"),
        (json.dumps(changed(Text=7)), 1, "Text is '7', not a string"),
        (json.dumps(changed(**{"A-offset": True})), 1, "A-offset is 'True', not a number"),
        (json.dumps(changed(**{"A-offset": 0.5})), 1, "A-offset is '0.5', not a number"),
        (json.dumps(changed(**{"A-coref": 2})), 1, "A-coref is '2', neither 1 nor 0"),
    ],
)
def test_what_is_no_row_is_named(tmp_path: Path, content: str, line: int, message: str) -> None:
    path = tmp_path / "a"
    path.write_text(content, "utf-8")
    with pytest.raises(DataError, match=message) as caught:
        list(gap.FORMAT.read(path, "en"))
    assert (caught.value.path, caught.value.line) == (str(path), line)


def test_other_sets_with_two_sentences_are_no_wnli(tmp_path: Path) -> None:
    path, row = tmp_path / "a", {"sentence1": "It fell.", "sentence2": "The cup fell.", "idx": 3}
    path.write_text(json.dumps(row | {"label": 1}))
    ((_, example),) = FORMATS["wnli"].read(path, "en")
    assert (example.id, example.candidates, example.label) == ("3", ("The cup", "It"), 0)
    path.write_text(table(row | {"label": 1, "candidate0": "cup"}))
    with pytest.raises(DataError, match="WNLI has no column 'candidate0'"):
        list(FORMATS["wnli"].read(path, "en"))


def test_a_cell_goes_on_over_lines_between_quotes(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    row = changed(Text=TEXT.replace(", ", ",\n"))
    path.write_text(table(row, ",") + table(GAP, ",").partition("\n")[2], "utf-8")
    found = list(gap.FORMAT.read(path, "en"))
    assert [line for line, _ in found] == [2, 4]
    assert found[0][1].text == row["Text"]


def from_hub(value: dict[str, Any], **change: Any) -> str:
    return json.dumps({key: one for key, one in {**value, **change}.items() if one != "-"})


@pytest.mark.parametrize(
    ("name", "content", "masked", "candidates", "label"),
    [
        ("winogrande-jsonl", from_hub(GRANDE, answer="2"), "hit Bo, so [MASK] was", "cup|Bo", 1),
        ("winogrande-jsonl", from_hub(GRANDE, answer=1), "hit Bo, so [MASK] was", "cup|Bo", 0),
        ("winogrande-jsonl", from_hub(GRANDE, answer=""), "hit Bo, so [MASK] was", "cup|Bo", None),
        ("winogrande-jsonl", from_hub(GRANDE), "hit Bo, so [MASK] was", "cup|Bo", None),
        ("winogrande-jsonl", f"[{from_hub(GRANDE, answer=None)}]", "so [MASK] was", "cup|Bo", None),
        ("winogrande-jsonl", table({"": 0, **GRANDE, "answer": 2}, ","), "[MASK] was", "cup|Bo", 1),
        ("winogrande-jsonl", table({**GRANDE, "answer": "2.0"}), "[MASK] was", "cup|Bo", 1),
        (
            "winogrande",
            table({"index": 1, "sentence1": "A met B so A", "sentence2": " ran."}, ",").replace(
                "sentence2\n", "sentence2,label,candidate0,candidate1\n"
            ).replace(" ran.\n", " ran.,1,A,B\n1,A met B so B, ran.,0,A,B\n"),
            *("A met B so [MASK] ran.", "A|B", 0),
        ),
        ("wsc", from_hub(WSC), "because [MASK] feared", "The city council|The men", 0),
        ("wsc", from_hub(WSC, label="1"), "because [MASK] feared", "The city council|The men", 1),
        ("wsc", from_hub(WSC, label=-1), "because [MASK] feared", "The city council|The men", None),
        ("wsc", from_hub(WSC, pronoun_loc="-"), "[MASK] feared", "The city council|The men", 0),
        ("wsc", table({**WSC, "options": "['A' \"B's\"]"}, ","), "[MASK] feared", "A|B's", 0),
        ("wsc", table({**WSC, "options": "['A', 'B']"}), "[MASK] feared", "A|B", 0),
        ("wsc", from_hub(DPR), "Bo hit Al as [MASK] ran.", "Bo|Al", 1),
        ("superglue-wsc", from_hub(SUPERGLUE, target=SPANS), '"[MASK] wept.', "Mark|He", 0),
        ("superglue-wsc", from_hub(FLAT, label=0), '"[MASK] wept.', "Mark|He", 1),
        ("superglue-wsc", from_hub(FLAT, label=-1), "[MASK] w", "Mark|He", None),
        ("superglue-wsc", table(FLAT | {"label": "False"}, ","), "[MASK] wept", "Mark|He", 1),
        ("superglue-wsc", table(FLAT | {"label": True}), "[MASK] wept", "Mark|He", 0),
        ("superglue-wsc", from_hub(CLUE), "王打开门,[MASK]坏了", "门|它", 0),
        ("winobias-rows", from_hub(BIAS), "that [MASK] burnt", "The cook|the baker", 1),
        (
            "winobias-rows",
            from_hub(BIAS, word_number="-", coreference_clusters=["0", "1", "6", "6"]),
            *("that [MASK] burnt", "The cook|the baker", 0),
        ),
        ("winobias-rows", table(BIAS, ","), "that [MASK] burnt", "The cook|the baker", 1),
    ],
)  # fmt: skip
def test_rows_of_the_hub(
    tmp_path: Path, name: str, content: str, masked: str, candidates: str, label: int | None
) -> None:
    path = tmp_path / "hub.data"
    path.write_text(content, "utf-8")
    assert detect_format(path).name == name
    ((_, example),) = FORMATS[name].read(path, "en")
    assert isinstance(example, MaskedExample)
    assert masked in example.masked_text
    assert ("|".join(example.candidates), example.label) == (candidates, label)


@pytest.mark.parametrize(
    ("name", "row", "message"),
    [
        ("wsc", {"pronoun_loc": 51}, "pronoun is 'they', but at its offset stands 'hey '"),
        ("wsc", {"label": 2}, "label 2 is not the number of one of the 2 options"),
        ("wsc", {"options": "A or B"}, "options is 'A or B', not a list of strings"),
        (
            "wsc",
            {"pronoun_loc": None, "pronoun": "she"},
            "pronoun 'she' does not stand in the text",
        ),
        (
            "superglue-wsc",
            {"target": SPANS | {"span1_text": "Eve"}},
            "is 'Eve', but word 0 is 'Mark'",
        ),
        ("superglue-wsc", {"target": SPANS | {"span1_index": 1}}, "'Mark', but word 1 is 'told'"),
        ("superglue-wsc", {"target": SPANS | {"span2_text": ""}}, "is '', but word 5 is '\"He'"),
        ("winobias-rows", {"coreference_clusters": ["4"]}, "are no pairs of words"),
        ("winobias-rows", {"coreference_clusters": ["4", "99"]}, "are no pairs of words"),
    ],
)
def test_a_row_that_breaks_a_rule_is_named(
    tmp_path: Path, name: str, row: dict[str, Any], message: str
) -> None:
    path = tmp_path / "a"
    path.write_text(json.dumps(ITEMS[name]) + "\n" + json.dumps(ITEMS[name] | row))
    with pytest.raises(DataError, match=message) as caught:
        list(FORMATS[name].read(path, "en"))
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("gap", GAP),
        ("winogrande-jsonl", GRANDE),
        ("fastcoref", {"tokens": ["Ada", "left"], "clusters": [[[0, 0], [1, 1]]]}),
        ("maverick", {"sentences": [["Ada"], ["She"]], "clusters": [[[0, 0], [1, 1]]]}),
        ("superglue-wsc", FLAT),
        *ITEMS.items(),
    ],
)
def test_parquet_is_an_object_a_row(tmp_path: Path, name: str, row: dict[str, Any]) -> None:
    lines, path = tmp_path / "a.jsonl", tmp_path / "a.parquet"
    lines.write_text(json.dumps(row) + "\n" + json.dumps(row) + "\n")
    with duckdb.connect() as connection:
        connection.execute(f"COPY (FROM read_json('{lines}')) TO '{path}' (FORMAT parquet)")
    assert detect_format(path).name == detect_format(lines).name == name
    assert list(FORMATS[name].read(path, "en")) == list(FORMATS[name].read(lines, "en"))
