"""What holds of every format: round trip, detection, conversion, and an error for any damage."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corefmill.corpora import convert
from corefmill.corpora.check.tolerant import read_past_faults
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import ecbplus, lm_eval, registry
from corefmill.corpora.formats.form import Format
from corefmill.corpora.formats.registry import FORMATS, detect_format
from corefmill.corpora.records import SCHEMAS, Document, Mention
from tests.corpora.formats import test_event_sets, test_masked_sets, test_projects, test_rows
from tests.corpora.generated import damaged, documents
from tests.corpora.test_records import EVENT, EXAMPLE, document

MASKED = jsonl.dumps(EXAMPLE).decode()
WEC = {
    "coref_chain": 7,
    "coref_link": "The flood",
    "doc_id": "A town",
    "mention_context": ["After", "the", "flood", "."],
    "mention_head": "flood",
    "mention_head_lemma": "flood",
    "mention_head_pos": "NOUN",
    "mention_id": "3",
    "mention_index": 1,
    "mention_ner": "UNK",
    "mention_type": 2,
    "predicted_coref_chain": None,
    "sent_id": 0,
    "tokens_number": [1, 2],
    "tokens_str": "the flood",
    "topic_id": -1,
}
CONLL = (
    "#begin document (nw/a); part 000\n"
    "nw/a\t0\t0\tAnna\tNNP\t-\t-\t-\t-\t-\t*\t(0)\n"
    "nw/a\t0\t1\tsaw\tVBD\t-\t-\t-\t-\t-\t*\t-\n"
    "nw/a\t0\t2\ther\tPRP$\t-\t-\t-\t-\t-\t*\t(1|(0)\n"
    "nw/a\t0\t3\tdog\tNN\t-\t-\t-\t-\t-\t*\t1)\n"
    "\n#end document\n"
)
LISTS = {"doc_key": "d", "sentences": [["Anna", "left", "."], ["She", "won"]]}
LOGGED = json.dumps(
    {
        "doc_id": 0,
        "doc": lm_eval.make_row(EXAMPLE, "c"),
        "filtered_resps": [["-1.5", "False"]] * len(EXAMPLE.candidates),
    }
)

# A small file of each format that is read only, or is more than what its writer writes.
FILES: dict[str, tuple[str, str]] = {
    "native-masked": ("a.jsonl", f"{MASKED}\n"),
    "native-events": ("a.jsonl", f"{jsonl.dumps(EVENT).decode()}\n"),
    "native-documents": ("a.jsonl", f"{jsonl.dumps(document(Mention(0, 0, 1))).decode()}\n"),
    "conll2012": ("a.conll", CONLL),
    "five-line": ("a.txt", "Anna met Bob. [MASK] left.\n[MASK]\nAnna,Bob\nAnna\n\n"),
    **{name: ("a.txt", header + item) for name, (header, item) in test_masked_sets.ITEMS.items()},
    **{name: ("a.jsonl", json.dumps(row) + "\n") for name, row in test_rows.ITEMS.items()},
    "lm-eval": ("samples_a.jsonl", LOGGED + "\n"),
    "knowref-60k": ("a.json", json.dumps(test_masked_sets.LINE) + "\n"),
    "wec-json": ("a.json", json.dumps([WEC], indent=0)),
    "ecbplus": ("12_3ecb.xml", test_event_sets.XML),
    "event-key": ("a.conll", "#begin document (a); part 000\na\t(0)\na\t(1)\n#end document"),
    "conll-ua": (
        "a.CONLLUA",
        "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY\n"
        "# newdoc id = d\n1 Ann _ _ _ _ _ _ _ _ (EntityID=1|MarkableID=m1)\n2 left\t_" + " _" * 8,
    ),
    "litbank": ("a.ann", "MENTION\tT1\t0\t0\t0\t0\tAnn\tPER\tPROP\nCOREF\tT1\tAnn-0\n"),
    "maverick": ("a.jsonl", json.dumps({**LISTS, "clusters": [[[0, 0], [3, 3]]]}) + "\n"),
    "dpr": ("a.txt", "Anna met Bob. She left.\nShe\nAnna,Bob\nAnna\n\n"),
    **test_projects.FILES,
}

RECORDS = {
    "masked-example/1": EXAMPLE,
    "event-mention/1": EVENT,
    "document/1": document(Mention(0, 0, 1), Mention(1, 0, 1)),
}

# Formats whose reader another one of them shares.
SIBLINGS = frozenset(
    """dpr fastcoref knowref-60k native-events parquet-documents parquet-events s2e winobias
    superglue-wsc winobias-rows winogrande-jsonl wl-coref wnli""".split()  # noqa: SIM905
)


def list_formats(schema: str = "") -> list[object]:
    """The formats, or the written ones of a kind, for searches; siblings thoroughly alone."""
    return [
        pytest.param(name, marks=[pytest.mark.thorough] if name in SIBLINGS else [])
        for name in sorted(FORMATS)
        if not schema or (schema == FORMATS[name].schema and FORMATS[name].write)
    ]


def lay(folder: Path, name: str) -> Path:
    """A small file of the format; the ECB+ ones have their table of sentences beside them."""
    form = FORMATS[name]
    if name in FILES:
        path = folder / FILES[name][0]
        path.write_bytes(FILES[name][1].encode())
    else:
        path = folder / f"a{form.suffix}"
        assert form.write is not None
        form.write(path, [RECORDS[form.schema]])
    if name.startswith("ecbplus"):
        (folder / ecbplus.VALIDATED).write_text(test_event_sets.TABLE)
    if name == "litbank":
        (folder / "a.txt").write_text("Ann left .\n")
    if name == "brat":
        path.with_suffix(".txt").write_text(test_projects.TEXT)
    return path


# By kind of record, the format to which each other one is converted.
PARTNERS = {
    "masked-example/1": "masked-conll",
    "event-mention/1": "wec-json",
    "document/1": "conll2012",
}


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_its_file_is_told_read_written_and_converted(name: str, tmp_path: Path) -> None:
    form = FORMATS[name]
    path = lay(tmp_path, form.name)
    assert detect_format(path) is form
    found = list(form.read(path, "en"))
    assert found
    assert all(line >= 1 and type(record) is SCHEMAS[form.schema] for line, record in found)
    if form.write is not None:
        (tmp_path / "again").mkdir()
        again = tmp_path / "again" / path.name
        assert form.write(again, [record for _, record in found]) >= 1
        assert [record for _, record in form.read(again, "en")] == [record for _, record in found]
    other = FORMATS[PARTNERS[form.schema]]
    target = tmp_path / f"out{other.suffix}"
    report = convert.run(convert.plan(path, target, form, other))
    assert report.records >= 1 and not report.left_out
    assert len(list(other.read(target, "en"))) == report.records


each_text = pytest.mark.parametrize(
    "form",
    [form for name, form in sorted(FORMATS.items()) if not name.startswith("parquet")],
    ids=lambda form: form.name,
)


@each_text
def test_other_line_ends_and_a_byte_order_mark_do_not_matter(form: Format, tmp_path: Path) -> None:
    path = lay(tmp_path, form.name)
    found = [record for _, record in form.read(path, "en")]
    whole = path.read_bytes()
    others = "" if whole[:1] == b"<" else "\r" if whole[:1] in b"{[" else "\r\x85\u2028\u2029"
    for end in ("\r\n", *others):
        path.write_bytes(b"\xef\xbb\xbf" + whole.replace(b"\n", end.encode()))
        assert [record for _, record in form.read(path, "en")] == found
        assert form in registry.candidates(path) or end == "\r\n"


@each_text
def test_numbers_of_thousands_of_digits_are_refused_or_read(form: Format, tmp_path: Path) -> None:
    path = lay(tmp_path, form.name)
    whole = path.read_bytes()
    for number in re.finditer(rb"[0-9]+", whole):
        path.write_bytes(whole[: number.start()] + b"9" * 5000 + whole[number.end() :])
        with suppress(DataError):
            list(form.read(path, "en"))
        list(read_past_faults(path, form, "en"))


@st.composite
def flipped(draw: st.DrawFn, whole: bytes) -> bytes:
    """The bytes with a few of them others, and perhaps cut off."""
    content = bytearray(whole)
    for _ in range(draw(st.integers(1, 4))):
        content[draw(st.integers(0, len(content) - 1))] = draw(st.integers(0, 255))
    return bytes(content[: draw(st.integers(0, len(content)))] if draw(st.booleans()) else content)


@pytest.mark.parametrize("name", list_formats())
@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_damage_is_a_data_error_that_names_the_file(
    name: str, tmp_path: Path, data: st.DataObject
) -> None:
    form, path = FORMATS[name], lay(tmp_path, name)
    whole = path.read_bytes()
    path.write_bytes(data.draw(st.one_of(flipped(whole), damaged(whole))))
    last = len(re.split("[\n\r\x85\u2028\u2029]", path.read_text("utf-8", errors="replace")))
    try:
        records = list(form.read(path, "en"))
    except DataError as error:
        assert error.path == str(path)
        assert error.line is None or name.startswith("parquet") or 1 <= error.line <= last
    else:
        assert all(type(record) is SCHEMAS[form.schema] for _, record in records)
    # The checker reads the same file to its end and raises nothing.
    list(read_past_faults(path, form, "en"))


@pytest.mark.parametrize("name", list_formats("document/1"))
@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(record=documents(), data=st.data())
def test_any_document_is_written_or_refused(
    name: str, tmp_path: Path, record: Document, data: st.DataObject
) -> None:
    form, path = FORMATS[name], tmp_path / "any"
    assert form.write is not None
    try:
        form.write(path, [record])
    except DataError:
        return
    ((_, found),) = form.read(path, "en")
    if name != "event-key":  # it says nothing of places
        assert spans_of(found) == spans_of(record)
    # What is still read after damage is written and read the same, or refused.
    if name.startswith("parquet"):
        return
    path.write_bytes(data.draw(damaged(path.read_bytes())))
    try:
        records = [one for _, one in form.read(path, "en")]
        form.write(path, records)
    except DataError:
        return
    assert [one for _, one in form.read(path, "en")] == records


def spans_of(document: Document) -> list[list[tuple[int, int, int]]]:
    """The clusters by their mentions, whatever the order."""
    clusters = document.clusters
    return sorted(sorted((m.sentence, m.start, m.end) for m in cluster) for cluster in clusters)


FOUND = sorted((Path(__file__).parent / "found").glob("*/*"))
"""Small damaged files, as `found/FORMAT/NAME`, on which readers once failed."""


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_was_found_stays_mended(path: Path, tmp_path: Path) -> None:
    form = FORMATS[path.parent.name]
    list(read_past_faults(path, form, "en"))
    try:
        records = [record for _, record in form.read(path, "en")]
    except DataError:
        return
    assert form.write is not None
    form.write(tmp_path / path.name, records)
    assert [record for _, record in form.read(tmp_path / path.name, "en")] == records
