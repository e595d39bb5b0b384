"""Records check themselves; manifests, and syntax and weights in meta, are read as written."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.corpora import manifest, record_meta
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import conll2012, corefud, ontocorefit
from corefmill.corpora.formats.native import DOCUMENTS
from corefmill.corpora.manifest import Manifest
from corefmill.corpora.record_meta import SpanSyntax, Step, WeightSummary
from corefmill.corpora.records import (
    Document,
    EventMention,
    MaskedExample,
    Mention,
    Sentence,
    Source,
    Token,
)

EXAMPLE = MaskedExample(
    id="1",
    lang="en",
    text="Anna met Bob. Anna left.",
    sentences=((0, 13), (14, 24)),
    target=(14, 18),
    candidates=("Anna", "Bob"),
    mentions=((0, 0, 4), (1, 9, 12)),
    label=0,
    source=Source("A day", 7, 2),
)
EVENT = EventMention(
    id="1",
    lang="en",
    text="After the flood.",
    start=10,
    end=15,
    cluster="7",
    cluster_title="A flood",
    event_type="disaster",
    infobox="flood",
    source=Source("A town", 9),
)
SENTENCES = (Sentence((Token("Anna"), Token("left"))), Sentence((Token("Yes"),)))


def document(*mentions: Mention) -> Document:
    return Document("d", 0, "en", SENTENCES, (mentions,))


WHOLE = replace(document(), text="Anna left. Bye", offsets=(((0, 4), (5, 9)), ((11, 14),)))


def test_offsets_count_code_points_and_heads_tokens() -> None:
    assert Sentence((Token("Anna", head=2), Token("left", head=0))).tokens[0].head == 2
    astral = replace(EXAMPLE, text="𝒜nna met Bob. 𝒜nna left.")
    assert astral.masked_text == "𝒜nna met Bob. [MASK] left."


@pytest.mark.parametrize(
    ("record", "change", "message"),
    [
        (EXAMPLE, {"target": (14, 14)}, "target .* is empty"),
        (EXAMPLE, {"target": (20, 25)}, "outside the text of 24"),
        (EXAMPLE, {"sentences": ((0, 13), (12, 24))}, "begins before the previous sentence ends"),
        (EXAMPLE, {"sentences": ((0, 99),)}, "sentence .* outside"),
        (EXAMPLE, {"candidates": ("Anna",), "mentions": ()}, "two distinct candidates"),
        (EXAMPLE, {"candidates": ("Anna", "Anna")}, "two distinct candidates"),
        (EXAMPLE, {"label": 2}, "label 2 names none of 2"),
        (EXAMPLE, {"mentions": ((0, 4, 4),)}, "mention .* is empty"),
        (EXAMPLE, {"mentions": ((2, 0, 4),)}, "candidate 2, which does not exist"),
        (EVENT, {"end": 10}, "mention .* is empty"),
        (EVENT, {"end": 17}, "outside the text of 16"),
        (EVENT, {"head": (15, 10)}, "head"),
        (EVENT, {"parts": ((0, 5), (6, 60))}, "part"),
        (SENTENCES[0], {"tokens": (Token("Anna", head=3),)}, "head 3 of 'Anna' is outside"),
        (WHOLE, {"clusters": ((Mention(2, 0, 1),),)}, "no sentence 2, where a mention"),
        (WHOLE, {"clusters": ((Mention(1, 0, 2),),)}, "outside the text of 1"),
        (WHOLE, {"clusters": ((Mention(0, 0, 0),),)}, "is empty"),
        (WHOLE, {"clusters": ((Mention(0, 0, 2, parts=((0, 1), (2, 3))),),)}, "outside"),
        (WHOLE, {"clusters": ((Mention(0, 0, 1, zero=True),),)}, "start == end"),
        (WHOLE, {"offsets": None}, "together"),
        (WHOLE, {"offsets": ((0, 4),)}, "exactly one offset per token"),
        (
            WHOLE,
            {"offsets": (((0, 4), (3, 9)), ((11, 14),))},
            "begin before those of the previous token end",
        ),
        (WHOLE, {"offsets": (((0, 4), (5, 9)), ((11, 15),))}, "outside the text"),
    ],
)
def test_a_record_refuses(record: Any, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(record, **change)


@pytest.mark.parametrize("tokens", [None, [[1]], [[0, 4.0]], [[4, 4]], [[5, 8], [0, 4]], [[0, 99]]])
def test_tokens_that_are_no_spans_in_order_raise_value_error(tokens: Any) -> None:
    example = replace(EXAMPLE, meta={"tokens": tokens})
    with pytest.raises(ValueError, match=r"meta\.tokens"):
        _ = example.tokens


def test_offsets_are_one_for_each_token_in_order() -> None:
    assert WHOLE.locate(Mention(0, 0, 2)) == (0, 9)
    with pytest.raises(ValueError, match="no offsets"):
        document().locate(Mention(0, 0, 2))
    with pytest.raises(ValueError, match="no offsets"):
        WHOLE.locate(Mention(0, 1, 1, zero=True))
    shared = replace(WHOLE, offsets=(((0, 4), (0, 4)), ((11, 14),)))  # a contraction of two words
    assert shared.offsets is not None


def test_a_line_has_text_and_offsets_where_they_are_known() -> None:
    for record, known in ((document(), False), (WHOLE, True)):
        for compact in (False, True):
            line = jsonl.dumps(record, compact=compact)
            assert (b'"text"' in line, b'"offsets"' in line) == (known, known)
            assert (b"null" in line) != compact
            assert jsonl.loads(line, Document) == record


MANIFEST = Manifest(
    name="wikicrem-en",
    schema="masked-example/1",
    lang="en",
    mode="clean",
    splits={"train": 2},
    counts={"pages": 5, "rejects": {"enumeration": 1}},
    seed=1,
    versions={"corefmill": "0.1.0"},
    build={"fingerprint": "ab"},
    licence="CC BY-SA 4.0",
    attribution="Wikipedia, Zoë and others",
    files={"train.jsonl": "00"},
)


def test_a_manifest_that_was_read_is_written_as_the_same_bytes(tmp_path: Path) -> None:
    manifest.write(tmp_path, MANIFEST)
    first = (tmp_path / "manifest.json").read_bytes()
    assert manifest.read(tmp_path) == MANIFEST
    manifest.write(tmp_path, manifest.read(tmp_path))
    assert (tmp_path / "manifest.json").read_bytes() == first
    assert list(json.loads(first))[:3] == ["name", "schema", "lang"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "is missing: not a finished corpus .*run the same build command again"),
        (b"", "Invalid JSON"),
        (b"\xff\xfe", "Invalid JSON"),
        (b"{}", "name: Field required"),
        (b'{"name": 5}', "name: Input should be a valid string"),
    ],
)
def test_a_broken_manifest_is_named(tmp_path: Path, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(DataError, match=rf"manifest\.json.* {message}"):
        manifest.read(tmp_path)


def test_an_unknown_schema_lists_the_known(tmp_path: Path) -> None:
    manifest.write(tmp_path, replace(MANIFEST, schema="masked-example/9"))
    with pytest.raises(DataError, match="'masked-example/9', known are masked-example/1, event"):
        manifest.read(tmp_path)


def test_records_of_a_split_are_of_the_schemas_kind(tmp_path: Path) -> None:
    manifest.write(tmp_path, MANIFEST)
    jsonl.write(tmp_path / "train.jsonl", [EXAMPLE, EXAMPLE])
    assert list(manifest.records(tmp_path, "train")) == [EXAMPLE, EXAMPLE]
    manifest.write(tmp_path, replace(MANIFEST, schema="event-mention/1"))
    jsonl.write(tmp_path / "train.jsonl", [EVENT])
    assert list(manifest.records(tmp_path, "train")) == [EVENT]


SPLITS = ("../evil", "/etc/evil", ".hidden", "a/b", "a\0b", "a\n", "", "x" * 101)
FILES = ("/etc/passwd", "../secret", "stages/../../secret", "a\0b", "", "a//b", "x" * 300)


@pytest.mark.parametrize(
    ("field", "name"),
    [*(("splits", name) for name in SPLITS), *(("files", name) for name in FILES)],
)
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, field: str, name: str) -> None:
    value = {name: 1} if field == "splits" else {name: "00"}
    (tmp_path / "manifest.json").write_text(json.dumps({**asdict(MANIFEST), field: value}))
    with pytest.raises(
        DataError, match=rf"manifest\.json: .* is not allowed as the name of a {field[:-1]}"
    ):
        manifest.read(tmp_path)


TEXT = "Ann met Eve because she was early."
MET_EXAMPLE = MaskedExample(
    "1", "en", TEXT, (), (20, 23), ("Ann", "Eve"), ((0, 0, 3), (1, 8, 11)), 0, Source("", 0)
)
STEPS = st.builds(Step, st.integers(0, 99), st.text(max_size=9), st.text(max_size=5), st.booleans())
SPANS = st.none() | st.builds(
    SpanSyntax,
    st.text(max_size=9),
    st.integers(0, 9),
    st.lists(STEPS, min_size=1, max_size=4).map(tuple),
)


@given(st.lists(SPANS, min_size=3, max_size=3))
def test_what_was_kept_comes_back_from_a_line(spans: list[SpanSyntax | None]) -> None:
    line = jsonl.dumps(record_meta.add_syntax(MET_EXAMPLE, spans))
    (found,) = [jsonl.loads(line, MaskedExample)]
    assert list(record_meta.read_syntax(found)) == spans


def test_an_example_that_was_not_parsed_says_what_parses_it() -> None:
    with pytest.raises(DataError, match="example 1 has no syntax in its meta") as caught:
        record_meta.read_syntax(MET_EXAMPLE)
    assert "corefmill parse" in str(caught.value.remedy)


@pytest.mark.parametrize(
    ("stated", "complaint"),
    [
        ("x", "malformed"),
        ([None, None, ["subject", "one", [[0, "nsubj", "PROPN"]]]], "malformed"),
        ([None, None, ["subject", 1]], "malformed"),
        ([None, None], "needs one entry for the target and each"),
        ([None, None, ["subject", 1, []]], "needs one entry for the target and each"),
    ],
)
def test_what_is_no_syntax_of_the_example_is_refused(stated: Any, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        record_meta.read_syntax(replace(MET_EXAMPLE, meta={record_meta.SYNTAX_KEY: stated}))


MET = Step(2, "root", "VERB")
ANN = SpanSyntax("subject", 1, (Step(1, "nsubj", "PROPN"), MET))


@pytest.mark.parametrize(
    ("above", "found"),
    [
        ((MET,), {2}),  # "Ann met her"
        ((Step(5, "conj", "VERB"), MET), {5, 2}),  # "Ann met Eve and told her"
        ((Step(5, "conj:and", "VERB"), MET), {5, 2}),
        ((Step(8, "conj", "VERB"), Step(5, "conj", "VERB"), MET), {8, 5, 2}),
        ((Step(5, "conj", "VERB", subject=True), MET), {5}),  # "Ann met Eve and they told her"
        ((Step(5, "advcl", "VERB"), MET), {5}),  # "Ann met Eve to tell her"
        ((Step(5, "conj", "VERB"), Step(3, "obj", "PROPN"), MET), {5}),
    ],
)
def test_a_coordinated_verb_has_the_subject_of_the_one_before(
    above: tuple[Step, ...], found: set[int]
) -> None:
    target = SpanSyntax("object", 1, (Step(9, "obj", "PRON"), *above))
    assert record_meta.find_clauses_of_subject(target, [ANN, None]) == found


PLAIN = Document("a", 0, "it", tuple(Sentence((Token(word),)) for word in "xyz"), ())
COMMENTS = {"conll": {"comments": [[1, "# weight = 0.25"], [3, "# weight = 0"]]}}
UTTERANCES = {"ontocorefit": {"utterances": {"1": {"weight": 0.25}, "2": {"weight": None}}}}
LINES = {"corefud": {"sentences": {"1": {"comments": ["sent_id", "#weight= 0.25", "text"]}}}}


@pytest.mark.parametrize(
    ("form", "meta"),
    [
        (conll2012.FORMAT, COMMENTS),
        (corefud.FORMAT, LINES),
        (ontocorefit.FORMAT, UTTERANCES),
        *((DOCUMENTS, meta) for meta in (COMMENTS, LINES, UTTERANCES)),
    ],
)
def test_each_form_keeps_them(form: Any, meta: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "a.x"
    form.write(path, [replace(PLAIN, meta=meta)])
    if form is not DOCUMENTS:
        assert "0.25" in path.read_text(encoding="utf-8")
    [(_, one)] = form.read(path, "it")
    # Sentences that say none count in full.
    assert record_meta.read_weights(one) == (1.0, 0.25, 1.0)
    assert record_meta.summarize_weights([PLAIN, one]) == WeightSummary(3, 2.25 / 3)


@pytest.mark.parametrize("value", ["heavy", "1.5", "-0.1", "nan", "inf"])
def test_no_number_from_0_to_1_is_refused_by_name(value: str) -> None:
    one = replace(PLAIN, meta={"conll": {"comments": [[2, f"# weight = {value}"]]}})
    with pytest.raises(DataError, match=f"document a, sentence 3: the weight '{value}' is no"):
        record_meta.read_weights(one)


@pytest.mark.parametrize(
    "meta",
    [
        {"conll": []},
        {"conll": {"comments": [3]}},
        {"corefud": {"sentences": {"x": {"comments": ["# weight = 1"]}}}},
        {"corefud": {"sentences": {"1": {"comments": [5]}}}},
        {"ontocorefit": {"utterances": {"1": 0.5}}},
    ],
)
def test_meta_of_another_make_is_refused(meta: dict[str, Any]) -> None:
    with pytest.raises(DataError, match=r"document a: its meta\.corefud"):
        record_meta.read_weights(replace(PLAIN, meta=meta))
