"""The JSON forms of documents: wl-coref, s2e, Maverick, fastcoref and OntoCorefIT."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import json_documents, ontocorefit
from corefmill.corpora.formats.form import Format
from corefmill.corpora.formats.registry import detect_format
from corefmill.corpora.records import Document, Mention, Sentence, Token
from tests.corpora.formats.trials import write

# Ada_0 met_1 Bob_2 ._3 | She_4 left_5 : {Ada, She}, {Bob}
WL: dict[str, Any] = {
    "document_id": "nw/mill",
    "cased_words": ["Ada", "met", "Bob", ".", "She", "left"],
    "sent_id": [0, 0, 0, 0, 1, 1],
    "part_id": 3,
    "speaker": ["Kit", "Kit", "Kit", "Kit", "-", "-"],
    "pos": ["NNP", "VBD", "NNP", ".", "PRP", "VBD"],
    "deprel": ["nsubj", "root", "obj", "punct", "nsubj", "root"],
    "head": [1, None, 1, 1, 5, None],
    "clusters": [[[0, 1], [4, 5]], [[2, 3]]],
}
S2E: dict[str, Any] = {
    "doc_key": "nw/mill_3",
    "sentences": [["Ada", "met", "Bob", "."], ["She", "left"]],
    "speakers": [["Kit", "Kit", "Kit", "Kit"], ["-", "-"]],
    "constituents": [[0, 3, "S"]],
    "ner": [],
    "clusters": [[[0, 0], [4, 4]], [[2, 2]]],
}
MAVERICK: dict[str, Any] = {key: S2E[key] for key in ("doc_key", "sentences", "clusters")}
FASTCOREF: dict[str, Any] = {
    "doc_key": "nw/mill_3",
    "tokens": WL["cased_words"],
    "sentence_ends": [4, 6],
    "speakers": S2E["speakers"],
    "clusters": S2E["clusters"],
}


def mention(place: int, label: int) -> dict[str, int]:
    return {"start": place, "end": place, "label": label}


UTTERANCES: list[dict[str, Any]] = [
    {"readability": 79.26, "speakers": "Kit", "corefs": [mention(0, 7), mention(2, 9)]},
    {"speakers": "-", "corefs": [mention(0, 7)]},
]
for utterance, words in zip(UTTERANCES, S2E["sentences"], strict=True):
    utterance["tokens"] = words
PARTS = {"3": {"split": "dev", "utts": UTTERANCES}}
ONTOCOREFIT = {"version": 2, "docs": {"nw/mill": {"genre": "nw", "parts": PARTS}}}
FORMS: dict[str, tuple[Format, dict[str, Any]]] = {
    "wl-coref": (json_documents.WL_COREF, WL),
    "s2e": (json_documents.S2E, S2E),
    "maverick": (json_documents.MAVERICK, MAVERICK),
    "fastcoref": (json_documents.FASTCOREF, FASTCOREF),
    "ontocorefit": (ontocorefit.FORMAT, ONTOCOREFIT),
}


def of(path: Path, form: Format, *values: Any) -> list[Document]:
    path.write_text("".join(json.dumps(value) + "\n" for value in values), "utf-8")
    return [document for _, document in form.read(path, "en")]


def again(path: Path, form: Format, records: list[Document]) -> list[Any]:
    content = write(form, path, *records)
    if form is ontocorefit.FORMAT:
        return [json.loads(content)]
    return [json.loads(line) for line in content.split("\n")[:-1]]


@pytest.mark.parametrize("name", FORMS)
def test_the_same_document_from_each(path: Path, name: str) -> None:
    form, value = FORMS[name]
    (document,) = of(path, form, value)
    assert (document.doc_id, document.part) == ("nw/mill", 3)
    assert [[t.form for t in s.tokens] for s in document.sentences] == S2E["sentences"]
    assert [sentence.speaker for sentence in document.sentences] == (
        [None, None] if name == "maverick" else ["Kit", None]
    )
    assert document.clusters == ((Mention(0, 0, 1), Mention(1, 0, 1)), (Mention(0, 2, 3),))
    (written,) = again(path, form, [document])
    assert written == value
    assert detect_format(path) is form
    if name != "ontocorefit":
        assert list(written) == list(value)
        empty = {key: [] if isinstance(one, list) else one for key, one in value.items()}
        assert of(path, form, empty, value)[1] == document
        assert detect_format(path) is form


def test_other_keys_stay(path: Path) -> None:
    (document,) = of(path, json_documents.S2E, S2E)
    assert document.meta == {"s2e": {"other": {"constituents": [[0, 3, "S"]], "ner": []}}}
    (document,) = of(path, ontocorefit.FORMAT, ONTOCOREFIT)
    assert document.meta["ontocorefit"] == {
        "file": {"version": 2},
        "document": {"genre": "nw"},
        "others": {"split": "dev"},
        "utterances": {"0": {"readability": 79.26}},
        "labels": [7, 9],
    }


def test_speakers_who_change_within_a_sentence(path: Path) -> None:
    value = S2E | {"speakers": [["Kit", "Bo", "Kit", "Kit"], ["-", "-"]]}
    (document,) = of(path, json_documents.S2E, value)
    assert document.sentences[0].speaker is None
    assert again(path, json_documents.S2E, [document]) == [value]
    value = {"tokens": FLAT, "speakers": ["Kit"] * 3 + ["-"] + ["Bo"] * 2}
    (document,) = of(path, json_documents.FASTCOREF, value)
    spoken = [(sentence.speaker, len(sentence.tokens)) for sentence in document.sentences]
    assert spoken == [("Kit", 3), (None, 1), ("Bo", 2)]


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("wl-coref", {"sent_id": [0]}, "1 values of sent_id for 6 words"),
        ("wl-coref", {"sent_id": [0, 0, 1, 1, 0, 0]}, "does not number the sentences"),
        ("wl-coref", {"part_id": [0, 0, 0, 0, 1, 1]}, "part_id: Input should be a valid integer"),
        ("wl-coref", {"head": [5, None, 1, 1, 5, None]}, "head 5 of word 0 is outside"),
        ("wl-coref", {"clusters": 7}, "clusters: Input should be a valid list"),
        ("wl-coref", {"clusters": [[[3, 5]]]}, r"\[3, 5\) reaches over the end of a sentence"),
        ("wl-coref", {"clusters": [[[5, 7]]]}, r"\[5, 7\) is empty or outside the 6 words"),
        ("wl-coref", {"cased_words": "Ada"}, "cased_words: Input should be a valid list"),
        ("s2e", {"speakers": [["Kit"], ["-", "-"]]}, "speakers must have one value for each word"),
        ("s2e", {"speakers": ["Kit"] * 5}, "5 values of speakers for 6 words"),
        ("maverick", {"clusters": None, "mention_clusters": [[[2, 0, 1]]]}, "name a sentence that"),
        ("s2e", {"clusters": [[[0, 0.5]]]}, "clusters.0.0.1: Input should be a valid integer"),
        ("maverick", {"subtoken_map": [0]}, "pieces of words"),
        ("fastcoref", {"sentence_ends": [4, 7]}, "must rise, up to the number of tokens"),
        ("fastcoref", {"speakers": [["Kit"]]}, "1 values of speakers for 6 words"),
        ("ontocorefit", {"docs": {"a": {"parts": {}}}}, "document a has no parts"),
        ("ontocorefit", {"docs": {"a": {"parts": {"0": {}}}}}, "parts.0.utts: Field required"),
    ],
)
def test_what_is_refused(path: Path, name: str, change: dict[str, Any], message: str) -> None:
    form, value = FORMS[name]
    first = [] if name == "ontocorefit" else [value]
    with pytest.raises(DataError, match=message) as caught:
        of(path, form, *first, value | change)
    assert (caught.value.path, caught.value.line) == (str(path), len(first) + 1)


FLAT = ["Ada", "met", "Bob", ".", "She", "left"]
GOLD: dict[str, Any] = {"clusters": [[[0, 0], [4, 4]]]}
FOUND = [[[0, 1], [4, 5]]]
TEXT = "Ada met Bob. She left."
CHARACTERS = [[[0, 3], [13, 16]]]
STRINGS = [["Ada", "She"]]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        # wl-coref's sample input, its training files, its predictions, also on gold documents
        ("wl-coref", {"document_id": "tc_a", "cased_words": FLAT, "sent_id": WL["sent_id"]}),
        ("wl-coref", {"cased_words": FLAT, "clusters": FOUND}),
        ("wl-coref", {"cased_words": FLAT, "sent_id": [1, 1, 1, 1, 3, 3], "clusters": FOUND}),
        ("wl-coref", {"cased_words": FLAT, "speaker": ["_"] * 6, "span_clusters": FOUND}),
        ("wl-coref", WL | {"clusters": [[[2, 3]]], "span_clusters": FOUND, "word_clusters": [[0]]}),
        ("wl-coref", {"cased_words": FLAT, "pos": WL["pos"], "clusters": FOUND}),
        ("wl-coref", {"cased_words": FLAT, "head": WL["head"], "sent_id": WL["sent_id"]}),
        # e2e-coref, s2e-coref
        ("s2e", {"sentences": S2E["sentences"], "speakers": S2E["speakers"], **GOLD}),
        ("s2e", {"sentences": S2E["sentences"], "speakers": ["Kit"] * 4 + ["-"] * 2, **GOLD}),
        ("s2e", S2E | {"clusters": [[[2, 2]]], "predicted_clusters": [[[0, 0], [4, 4]]]}),
        ("maverick", {"doc_key": "a", "sentences": S2E["sentences"], "speakers": None} | GOLD),
        ("maverick", {"sentences": S2E["sentences"], **GOLD}),
        # PreCo
        ("maverick", {"sentences": S2E["sentences"], "mention_clusters": [[[0, 0, 1], [1, 0, 1]]]}),
        ("maverick", {"tokens": FLAT, "clusters_token_offsets": [[[0, 0], [4, 4]]]}),
        (
            "maverick",
            {
                "tokens": FLAT,
                "clusters_token_offsets": GOLD["clusters"],
                "clusters_char_text": None,
            },
        ),
        # fastcoref's training, and what it prints
        ("fastcoref", {"tokens": FLAT, **GOLD}),
        ("fastcoref", {"text": TEXT, "tokens": FLAT, **GOLD}),
        ("fastcoref", {"doc_key": "a", "tokens": FLAT}),
        ("fastcoref", {"tokens": FLAT}),
        ("fastcoref", {"tokens": FLAT, "speakers": ["Kit"] * 6, "sentence_ends": [4, 6]}),
        ("fastcoref", {"tokens": FLAT, "speakers": [["Kit"] * 4, ["-"] * 2], **GOLD}),
        # AllenNLP's predictions
        ("fastcoref", {"top_spans": [[0, 0]], "document": FLAT, **GOLD}),
        ("fastcoref", {"text": TEXT, "clusters": CHARACTERS}),
        ("fastcoref", {"text": TEXT, "clusters": CHARACTERS, "clusters_strings": STRINGS}),
        ("fastcoref", {"text": TEXT, "clusters": STRINGS}),
        ("fastcoref", {"text": TEXT, "clusters": [[[0, 4], [12, 17]]]}),  # blanks at the borders
        ("fastcoref", {"text": TEXT, "clusters": []}),
        ("fastcoref", {"doc_key": 7, "tokens": FLAT, **GOLD}),
        # Keys of other formats are no matter where they are not read.
        ("maverick", MAVERICK | {"clusters": GOLD["clusters"], "pos": [["N"]], "tokens": 1}),
        ("fastcoref", {"tokens": FLAT, **GOLD, "speaker": "Bo", "text": 7, "document_id": "a"}),
    ],
)
def test_keys_of_the_tools_that_may_be_missing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, value: Any
) -> None:
    path, form = tmp_path / "in.jsonl", FORMS[name][0]
    documents = of(path, form, value, value)
    assert detect_format(path) is form
    first, second = documents
    words = [token.form for sentence in first.sentences for token in sentence.tokens]
    assert words == (FLAT if "text" not in value or "tokens" in value else [*FLAT, "."])
    two = sum(value.get(key) is not None for key in json_documents._CLUSTERS) > 1
    assert caplog.text.count("_clusters, not of clusters") == two
    read = any(value.get(key) for key in json_documents._CLUSTERS)
    assert json_documents.list_spans(first) == ([[(0, 1), (4, 5)]] if read else [])
    named = "document_id" in value or "doc_key" in value
    assert named or (first.doc_id, second.doc_id) == ("in-1", "in-2")
    assert {sentence.speaker for sentence in first.sentences} <= {None, "Kit"}
    if "word_clusters" in value:
        assert first.meta["wl-coref"]["other"] == {"clusters": [[[2, 3]]], "word_clusters": [[0]]}
    # An array is read alike, and objects with an indent.
    indented = json.dumps(value, indent=2)
    for content in (f"[{indented}, {indented}]", f"{indented}\n{indented}\n"):
        path.write_text(content)
        assert detect_format(path) is form
        assert [document for _, document in form.read(path, "en")] == documents
    assert again(path, form, documents[:1])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            {"text": "She saw Ada. She ran.", "clusters": STRINGS},
            "'She' stands 2 times in the text, 1",
        ),
        ({"text": "Bo ran.", "clusters": STRINGS}, "'Ada' stands 0 times"),
        ({"text": TEXT, "clusters": [["Ada"], ["Ada"]]}, "'Ada' stands 1 times in the text, 2"),
        (
            {"text": TEXT, "clusters": [[[0, 2]]], "clusters_strings": STRINGS},
            "do not give the words in clusters_str",
        ),
        ({"text": TEXT, "clusters": [[[0, 3], [14, 16]]]}, r"\[14, 16\) cuts a word.*--lenient"),
        ({"text": TEXT, "clusters": [[[0, 2]]]}, r"\[0, 2\) cuts a word: 'Ad'.*--lenient"),
        ({"text": TEXT, "clusters": [[[0, 99]]]}, r"mention \[0, 99\) is empty or beyond 22"),
        ({"text": TEXT, "clusters": [[[0, 2, 3]]]}, "clusters.0.0: List should have at most 2"),
        ({"tokens": FLAT, "clusters": [["Ada"]]}, "clusters.0.0: Input should be a valid list"),
        ({"tokens": FLAT, "clusters": {"a": 1}}, "clusters: Input should be a valid list"),
        ({"clusters": []}, "no words: one of tokens, cased_words, sentences, document, text"),
    ],
)
def test_clusters_that_do_not_fit_their_words(path: Path, value: Any, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        of(path, json_documents.FASTCOREF, {"tokens": FLAT}, value)
    assert caught.value.line == 2


WORDS = Sentence((Token("a"), Token("b"), Token("c")))
DOCUMENT = Document("d", 0, "en", (WORDS,), ((Mention(0, 0, 1), Mention(0, 2, 3)),))


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"clusters": ((Mention(0, 0, 2),), (Mention(0, 0, 2),))}, "is in the clusters twice"),
        ({"clusters": ((),)}, "a cluster has no mention"),
        ({"clusters": ((Mention(0, 1, 1, zero=True),),)}, "zero or discontinuous"),
        ({"sentences": (Sentence((Token("a"),), "-"),), "clusters": ()}, "read as no speaker"),
    ],
)
def test_documents_that_they_cannot_carry(
    path: Path, name: str, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message) as caught:
        write(FORMS[name][0], path, replace(DOCUMENT, **change))
    assert caught.value.path == str(path)


def test_parts_that_do_not_follow_one_another(path: Path) -> None:
    records = [DOCUMENT, replace(DOCUMENT, doc_id="e"), replace(DOCUMENT, part=1)]
    with pytest.raises(DataError, match="do not follow one another"):
        ontocorefit.write(path, records)
    with pytest.raises(DataError, match="is there twice"):
        ontocorefit.write(path, [DOCUMENT, DOCUMENT])
    assert ontocorefit.write(path, [DOCUMENT, replace(DOCUMENT, part=1)]) == 2


def test_lines_that_are_no_objects(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for content, line, message in [
        ("7\n", 1, "Input should be an object"),
        ('{"a"\n', 1, "Invalid JSON"),
        ("{\n", 2, "not JSON in record 1"),
        (json.dumps(MAVERICK) + "\n\n", 2, "Invalid JSON"),
        ("{}\n\0", 1, "no words: one of sentences"),
    ]:
        path.write_text(content, "utf-8")
        with pytest.raises(DataError, match=message) as caught:
            list(json_documents.MAVERICK.read(path, "en"))
        assert caught.value.line == line
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(MAVERICK).encode() + b"\r\n")
    assert len(list(json_documents.MAVERICK.read(path, "en"))) == 1
    monkeypatch.setattr(disk.read_lines, "__defaults__", (64,))
    with pytest.raises(DataError, match="a line of over"):
        of(path, json_documents.MAVERICK, MAVERICK)
    monkeypatch.setattr(ontocorefit, "LARGEST", 64)
    with pytest.raises(DataError, match="larger than 64 bytes"):
        of(path, ontocorefit.FORMAT, ONTOCOREFIT)


# Figure 10 of the paper: the pronoun goes, its mention moves to the verb.
FIGURE_10 = {
    "original_text": "Esso era facile",
    "modified_text": "Era facile",
    "tokens_old": ["Esso", "era", "facile"],
    "corefs_old": [{"start": 0, "end": 0, "label": 0}],
    "readability": 79.26,
    "deleted": True,
    "rewritten": False,
    "shifted": True,
    "changes": [{"rule": "deletion", "start": 0, "end": 1, "before": "Esso", "after": ""}],
}


def test_the_record_of_figure_10_goes_out_and_comes_back(path: Path) -> None:
    era = Sentence((Token("Era"), Token("facile")))
    meta = {"ontocorefit": {"utterances": {"0": FIGURE_10}}}
    before = replace(DOCUMENT, sentences=(era, era), clusters=(), meta=meta)
    ontocorefit.write(path, [before])
    ((_, after),) = ontocorefit.read(path, "en")
    assert after == before
    first, second = ontocorefit.read_records(after)
    assert second is None
    assert first is not None
    assert (first.original_text, first.modified_text) == ("Esso era facile", "Era facile")
    assert (first.readability, first.deleted, first.rewritten) == (79.26, True, False)
    assert first.corefs_old == [ontocorefit.Coref(start=0, end=0, label=0)]
    assert first.changes == [
        ontocorefit.RecordedChange(rule="deletion", start=0, end=1, before="Esso", after="")
    ]
