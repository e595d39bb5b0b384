"""Projects of annotation tools: what joins spans, where they stand, and what is left out."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from corefmill.corpora import convert
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.terminal import warn_once
from corefmill.corpora.formats import registry
from corefmill.corpora.records import Document

TEXT = "Ann met Eve. She left the house."
ANN, SHE, HOUSE = (0, 3), (13, 16), (22, 31)
CHAIN = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"

STUDIO, DOCCANO, BRAT, TSV = "label-studio", "doccano", "brat", "webanno-tsv"

Span = tuple[int, int]


def task(
    spans: Mapping[str, Span], links: Sequence[Any] = (), text: str = TEXT, **more: Any
) -> str:
    """A task of Label Studio; links are (from, to, labels), or (region, control, value)."""
    result: list[dict[str, Any]] = [
        {
            "id": name,
            "type": "labels",
            "from_name": "mark",
            "to_name": "text",
            "value": {"start": start, "end": end, "text": text[start:end], "labels": ["PER"]},
        }
        for name, (start, end) in spans.items()
    ]
    for one, other, labels in links:
        if other in spans:
            relation = {"type": "relation", "from_id": one, "to_id": other, "direction": "right"}
            result.append({**relation, "labels": labels})
        else:
            value = {"start": spans[one][0], "end": spans[one][1], "text": labels}
            result.append({"id": one, "type": "textarea", "from_name": other, "value": value})
    annotation = {"id": 1, "completed_by": 1, "was_cancelled": False, "result": result}
    return json.dumps([{"id": 7, "data": {"text": text}, "annotations": [annotation], **more}])


def example(spans: Mapping[int, Span], *links: tuple[int, int, str], **more: Any) -> str:
    """A line of doccano."""
    made = {
        "id": 7,
        "text": TEXT,
        "entities": [
            {"id": name, "label": "PER", "start_offset": start, "end_offset": end}
            for name, (start, end) in spans.items()
        ],
        "relations": [
            {"id": number, "from_id": one, "to_id": other, "type": kind}
            for number, (one, other, kind) in enumerate(links)
        ],
    }
    return json.dumps({**made, **more}, ensure_ascii=False) + "\n"


def labels(key: str, *found: tuple[int, int, str], text: str = "text") -> str:
    """A line of doccano in its older form."""
    return json.dumps({text: TEXT, key: found})


SPANS = "T1\tPER 0 3\tAnn\nT2\tPER 13 16\tShe\nT3\tFAC 22 31\tthe house\n"


def tsv(header: str, *cells: str, version: str = "3.3") -> str:
    """A WebAnno file of the two sentences, with the cells of each of the nine tokens."""
    rows = []
    tokens = ["Ann", "met", "Eve", ".", "She", "left", "the", "house", "."]
    sentences, at = ((0, 4), (4, 9)), 0
    for number, (first, last) in enumerate(sentences, 1):
        begins = TEXT.index(tokens[first], at)
        ends = begins
        lines = []
        for place in range(first, last):
            start = TEXT.index(tokens[place], at)
            at = ends = start + len(tokens[place])
            row = f"{number}-{place - first + 1}\t{start}-{at}\t{tokens[place]}"
            lines.append(f"{row}\t{cells[place]}\t\n")
        rows.append(f"\n#Text={TEXT[begins:ends]}\n{''.join(lines)}")
    return f"#FORMAT=WebAnno TSV {version}\n{header}\n\n{''.join(rows)}"


def chains(*cells: str) -> str:
    return tsv(f"#T_CH={CHAIN}|referenceRelation|referenceType", *cells)


NONE = "_\t_"
CHAINS = chains(
    "*->1-1\tPER[1]", *[NONE] * 3, "*->1-2\t*[1]", NONE, "*->2-1\t*[2]", "*->2-1\t*[2]", NONE
)

OLD_TASK = task({"x": ANN, "y": SHE, "z": HOUSE}, [("y", "x", ["coref"])]).replace(
    '"annotations"', '"completions"'
)
FILES = {
    "label-studio": ("a.json", task({"x": ANN, "y": SHE}, [("y", "x", ["coref"])])),
    "doccano": ("a.jsonl", example({1: ANN, 2: SHE}, (2, 1, "coref"))),
    "brat": ("a.ann", SPANS + "R1\tCoref Arg1:T2 Arg2:T1\t\n"),
    "webanno-tsv": ("a.tsv", CHAINS),
}


def write(folder: Path, form: str, content: str, text: str = TEXT) -> Path:
    path = folder / FILES[form][0]
    path.write_bytes(content.encode())
    if form == "brat":
        path.with_suffix(".txt").write_bytes(text.encode())
    return path


def read(path: Path, form: str, layer: str | None = None) -> list[Document]:
    assert registry.detect_format(path).name == form
    warn_once.cache_clear()
    reader = registry.FORMATS[form]
    if layer:
        reader = reader.with_layer(layer)
    return [document for _, document in reader.read(path, "en")]


def clusters(document: Document) -> list[list[str]]:
    """The words of each mention, joined with blanks, and pieces with a slash."""
    return [
        [
            " / ".join(
                " ".join(token.form for token in document.sentences[one.sentence].tokens[start:end])
                for start, end in one.parts or ((one.start, one.end),)
            )
            for one in cluster
        ]
        for cluster in document.clusters
    ]


# Both are of one text: Ann and She are one person, the house is a cluster of its own.
THREE = {"x": ANN, "y": SHE, "z": HOUSE}
NUMBERED = {1: ANN, 2: SHE, 3: HOUSE}
FOUND = [["Ann", "She"], ["the house"]]
PAIR = FOUND[:1]
SPAN = "#T_SP=webanno.custom.Mention|kind"
RELATION = f"{SPAN}\n#T_RL=webanno.custom.Relation|type|BT_webanno.custom.Mention"


@pytest.mark.parametrize(
    ("form", "content", "layer", "found"),
    [
        # Label Studio: relations with and without labels, of other names; notes and choices.
        (STUDIO, task(THREE, [("y", "x", ["coref"])]), None, FOUND),
        (STUDIO, task(THREE, [("x", "y", [])]), None, FOUND),
        (STUDIO, task(THREE, [("x", "y", None)]), None, FOUND),
        (STUDIO, task(THREE, [("x", "y", ["refers to"])]), None, FOUND),
        (STUDIO, task(THREE, [("x", "y", ["Koreferenz"]), ("y", "z", ["in"])]), None,
         FOUND),
        (STUDIO, task(THREE, [("x", "y", ["a"]), ("y", "z", ["b"])]), "a", FOUND),
        (STUDIO, task(THREE, [("x", "y", ["a"]), ("y", "z", ["b"])]), "a,b",
         [["Ann", "She", "the house"]]),
        (STUDIO, task(THREE, [("x", "note", ["7"]), ("y", "note", ["7"])]), None, FOUND),
        (STUDIO, task(THREE, [("x", "cluster", ["A"]), ("y", "cluster", ["A"])]), None, FOUND),
        (STUDIO, task(THREE), None, [["Ann"], ["She"], ["the house"]]),
        (STUDIO, task(THREE), "label", [["Ann", "She", "the house"]]),
        (STUDIO, OLD_TASK, None, FOUND),
        # doccano: its older forms too.
        (DOCCANO, example(NUMBERED, (2, 1, "coref")), None, FOUND),
        (DOCCANO, example(NUMBERED, (2, 1, "same person"), (3, 1, "of")), None, FOUND),
        (DOCCANO, example(NUMBERED, (2, 1, "x"), (3, 1, "y")), "x", FOUND),
        (DOCCANO, f"[{example(NUMBERED, (2, 1, 'x'))}]", None, FOUND),
        (DOCCANO, labels("labels", (*ANN, "E1"), (*SHE, "E1"), (*HOUSE, "E2")), None, FOUND),
        (DOCCANO, labels("label", (*ANN, "A"), (*SHE, "A"), text="data"), "label", PAIR),
        (DOCCANO, labels("labels", (*ANN, "PER"), (*SHE, "PER")), None, [["Ann"], ["She"]]),
        (DOCCANO, json.dumps({"text": TEXT, "annotations": [
            {"label": 4, "start_offset": 0, "end_offset": 3, "user": 1},
            {"label": 4, "start_offset": 13, "end_offset": 16, "user": 1}]}), None, PAIR),
        # brat: relations, equivalences, events, attributes, notes, references, pieces.
        (BRAT, SPANS + "R1\tCoref Arg1:T2 Arg2:T1\n", None, FOUND),
        (BRAT, SPANS + "R1\tAnaphora Anaphor:T2 Antecedent:T1\t\n", None, FOUND),
        (BRAT, SPANS + "*\tEquiv T1 T2\n", None, FOUND),
        (BRAT, SPANS + "R1\tLives Arg1:T1 Arg2:T3\n*\tCoref T1 T2\n", None, FOUND),
        (BRAT, SPANS + "R1\tLives Arg1:T1 Arg2:T3\nR2\tIs Arg1:T1 Arg2:T2\n", "Is", FOUND),
        (BRAT, SPANS + "A1\tChain T1 4\nA2\tChain T2 4\nA3\tGeneric T3\n", None, FOUND),
        (BRAT, SPANS + "#1\tAnnotatorNotes T1\te 1\n#2\tAnnotatorNotes T2\te 1\n", None, FOUND),
        (BRAT, SPANS + "N1\tRefer T1 W:1\tAnn\nN2\tRefer T2 W:1\tAnn\n", "Refer", FOUND),
        (BRAT, SPANS + "T4\tE 17 21\tleft\nT5\tE 4 7\tmet\nE1\tE:T4 Who:T2\nE2\tE:T5\n"
         "R1\tcoref A:E1 B:E2\n", None, [["Ann"], ["met", "left"], ["She"], ["the house"]]),
        (BRAT, "T1\tPER 0 3;8 11\tAnn Eve\nT2\tPER 13 16\tShe\n*\tcoref T1 T2\n", None,
         [["Ann / Eve", "She"]]),
        (BRAT, "T1\tPER 0 3;4 7\tAnn met\nT2\tPER 13 16\tShe\n*\tcoref T1 T2\n", None,
         [["Ann met", "She"]]),
        # WebAnno: the built-in chains, one of the user's, relations, features.
        (TSV, CHAINS, None, FOUND),
        (TSV, CHAINS.replace(CHAIN, "webanno.custom.PersonLink"), None, FOUND),
        (TSV, CHAINS.replace("TSV 3.3", "TSV 3.1"), None, FOUND),
        (TSV, tsv(RELATION, "PER\t_\t_", *["_\t_\t_"] * 3, "*\tx\t1-1", "_\t_\t_",
         "FAC[1]\t_\t_", "FAC[1]\t_\t_", "_\t_\t_"), None, FOUND),
        (TSV, tsv(RELATION, "PER[3]|X[4]\t_\t_", *["_\t_\t_"] * 3,
         "*\tcoref|part of\t1-1[3_0]|2-3[1_0]",
         "_\t_\t_", "FAC[1]\t_\t_", "FAC[1]\t_\t_", "_\t_\t_"), None, FOUND),
        (TSV, tsv(RELATION.replace("BT_webanno.custom.Mention", "BT_Token"), "_\t_\t_",
         *["_\t_\t_"] * 3, "_\t*\t1-1", *["_\t_\t_"] * 4), None, PAIR),
        (TSV, tsv(f"#T_CH={CHAIN}|referenceRelation|referenceType\n{RELATION}", "_\t_\tPER\t_\t_",
         *["_\t_\t_\t_\t_"] * 3, "_\t_\t*\tx\t1-1", *["_\t_\t_\t_\t_"] * 4), None, PAIR),
        (TSV, tsv(f"#T_CH={CHAIN}|referenceRelation|referenceType", *[NONE] * 9), None, []),
        (TSV, tsv(SPAN.replace("kind", "cluster"), "ann", *["_"] * 3, "ann", "_",
         "b[1]", "b[1]", "_"), None, FOUND),
        (TSV, tsv(SPAN, "ann", *["_"] * 3, "ann", "_", "b[1]", "b[1]", "_"),
         "webanno.custom.Mention/kind", FOUND),
    ],
)  # fmt: skip
def test_spans_are_joined(
    form: str, content: str, layer: str | None, found: list[list[str]], tmp_path: Path
) -> None:
    (document,) = read(write(tmp_path, form, content), form, layer)
    assert clusters(document) == found
    # Offsets lead to the mentions in the text as it was given.
    assert document.text is not None and " ".join(document.text.split()) == TEXT
    for cluster, names in zip(document.clusters, found, strict=True):
        for mention, name in zip(cluster, names, strict=True):
            start, end = document.locate(mention)
            assert document.text[start:end].split()[0] == name.split()[0]


@pytest.mark.parametrize(
    ("form", "content", "said"),
    [
        (BRAT, SPANS + "R1\tCoref Arg1:T2 Arg2:T1\nR2\tIn Arg1:T1 Arg2:T3\n",
         "spans joined by Coref (guessed; convert's --layer names another); left out, links of In:"
         " 1; spans without a link, clusters of one: 1"),
        (BRAT, SPANS + "*\tC T1 T2 T9\n",
         "left out, link to a span that is not there: 1 (T1 T2)"),
        (BRAT, SPANS + "T4\tPER 0 3\tAnn\nT5\tPER 3 4\t \nT6\tPER 4 7\tMet\n*\tcoref T1 T2 T4\n",
         "left out, span with other words than the text: 1 (T6); left out, span without a word: 1"
         " (T5); spans without a link, clusters of one: 1; left out, span marked twice: 1 (T4)"),
        (BRAT, "T1\tS 8 16\tEve. She\nT2\tP 0 3\tAnn\n*\tc T1 T2\n",
         "sentences joined, since a mention reaches into the next: 1"),
        (DOCCANO, labels("labels", (*ANN, "PER"), (*SHE, "PER")),
         "no link joins the spans (--layer of convert may be label)"),
        (DOCCANO, example({1: ANN, 2: (30, 99)}, (1, 2, "coref")),
         "left out, span outside the text: 1"),
        (STUDIO, task(THREE, [("y", "x", ["coref"])], predictions=[]).replace(
            '"annotations": [', '"annotations": [{"was_cancelled": true, "result": []}, '
            '{"result": [], "ground_truth": false}, ').replace(
            '"id": 1, "completed_by"', '"ground_truth": true, "completed_by"'),
         "left out, further annotations of a task: 1"),
        (STUDIO, task(THREE)[:-1] + ', {"data": {"text": "x"}, "annotations": []}]',
         "left out, task without an annotation: 1"),
        (STUDIO, task(THREE).replace('{"start": 0', '{"globalOffsets": 1, "start": 0'),
         "left out, spans of HTML: 1"),
        (TSV, CHAINS.replace("1-3\t", "1-2.1\t4-5\tm\t*->9-1\t*[9]\t\n1-3\t").replace("met", "m-t"),
         "mentions widened to whole words: 1"),
    ],
)  # fmt: skip
def test_what_is_guessed_changed_or_left_out_is_said(
    form: str, content: str, said: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = write(tmp_path, form, content)
    assert read(path, form)
    (line,) = caplog.messages
    assert line.startswith(f"{path}: ") and said in line


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("𝒜nn met her.", "T1\tP 0 3\t𝒜nn\nT2\tP 8 11\ther\n"),
        ("𝒜nn met her.", "T1\tP 0 4\t𝒜nn\nT2\tP 9 12\ther\n"),  # UTF-16
        ("Ann.\r\n\r\nI met her.", "T1\tP 0 3\tAnn\nT2\tP 14 17\ther\n"),
        ("Ann.\r\n\r\nI met her.", "T1\tP 0 3\tAnn\nT2\tP 12 15\ther\n"),  # without CR
        ("\ufeffAnn met her.", "T1\tP 1 4\tAnn\nT2\tP 9 12\ther\n"),  # with the mark
        ("Ann\rmet her.", "T1\tP 0 3\tAnn\nT2\tP 8 11\ther\n"),
        ("Ann \u2028met her.", "T1\tP 0 4\tAnn \nT2\tP 9 12\ther\n"),
    ],
)
def test_offsets_count_what_the_words_say(text: str, content: str, tmp_path: Path) -> None:
    path = write(tmp_path, "brat", f"{content}*\tcoref T1 T2\n", text)
    (document,) = read(path, "brat")
    assert clusters(document) == [[text.strip("\ufeff")[:3], "her"]]


@pytest.mark.parametrize(
    ("form", "content", "message"),
    [
        (BRAT, SPANS + "R1\ta X:T1 Y:T2\nR2\tb X:T1 Y:T3\n", "several layers could join .*: a, b"),
        (BRAT, SPANS + "R1\tcoref X:T1 Y:T2\nR2\tanaphor X:T1 Y:T3\n", "coref, anaphor .*--layer"),
        (BRAT, SPANS + "T4 PER 0\n", r"a\.ann:4: no span of brat"),
        (BRAT, SPANS + "X1\tPER T1 T2\n", r"a\.ann:4: no line of brat"),
        (BRAT, "T1\tPER 0 3\tBob\n", "T1 has the words 'Bob', but the text there has 'Ann'"),
        (DOCCANO, example({1: ANN}, relations=[{"from_id": 1}]), r"a\.jsonl:1: .*: 'to_id'"),
        (DOCCANO, example({1: ANN}, text=5, data="x"), "`text` is not a string"),
        (DOCCANO, example({1: ("0", 3)}), "an offset is no whole number"),  # type: ignore[dict-item]
        (STUDIO, task(THREE).replace('"data": {"text"', '"data": {}, "x": {"t"'), "no text"),
        (TSV, CHAINS.replace("*->1-2", "*->3-2"), r"a\.tsv:12: the link .* different chains"),
        (TSV, tsv(RELATION, *["_\tx\tnobody"] * 9), "a relation ROW"),
        (TSV, tsv(RELATION, *["_"] * 9), "the row has only"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_names_its_line(
    form: str, content: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=message):
        read(write(tmp_path, form, content), form)


def test_a_layer_that_is_not_there_or_not_to_choose(tmp_path: Path) -> None:
    path = write(tmp_path, *(BRAT, SPANS + "R1\tCoref Arg1:T2 Arg2:T1\n"))
    with pytest.raises(DataError, match="no layer 'x' here; the layers are: Coref, label"):
        read(path, "brat", "x")
    with pytest.raises(UsageError, match="--layer does not apply to the format conll2012"):
        registry.FORMATS["conll2012"].with_layer("x")
    path.with_suffix(".txt").unlink()
    with pytest.raises(DataError, match=r"there is no text a\.txt beside"):
        read(path, "brat")


def test_a_folder_is_one_corpus(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    write(folder, "brat", SPANS + "R1\tCoref Arg1:T2 Arg2:T1\n")
    # The second has no coreference, and the first's layer is meant all the same.
    for name, content in {"b": SPANS + "R1\tIn Arg1:T1 Arg2:T3\n", "c": ""}.items():
        (folder / f"{name}.ann").write_text(content)
        (folder / f"{name}.txt").write_text(TEXT)
    warn_once.cache_clear()
    plan = convert.plan(folder, tmp_path / "o.jsonl")
    assert not plan.left_out
    assert convert.run(plan).records == 3
    with (tmp_path / "o.jsonl").open() as file:
        made = [json.loads(line) for line in file]
    assert [one["doc_id"] for one in made] == ["a", "b", "c"]
    assert [len(one["clusters"]) for one in made] == [2, 3, 0]
    assert made[0]["meta"] == {"brat": {"labels": [["PER", "PER"], ["FAC"]]}}
    assert [line.partition(":")[0] for line in caplog.messages] == [
        str(folder / f"{n}.ann") for n in "abc"
    ]


def test_numbers_are_clusters_only_where_all_texts_have_them(tmp_path: Path) -> None:
    numbered = labels("labels", (*ANN, "E1"), (*SHE, "E1"))
    path = write(tmp_path, DOCCANO, f"{numbered}\n{labels('labels', (*ANN, 'E1'))}\n")
    assert list(map(clusters, read(path, DOCCANO))) == [PAIR, [["Ann"]]]
    path = write(tmp_path, DOCCANO, f"{numbered}\n{labels('labels', (*ANN, 'PER'))}\n")
    assert list(map(clusters, read(path, DOCCANO))) == [[["Ann"], ["She"]], [["Ann"]]]


@pytest.mark.parametrize(
    ("second", "cluster", "speakers"),
    [
        ((1, 1, 0, 3, "She"), ["Eve", "She"], ["Ann", "Bob"]),
        ((0, 1, 9, 3, ""), ["Eve", "Eve . She"], ["Ann"]),  # the turns become one sentence
    ],
)
def test_a_dialogue_keeps_its_speakers(
    tmp_path: Path, second: tuple[Any, ...], cluster: list[str], speakers: list[str]
) -> None:
    marks = [
        {"id": name, "type": "paragraphlabels", "from_name": "m", "value": {
            "start": str(first), "end": str(last), "startOffset": start, "endOffset": end,
            "text": said, "paragraphlabels": ["PER"]}}
        for name, first, last, start, end, said in (("x", 0, 0, 9, 12, "Eve"), ("y", *second))
    ]  # fmt: skip
    turns = [{"author": "Ann", "text": "I called Eve."}, {"author": "Bob", "text": "She left."}]
    result = [*marks, {"type": "relation", "from_id": "x", "to_id": "y"}]
    content = json.dumps([{"data": {"d": turns}, "annotations": [{"result": result}]}])
    (document,) = read(write(tmp_path, "label-studio", content), "label-studio")
    assert clusters(document) == [cluster]
    assert [one.speaker for one in document.sentences] == speakers


def test_files_of_raters_are_told_apart(tmp_path: Path) -> None:
    for folder in ("novel.txt", "v1.0-beta.2024"):
        (tmp_path / folder).mkdir()
        for name in ("ann", "bob", "INITIAL_CAS"):
            (tmp_path / folder / f"{name}.tsv").write_text(CHAINS)
    found, others = registry.files_below(tmp_path)
    names = [one.doc_id for path, form in found.items() for _, one in form.read(path, "en")]
    assert names == ["novel.txt/ann", "novel.txt/bob", "ann", "bob"]
    assert {path.name for path in others} == {"INITIAL_CAS.tsv"}


def test_nothing_is_said_where_a_layer_is_given(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    content = SPANS + "*\tC T1 T2 T3\n"
    assert clusters(*read(write(tmp_path, "brat", content), "brat", "C")) == [
        ["Ann", "She", "the house"]
    ]
    assert caplog.messages == []
