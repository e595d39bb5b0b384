"""CoNLL-2012 as OntoNotes, LitBank, OntoGUM, WinoBias and predictions write it; its brackets."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.terminal import warn_once
from corefmill.corpora.formats.bad_mentions import lenient
from corefmill.corpora.formats.brackets import BracketError, Named, make, mark_mentions, parse
from corefmill.corpora.formats.conll2012 import KEY as KEY_FORMAT
from corefmill.corpora.formats.conll2012 import (
    make_star_column,
    read,
    read_key,
    read_star_column,
    write,
    write_key,
)
from corefmill.corpora.records import Document, Mention, Sentence, Token
from corefmill.corpora.scoring.readers import read_columns
from tests.corpora.generated import conll_documents


@pytest.mark.parametrize(
    ("cells", "mentions"),
    [
        (["-", "(1)", "-"], [("1", 1, 2)]),
        (["(1", "-", "1)"], [("1", 0, 3)]),
        # a b c of {a b c} and {a} in one entity: the inner bracket closes first
        (["(1|(1)", "-", "1)"], [("1", 0, 1), ("1", 0, 3)]),
        (["(1|(1", "1)", "1)"], [("1", 0, 3), ("1", 0, 2)]),
        # two entities may cross
        (["(1", "(2|1)", "2)"], [("1", 0, 2), ("2", 1, 3)]),
        # without a bar, and in another order
        (["(1(2)", "1)"], [("2", 0, 1), ("1", 0, 2)]),
        (["(2)|(1", "1)"], [("2", 0, 1), ("1", 0, 2)]),
        # what opens in a cell does so before anything closes, as the reference scorer has it
        (["(1", "1)|(1", "1)"], [("1", 0, 3), ("1", 1, 2)]),
        # a span that is named twice is read
        (["(1)|(2)", "(3)|(3)"], [("1", 0, 1), ("2", 0, 1), ("3", 1, 2), ("3", 1, 2)]),
        (["(e5", "e5)"], [("e5", 0, 2)]),
        (["_", "", "*", "-"], []),
        # as sacr2conll has them
        (["(1_(2)", "1)"], [("2", 0, 1), ("1", 0, 2)]),
        (["(2", "(1_2)", "1)"], [("2", 0, 2), ("1", 1, 3)]),
        (["(1", "(2", "2)_1)"], [("1", 0, 3), ("2", 1, 3)]),
        (["(0)_(1)"], [("0", 0, 1), ("1", 0, 1)]),
        (["(6_(7_(8", "8)_7)_6)"], [("6", 0, 2), ("7", 0, 2), ("8", 0, 2)]),
        (["(3", "(0)_3)"], [("3", 0, 2), ("0", 1, 2)]),
        (["(0_(0", "0)", "0)"], [("0", 0, 3), ("0", 0, 2)]),
        (["(2", "(1_(3)_2)", "1)"], [("2", 0, 2), ("3", 1, 2), ("1", 1, 3)]),
        (["(set_4)", "(set_4", "set_4)"], [("set_4", 0, 1), ("set_4", 1, 3)]),
        (["(1_2)", "-"], [("1_2", 0, 1)]),
        (["(12_(3)|(4", "12)_4)"], [("3", 0, 1), ("12", 0, 2), ("4", 0, 2)]),
    ],
)
def test_reads(cells: list[str], mentions: list[Named]) -> None:
    assert parse(enumerate(cells)) == mentions


@pytest.mark.parametrize(
    ("cells", "message", "place"),
    [
        (["-", "1)"], r"1\) closes a mention that is not open", 1),
        (["(1", "2)"], r"2\) closes a mention that is not open", 1),
        (["-", "(1", "-"], r"\(1 is not closed in its sentence", 1),
        (["-", "1"], "'1' is not a bracket", 1),
        (["(1|"], "is not a bracket", 0),
        (["(1)||(2)"], "is not a bracket", 0),
        (["()"], "is not a bracket", 0),
        (["((1)"], "is not a bracket", 0),
        (["(1)x"], "is not a bracket", 0),
    ],
)
def test_refuses(cells: list[str], message: str, place: int) -> None:
    with pytest.raises(BracketError, match=message) as caught:
        parse(enumerate(cells))
    assert caught.value.start == place


@pytest.mark.parametrize(
    ("mentions", "message"),
    [
        ([("1", 0, 2), ("2", 0, 2)], r"\[0, 2\) is named twice"),
        ([("1", 0, 2), ("1", 0, 2)], r"\[0, 2\) is named twice"),
        ([("1", 0, 2), ("1", 1, 3)], r"\[1, 3\) crosses another mention of its entity"),
        ([("1", 0, 4), ("1", 0, 2), ("1", 1, 3)], r"\[1, 3\) crosses"),
    ],
)
def test_makes_no_brackets_that_would_be_read_as_others(
    mentions: list[Named], message: str
) -> None:
    with pytest.raises(BracketError, match=message):
        make(mentions, 4)


def test_a_sentence_in_brackets_nests_and_meets() -> None:
    sentences = tuple(
        Sentence(tuple(map(Token, text.split()))) for text in ("the dog of Ann", "she sleeps")
    )
    ann = (Mention(0, 3, 4), Mention(1, 0, 1))
    document = Document("d", 0, "en", sentences, (ann, (Mention(0, 0, 4), Mention(0, 0, 2))))
    assert mark_mentions(document, 0) == "[[the dog]1 of [Ann]0]1"
    assert mark_mentions(document, 1) == "[she]0 sleeps"


DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
REAL = [
    *sorted((DATA / "litbank" / "conll").glob("*.conll"))[:8],
    *sorted((DATA / "winograd" / "winobias" / "conll").glob("*conll"))[:1],
    *sorted((DATA / "ontogum").glob("*.dev.conll")),
]

ONTONOTES = """\
#begin document (nw/m_07); part 001
nw/m_07   1    0      Ada   NNP  (TOP(S(NP*)     -    -   -   Ms_Bee   (PERSON)     (ARG0*)   (3)
nw/m_07   1    1   ground   VBD        (VP*   grind  01   1   Ms_Bee          *        (V*)     -
nw/m_07   1    2      her  PRP$        (NP*      -    -   -   Ms_Bee          *     (ARG1*    (5|(3)
nw/m_07   1    3     corn    NN          *)      -    -   -   Ms_Bee          *          *)     5)
nw/m_07   1    4        .     .         *))      -    -   -   Ms_Bee          *          *      -

nw/m_07   1   0    Yes    UH   (TOP(INTJ*))   -   -   -   -   *   -

#end document
"""
PREDICTED = """\
#begin document (a/b); part 000
a/b 0 0 Ada (0)
a/b 0 1 left -

#end document
"""


def of(path: Path, content: str | bytes) -> list[Document]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return [document for _, document in read(path, "en")]


def again(path: Path, records: list[Document]) -> str:
    """What the writer makes of the records, which a reader takes for the same."""
    assert write(path, records) == len(records)
    assert [document for _, document in read(path, "en")] == records
    return path.read_text("utf-8")


def test_ontonotes_with_its_columns(path: Path) -> None:
    (document,) = of(path, ONTONOTES)
    assert (document.doc_id, document.part, document.lang) == ("nw/m_07", 1, "en")
    first, second = document.sentences
    assert (first.speaker, second.speaker) == ("Ms_Bee", None)
    assert first.tokens[0] == Token("Ada", xpos="NNP", ner="B-PERSON")
    assert first.tokens[1] == Token("ground", xpos="VBD", lemma="grind")
    assert document.clusters == ((Mention(0, 0, 1), Mention(0, 2, 3)), (Mention(0, 2, 4),))
    meta = document.meta["conll"]
    assert meta["ids"] == [3, 5]
    assert meta["sentences"]["0"]["parse"].split("\t")[:2] == ["(TOP(S(NP*)", "(VP*"]
    assert meta["sentences"]["0"]["srl1"].split("\t")[2] == "(ARG1*"
    assert set(meta["sentences"]["1"]) == {"parse"}
    assert again(path, [document]).splitlines()[1].split("\t") == ONTONOTES.splitlines()[1].split()


def test_what_the_writer_writes_of_its_own(path: Path) -> None:
    ran = Sentence((Token("Ada", xpos="NNP", ner="B-PER"), Token("ran", lemma="run")), "Bo")
    clusters = ((Mention(0, 0, 1), Mention(1, 0, 1)), (Mention(0, 0, 2),))
    document = Document("d", 2, "en", (ran, Sentence((Token("She"),))), clusters)
    assert again(path, [document]).split("\n") == [
        "#begin document (d); part 002",
        "d\t2\t0\tAda\tNNP\t-\t-\t-\t-\tBo\t(PER)\t(1|(0)",
        "d\t2\t1\tran\t-\t-\trun\t-\t-\tBo\t*\t1)",
        "",
        "d\t2\t0\tShe\t-\t-\t-\t-\t-\t-\t*\t(0)",
        "",
        "#end document",
        "",
    ]


def test_litbank_part_and_marks(path: Path) -> None:
    content = (
        "#begin document (9_mill); part 0\n"
        "9_mill\t0\t0\tAda\t_\t_\t_\t_\t_\t_\t_\t_\t(0)\n"
        "9_mill\t0\t1\tleft\t_\t_\t_\t_\t_\t_\t_\t_\t\n\n#end document\n"
    )
    (document,) = of(path, content)
    assert (document.doc_id, document.part, document.meta) == ("9_mill", 0, {})
    assert document.sentences[0].tokens == (Token("Ada"), Token("left"))
    again(path, [document])


@pytest.mark.parametrize(
    "content",
    [
        PREDICTED,
        PREDICTED.replace("a/b 0 ", "a/b "),
        PREDICTED.replace("a/b 0 0 ", "").replace("a/b 0 1 ", ""),
    ],
)
def test_predicted_files_with_few_columns(path: Path, content: str) -> None:
    (document,) = of(path, content)
    assert [token.form for token in document.sentences[0].tokens] == ["Ada", "left"]
    assert document.clusters == ((Mention(0, 0, 1),),)
    again(path, [document])


def test_comments_stay_and_further_empty_lines_go(path: Path) -> None:
    content = (
        "# made by hand\n\n#begin document (d); part 000\n# one\n"
        "d\t0\t0\t#\t-\n\n\n# two\nd\t0\t0\tb\t-\n\n# three\n#end document\n"
    )
    (document,) = of(path, content)
    assert [sentence.tokens[0].form for sentence in document.sentences] == ["#", "b"]
    said = [line for line in again(path, [document]).split("\n") if not line.startswith("d\t")]
    assert said == [
        *("# made by hand", "#begin document (d); part 000", "# one", "", "# two", ""),
        *("# three", "#end document", ""),
    ]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (
            "(0)",
            "0)",
            2,
            r"document a/b: 0\) closes a mention that is not open; open here: nothing",
        ),
        (
            "(0)",
            "(2|3)",
            2,
            r"3\) closes a mention that is not open; open here: \(2 .*check lists all",
        ),
        ("left -", "left (7*)", 3, r"'\(7\*\)' is not a bracket"),
        ("left -", "left (7", 3, r"\(7 is not closed in its sentence"),
        ("left -", "left x", 3, "'x' is not a bracket"),
        ("left -", "left 7", 3, "'7' is not a bracket"),
        ("a/b 0 1 left -", "a/b 0 1 left", 3, "4 columns where the sentence begins with 5"),
        ("left -", "left\u3000-", 3, "4 columns where the sentence begins with 5"),
        ("left -", "left" + " " * 100_001 + "-", 3, "a row of over 100,000 cells"),
        ("#end document\n", "", 4, r"cut off within a document.*--lenient"),
        ("#end document", "#begin document (c); part 0", 5, r"begins in another.*--lenient"),
        ("#begin document (a/b); part 000\n", "", 1, r"a line outside a document.*--lenient"),
        ("a/b 0 1", "#end document\n#end document\na/b 0 1", 4, "ends that never began"),
        ("Ada", "\0", 2, "a NUL byte"),
    ],
)
def test_what_is_refused(path: Path, old: str, new: str, line: int, message: str) -> None:
    path.write_text(PREDICTED.replace(old, new))
    for read_all in (lambda: list(read(path, "en")), lambda: list(read_columns(path))):
        with pytest.raises(DataError, match=message) as caught:
            read_all()
        assert (caught.value.line, caught.value.path) == (line, str(path))


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("#end document\n", "", ["a/b"]),
        ("#end document\n", PREDICTED, ["a/b", "a/b"]),
        ("#begin document (a/b); part 000\n", "", ["set"]),
    ],
)
def test_lines_around_documents_may_be_missing(
    path: Path, caplog: pytest.LogCaptureFixture, old: str, new: str, names: list[str]
) -> None:
    warn_once.cache_clear()
    path.write_text(PREDICTED.replace(old, new))
    with lenient():
        found = [document for _, document in read(path, "en")]
        assert [one.name for one in read_columns(path)] == names
    assert [one.doc_id for one in found] == names and caplog.text.count("all the same") == 1
    assert {one.clusters for one in found} == {((Mention(0, 0, 1),),)}
    path.write_text(PREDICTED.partition("\n")[2] * 2)
    with lenient():
        parts = [document.part for _, document in read(path, "en")]
        assert parts == [one.part for one in read_columns(path)] == [0, 1]


def test_a_skeleton_says_how_to_get_the_words(path: Path) -> None:
    one = PREDICTED.replace("left", "[WORD]")
    assert of(path, one)
    with pytest.raises(DataError, match=r"skeleton2conll.*LDC") as caught:
        of(path, one.replace("Ada", "[WORD]"))
    assert caught.value.line == 2


WORDS = Sentence((Token("a"), Token("b"), Token("c")))
DOCUMENT = Document("d", 0, "en", (WORDS,), ((Mention(0, 0, 1), Mention(0, 2, 3)),))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"clusters": ((Mention(0, 0, 2), Mention(0, 1, 3)),)},
            "crosses another mention of its entity",
        ),
        ({"clusters": ((Mention(0, 0, 2),), (Mention(0, 0, 2),))}, "is named twice, as 0 and 1"),
        ({"clusters": ((),)}, "a cluster has no mention"),
        ({"clusters": ((Mention(0, 1, 1, zero=True),),)}, "zero or discontinuous"),
        ({"sentences": (Sentence(()),), "clusters": ()}, "has no words"),
        ({"sentences": (Sentence((Token("[WORD]"),)),), "clusters": ()}, "skeleton"),
        ({"sentences": (Sentence((Token("a\tb"),)),), "clusters": ()}, "white space"),
        ({"sentences": (Sentence((Token("a", ner="PER"),)),), "clusters": ()}, "neither B-X"),
        ({"doc_id": "a\nb"}, "the name of the document cannot stand in a line"),
        ({"meta": {"conll": 5}}, "document d, part 0"),
        ({"meta": {"conll": {"sentences": {"0": {"srl1": "*"}}}}}, "document d, part 0"),
        ({"meta": {"conll": {"comments": [[0, "d\t1"]]}}}, "a comment that does not begin with #"),
        ({"meta": {"conll": {"ids": [")"]}}}, None),
    ],
)
def test_documents_that_it_cannot_carry(
    path: Path, change: dict[str, Any], message: str | None
) -> None:
    document = replace(DOCUMENT, **change)
    if message is None:
        write(path, [document])
        (found,) = [found for _, found in read(path, "en")]
        assert replace(found, meta={}) == replace(document, meta={})
        return
    with pytest.raises(DataError, match=message) as caught:
        write(path, [document])
    assert caught.value.path == str(path)


@settings(max_examples=40, deadline=None)
@given(records=st.lists(conll_documents(), max_size=3))
def test_reads_what_it_wrote(path: Path, records: list[Document]) -> None:
    assert write(path, records) == len(records)
    assert [document for _, document in read(path, "xx")] == records


def test_spans_of_one_word_and_of_more() -> None:
    cells = ["(GPE)", "*", "(ORG*", "*", "*)", "(ORG)", "(DATE*", "*)"]
    said = ["B-GPE", None, "B-ORG", "I-ORG", "I-ORG", "B-ORG", "B-DATE", "I-DATE"]
    assert read_star_column(cells) == said and make_star_column(said) == cells
    # I- of another label, or behind no span, begins one.
    assert make_star_column(["B-ORG", "I-GPE", "O", "I-DATE"]) == ["(ORG)", "(GPE)", "*", "(DATE)"]


@pytest.mark.skipif(not REAL, reason=f"no real files in {DATA}")
def test_real_files_come_back_as_the_same_records(path: Path) -> None:
    """Novels of LitBank, sentences of WinoBias, and documents of OntoGUM."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for file in REAL:
        count = counts[file.relative_to(DATA).parts[0]]
        for record in (document for _, document in read(file, "en")):
            mentions = [mention for cluster in record.clusters for mention in cluster]
            count["documents"] += 1
            count["words"] += sum(len(sentence.tokens) for sentence in record.sentences)
            count["mentions"] += len(mentions)
            count["clusters"] += len(record.clusters)
            if len(set(mentions)) == len(mentions):
                again(path, [record])
                count["same"] += 1
            else:
                with pytest.raises(DataError, match="is named twice"):
                    write(path, [record])
    # As the files' brackets count them; one document of OntoGUM names a span twice, which no writer
    # of ours does.
    assert {name: list(count.values()) for name, count in counts.items()} == {
        "litbank": [8, 16722, 2063, 610, 8],
        "winograd": [396, 5511, 801, 396, 396],
        "ontogum": [30, 28119, 3818, 857, 29],
    }


KEY = (
    "#begin document (ECB+/ecbplus_all); part 000\n"
    "ECB+/ecbplus_all\t(0)\nECB+/ecbplus_all\t(1)\nECB+/ecbplus_all\t(0)\n#end document"
)


def test_a_key_is_read_and_written_again_the_same(path: Path) -> None:
    path.write_text(KEY)
    ((line, document),) = read_key(path, "en")
    assert line == 1
    assert document.doc_id == "ECB+/ecbplus_all"
    assert document.clusters == ((Mention(0, 0, 1), Mention(2, 0, 1)), (Mention(1, 0, 1),))
    assert write_key(path, [document]) == 1
    assert path.read_text() == KEY
    assert KEY_FORMAT.suits("key", KEY)


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (KEY.replace("\t(1)", "\t(1)|(2)"), 3, "not a name, a tab and a cluster"),
        (KEY.removesuffix("#end document"), 4, "cut off within a document"),
        (KEY.partition("\n")[2], 1, "was expected"),
        (KEY.replace("#end document", KEY), 5, "opens in another"),
    ],
)
def test_what_is_no_key_is_named(path: Path, content: str, line: int, message: str) -> None:
    path.write_text(content)
    with pytest.raises(DataError, match=message) as caught:
        list(read_key(path, "en"))
    assert caught.value.line == line
