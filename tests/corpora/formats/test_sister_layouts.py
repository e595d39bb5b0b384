"""Older and sister layouts of known corpora: what each variant gives, or the error it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.corpora.check.checker import Checker
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import conll_ua, corefud, litbank
from corefmill.corpora.formats.bad_mentions import lenient
from corefmill.corpora.formats.registry import detect_format, files_below
from corefmill.corpora.records import Document, Mention
from corefmill.corpora.scoring import readers

WORDS = ["Ann", "saw", "the", "dog", "of", "her", "son"]


def marked(path: Path) -> str:
    """The documents of a file as text, `[the dog of [Ann]0]1`: each mention with its cluster."""
    return " // ".join(
        mark(document, place)
        for _, document in detect_format(path).read(path, "en")
        for place in range(len(document.sentences))
    )


def mark(document: Document, place: int) -> str:
    spans = [
        (mention.start, mention.end, number)
        for number, cluster in enumerate(document.clusters)
        for mention in cluster
        if mention.sentence == place
    ]
    return " ".join(
        "[" * sum(start == at for start, _, _ in spans)
        + token.form
        + "".join(f"]{number}" for _, end, number in sorted(spans, reverse=True) if end == at + 1)
        for at, token in enumerate(document.sentences[place].tokens)
    )


def conllu(*miscs: str) -> str:
    """A sentence of CoNLL-U; `miscs` are those of its words, `ID:MISC` for an empty node."""
    rows = [
        (misc.split(":")[0] if misc[:1].isdigit() else "", misc.partition(":")[2]) for misc in miscs
    ]
    words = iter(range(1, 9))
    lines = []
    for (name, rest), misc in zip(rows, miscs, strict=True):
        place = 0 if name else next(words)
        form = "_" if name else WORDS[place - 1]
        said = rest if name else misc
        lines.append("\t".join([name or str(place), form, *"_" * 7, said or "_"]) + "\n")
    return "".join(lines) + "\n"


def cells(*values: str) -> str:
    return conllu(*(value and f"Entity={value}" for value in values))


OLD_GUM = [
    (cells("(person-1)", "", "(animal-2", "animal-2)"), "[Ann]0 saw [the dog]1"),
    (cells("(person-1)", "", "(animal-2", "2)"), "[Ann]0 saw [the dog]1"),
    (cells("(person-1)", "(person-1)", "(person-2)"), "[Ann]0 [saw]0 [the]1"),
    (cells("(person-1-new-1-coref)", "", "(animal-2-giv:act-2-sgl", "2)"), "[Ann]0 saw [the dog]1"),
    (cells("(person-1", "(person-1)person-1)"), "[Ann [saw]0]0"),
    (cells("(abstract-1(person-2)", "abstract-1)"), "[[Ann]1 saw]0"),
    (cells("", "(time-23)") + cells("(time-23)"), "Ann [saw]0 // [Ann]0"),
    (cells("(person-1)") + "# newdoc id = b\n" + cells("(person-1)"), "[Ann]0 // [Ann]0"),
    ("# global.Entity = entity-GRP-infstat\n" + cells("(person-1-new", "person-1)"), "[Ann saw]0"),
    ("# global.Entity = GRP-etype\n" + cells("(1-person", "1-person)"), "[Ann saw]0"),
    (cells("(e1-person-1)", "(e2-person-1)"), "[Ann]0 [saw]1"),
    (cells("(e1--1)", "(e1--1)"), "[Ann]0 [saw]0"),
    (cells("(1)", "", "(2", "2)"), "[Ann]0 saw [the dog]1"),
    (cells("(person)", "", "(animal", "animal)"), "has a type but no entity ID"),
    ("# global.Entity = etype-infstat\n" + cells("(person-new)"), "neither eid (CorefUD) nor GRP"),
]
OLD_COREFUD = [
    (conllu("ClusterId=a|MentionSpan=1", "", "ClusterId=a|MentionSpan=3"), "[Ann]0 saw [the]0"),
    (conllu("", "", "", "ClusterId=a|MentionSpan=3-4"), "Ann saw [the dog]0"),
    (conllu("ClusterId=x-1-c2", "ClusterId=x-1-c2", "ClusterId=x-12"), "[Ann]0 [saw]0 [the]1"),
    (
        conllu("", "ClusterId[1]=a|MentionSpan[1]=1-2|ClusterId[2]=b|MentionSpan[2]=2"),
        "[Ann [saw]1]0",
    ),
    (
        conllu("ClusterId=a|ClusterType=Spec.person|MentionSpan=1-2|MentionMisc=k:v w:z-(1)", ""),
        "[Ann saw]0",
    ),
    (conllu("ClusterId=a|ClusterType=|SpaceAfter=No|MentionSpan=1"), "[Ann]0"),
    (conllu("ClusterId=a|MentionSpan=1,2", "", ""), "[Ann saw]0 the"),
    (conllu("ClusterId=b|Bridging=a:part", "ClusterId=a|Bridging=b:x,c"), "[Ann]0 [saw]1"),
    (conllu("ClusterId=a", "ClusterId=b", "ClusterId=c|Split=a+b"), "[Ann]0 [saw]1 [the]2"),
    (conllu("ClusterId=a", "ClusterId=b|MentionSpan=1-2"), "[[Ann]1 saw]0"),
    (
        "# global.Entity = eid\n" + cells("(a)") + conllu("Entity=(a)|ClusterId=b"),
        "[Ann]0 // [Ann]0",
    ),
    (conllu("ClusterId=a|MentionSpan=1-9"), "MentionSpan=1-9 is not in its sentence"),
    (conllu("MentionSpan=1|ClusterId="), "without a ClusterId"),
    (
        conllu("ClusterId=a|MentionSpan=1-3", "", "", "ClusterId=a|MentionSpan=2-4"),
        "mentions of one entity cross",
    ),
]


@pytest.mark.parametrize(("text", "expected"), [*OLD_GUM, *OLD_COREFUD])
def test_old_conllu(tmp_path: Path, text: str, expected: str) -> None:
    """The score's own reader finds the same clusters, or raises the same."""
    path = tmp_path / "a.conllu"
    path.write_text("# newdoc id = a\n" + text)
    if "[" not in expected:
        for read in (lambda: marked(path), lambda: list(readers.read_nodes(path))):
            with pytest.raises(DataError, match=expected.replace("(", r"\(").replace(")", r"\)")):
                read()
        return
    assert marked(path) == expected
    read_again = [document for _, document in corefud.read(path, "en")]
    sizes = [sorted(map(len, one.clusters)) for one in read_again]
    assert [sorted(map(len, text.clusters)) for text in readers.read_nodes(path)] == sizes
    corefud.write(tmp_path / "b.conllu", read_again)
    assert marked(tmp_path / "b.conllu") == expected


def test_old_corefud_keeps_heads_types_zeros_parts_and_relations(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(
        conllu(
            "ClusterId=x-1|MentionSpan=1,3",
            "1.1:ClusterId=b|MentionSpan=1.1|Bridging=x-1:part-of",
            "Gloss=s",
            "",
            "ClusterId=c|ClusterType=dog|MentionSpan=3-4|SplitAnte=x-1,b",
        )
        .replace("1.1\t_", "1.1\t_")
        .replace("\n2\t", "\n2\t")
    )
    ((_, document),) = corefud.read(path, "en")
    assert document.clusters == (
        (Mention(0, 0, 3, ((0, 1), (2, 3))),),
        (Mention(0, 1, 1, zero=True),),
        (Mention(0, 2, 4),),
    )
    corefud.write(path, [document])
    text = path.read_text()
    assert "Entity=(x%2D1[1/2]--1)" in text and "Entity=c)|SplitAnte=x%2D1<c,b<c" in text
    assert "(c-dog-2" in text and "Bridge=x%2D1<b:part%2Dof" in text and "Gloss=s" in text


UA = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING DD\n"


def ua(*values: str, start: int = 1, gap: str = "\t") -> str:
    """A sentence of CoNLL-UA; `values` are those of its words from IDENTITY on."""
    return "".join(
        gap.join([str(number), WORDS[(number - 1) % 7], *"_" * 8, *(value or "_").split()]) + "\n"
        for number, value in enumerate(values, start)
    )


def m(entity: str, number: int, more: str = "") -> str:
    return f"(EntityID={entity}|MarkableID=m{number}{more}"


@pytest.mark.parametrize(
    ("text", "expected", "said"),
    [
        (ua(m("1", 1) + ")", "", m("2", 2), ")"), "[Ann]0 saw [the dog]1", ""),
        (ua(m("1", 1) + ")", "", m("2", 2), ")", gap="  "), "[Ann]0 saw [the dog]1", ""),
        (ua(m("1", 1), m("2", 2) + "))"), "[Ann [saw]1]0", ""),
        (ua(m("1", 1) + m("1", 2) + ")", ")"), "[[Ann]0 saw]0", ""),
        (ua(m("1", 1) + "@" + m("2", 2), "))"), "[[Ann saw]1]0", ""),
        (ua(m("1", 1) + ")") + "\n" + ua(m("1", 2) + ")", start=2), "[Ann]0 // [saw]0", ""),
        (ua(m("1", 1) + ")") + "# sent_id = 2\n" + ua("", start=2), "[Ann]0 // saw", ""),
        (ua(m("1", 1) + ")") + "# newdoc id = b\n" + ua(m("1", 1) + ")"), "[Ann]0 // [Ann]0", ""),
        (ua("(EntityId=1|Markable_ID=x)", "(EntityID=1)"), "[Ann]0 [saw]0", ""),
        (ua(m("1", 1) + ")", m("2-Pseudo", 2) + ")"), "[Ann]0 saw", "do not refer (1)"),
        (ua(m("1", 1)) + "\n" + ua(")", start=2), "Ann // saw", "over a sentence's end (1)"),
        (ua(m("1", 1) + ") (MarkableID=m1|MentionAnchor=m9)"), "[Ann]0", "bridging left out"),
        (ua(m("1", 1, "|ElementOf=7") + ")"), "[Ann]0", "split antecedents left out"),
        (
            ua(m("1", 1) + ") _ " + m("1-DD", 3) + ")"),
            "[Ann]0",
            "cells of DD kept in MISC alone (1)",
        ),
        (
            "# global.columns = ID FORM IDENTITY\n1 Ann (EntityID=1\n2 saw )\n3 the",
            "[Ann saw]0 the",
            "",
        ),
        ("# global.columns = ID IDENTITY\n1 _", "", "the columns are ID IDENTITY"),
        (ua(m("1", 1)), "Ann", "the mention m1 of entity 1 is not closed (--lenient"),
        (ua(m("1", 1) + m("2", 2) + ")", ")"), "[[Ann]1 saw]0", ""),
        (ua(m("1", 1) + m("2", 2) + ")"), "[Ann]0", "the mention m1 of entity 1 is not closed"),
        (ua(")", m("2", 2) + ")"), "Ann [saw]0", ") closes no mention (--lenient"),
        (ua("(1)", "(MarkableID=m2)"), "", "has no EntityID"),
        (ua(m("1", 1) + ")x"), "", "IDENTITY is"),
        (ua("_ _ _ _"), "", "14 columns, where 10 to 13 were expected"),
        (ua("", "").replace("2\t", "3\t"), "", "ID '3' where 2 was expected"),
    ],
)
def test_universal_anaphora(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str, expected: str, said: str
) -> None:
    path = tmp_path / "a.CONLLUA"
    path.write_text(UA + "# newdoc id = a\n" + text)
    bad = "closed" in said or "closes" in said
    if bad or not expected:
        with pytest.raises(DataError) as raised:
            marked(path)
        assert said in str(raised.value) and raised.value.line
        if not expected:
            return
        said = "1 bad mention left out"
    with lenient(bad):
        assert marked(path) == expected
    assert [said in record.message for record in caplog.records] == [True] * bool(said)


def test_relations_of_universal_anaphora_become_those_of_corefud(tmp_path: Path) -> None:
    path = tmp_path / "a.CONLLUA"
    path.write_text(
        UA
        + ua(m("1", 1, "|ElementOf=3") + ")", m("2", 2, "|ElementOf=3") + ")")
        + "# speaker_id = Bo\n"
        + ua(
            m("3", 3) + ")",
            m("4", 4, "|Min=5|SemType=dn") + " (MarkableID=m4|Rel=a-b|MentionAnchor=m2)",
            ")",
            start=3,
        ).replace("the" + "\t_" * 5, "the" + "\t_" * 4 + "\t4")
    )
    ((_, document),) = conll_ua.read(path, "en")
    assert document.sentences[1].speaker == "Bo" and document.sentences[1].tokens[0].head == 2
    corefud.write(tmp_path / "b.conllu", [document])
    text = (tmp_path / "b.conllu").read_text()
    assert "# global.Entity = GRP-etype-head-other" in text and "SplitAnte=1<3,2<3" in text
    assert "(4--2-MarkableID:m4,Min:5,SemType:dn|Bridge=2<4:a%2Db" in text


def table(*lines: str) -> str:
    return "".join("\t".join(line.split(" ")) + "\n" for line in lines).replace("+", " ")


ANN = "MENTION T1 0 0 0 0 Ann PER PROP"
SHE = " // She left"
DOG = "MENTION T2 0 2 0 3 the+dog PER NOM"


@pytest.mark.parametrize(
    ("text", "expected", "said"),
    [
        (table(ANN, DOG, "COREF T1 A-0", "COREF T2 A-0"), f"[Ann]0 saw [the dog]0{SHE}", ""),
        (table(ANN, DOG, "COREF T1 A-0", "COREF T2 B-1"), f"[Ann]0 saw [the dog]1{SHE}", ""),
        (table(ANN, "MENTION T3 1 0 1 0 She PER PRON", "COREF T3 A-0", "COREF T1 A-0"),
         "[Ann]0 saw the dog // [She]0 left", ""),
        (table(ANN, DOG, "COP T2 T1"), f"[Ann]0 saw [the dog]1{SHE}", "links of copulas"),
        (table(ANN, "APPOS T2 T1"), f"[Ann]0 saw the dog{SHE}", "appositions left out (1)"),
        (table(ANN, "MENTION T3 0 2 1 0 the+dog+She PER NOM", "COREF T3 B-1"),
         f"[Ann]0 saw the dog{SHE}", "over a sentence's end (1)"),
        (table("T1 PROP_PER+0+3 Ann", "T2 A-0+0+3 Ann", "T3 NOM_PER+8+15 the+dog"),
         f"[Ann]0 saw [the dog]1{SHE}", ""),
        (table("T1 PROP_PER+0+3 Ann", "T2 A-0+0+3 Ann",
               "T3 PRON_PER+16+19 She", "T4 A-0+16+19 She"),
         "[Ann]0 saw the dog // [She]0 left", ""),
        (table("T1 PROP_PER+0+3 Ann", "R1 cop Arg1:T1+Arg2:T1"),
         f"[Ann]0 saw the dog{SHE}", "links of copulas"),
        (table("T1 PROP_PER+0+3 Ann", "T2 NOM_PER+0+3;8+11 Ann+the", "#1 AnnotatorNotes+T1 x"),
         f"[Ann]0 saw the dog{SHE}", "several pieces (1), notes"),
        (table(ANN, "MENTION T2 0 1 0 2 the+dog PER NOM"), "", "saw the' there, not 'the dog'"),
        (table(ANN, "MENTION T2 0 7 0 9 the+dog PER NOM"), "", "the text has no word 9"),
        (table(ANN, ANN), "", "T1 comes twice"),
        (table(ANN, "COREF T7 A-0"), "", "there is no mention T7"),
        (table(ANN, "MENTION T2 0 x 0 9 the+dog PER NOM"), "", "invalid literal"),
        (table(ANN, "E1 Verb:T1"), "", "is no line of LitBank's annotation"),
    ],
)  # fmt: skip
def test_litbank(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str, expected: str, said: str
) -> None:
    path = tmp_path / "a.ann"
    path.write_text(text)
    (tmp_path / "a.txt").write_text("Ann saw the dog\nShe left\n")
    assert files_below(tmp_path) == ({path: litbank.FORMAT}, [])
    if not expected:
        with pytest.raises(DataError) as raised:
            marked(path)
        assert said in str(raised.value) and raised.value.line
        return
    assert marked(path) == expected
    assert [said in record.message for record in caplog.records] == [True] * bool(said)
    (tmp_path / "a.txt").unlink()
    with pytest.raises(DataError, match=r"a\.txt.*is missing"):
        marked(path)


E = ["Entity=(e1)", "Entity=(e2)", "Entity=(e3)"]


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("", "SplitAnte=e1<e3,e2<e3", []),
        ("", "SplitAnte=e1<e3,e1<e3", ["W407"]),
        ("SplitAnte=e1<e3,e2<e3", "SplitAnte=e1<e3,e2<e3", ["W407", "W407"]),
        ("", "SplitAnte=e1<e3,e3<e3", ["W408"]),
        ("", "SplitAnte=e1<e3,e9<e3", ["W409"]),
        ("", "SplitAnte=e1<e3", ["W410"]),
        ("SplitAnte=e1<e2", "SplitAnte=e1<e3,e2<e3", ["W410"]),
        ("", "SplitAnte=e1<e3,e2", ["W409", "W410"]),
        ("", "Bridge=e1<e3:part", []),
        ("", "Bridge=e1<e3:part,e1<e3:part", ["W407"]),
        ("", "Bridge=e1<e3:part,e1<e3:set", []),
        ("Bridge=e1<e3", "Bridge=e1<e3", []),
        ("", "Bridge=e3<e3", ["W408"]),
        ("", "Bridge=e1<e8", ["W409"]),
        ("", "Bridge=e9<e9", ["W408", "W409"]),
        ("", "Bridge=", ["W409"]),
        ("Bridge=e7<e8", "SplitAnte=e1<e3,e2<e3", ["W409", "W409"]),
        ("", "||Bridge=e1<e3", ["W409"]),
    ],
)  # fmt: skip
def test_check_of_relations(tmp_path: Path, first: str, last: str, expected: list[str]) -> None:
    """A relation behind || stands at a word without a mention."""
    path = tmp_path / "a.conllu"
    last, _, bare = last.partition("||")
    items = [
        E[0],
        "|".join(filter(None, [first, E[1]])),
        "|".join(filter(None, [last, E[2]])),
        bare,
    ]
    path.write_text(
        "# newdoc id = d\n# global.Entity = eid\n"
        + conllu(*items)
        + "# newdoc id = other\n"
        + cells("(e9)")
    )
    found = list(Checker().check([path]))
    assert [one.code for one in found] == expected
    assert all(one.line == 1 for one in found)


def test_check_reads_relations_of_empty_nodes_and_odd_meta(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(
        "# global.Entity = eid\n" + conllu("0.1:Bridge=e1<e1|Entity=(e1)", "Entity=(e1)")
    )
    (found,) = Checker().check([path])
    assert found.code == "W408" and "node 0.1 of sentence 1" in found.message
    from corefmill.corpora.formats.native import DOCUMENTS

    assert DOCUMENTS.write is not None
    ((_, document),) = corefud.read(path, "en")
    for meta in ({"corefud": 3}, {"corefud": {"sentences": {"x": {"misc": {"y": "Bridge=a<b"}}}}}):
        odd = Document(document.doc_id, 0, "en", document.sentences, document.clusters, meta)
        DOCUMENTS.write(tmp_path / "b.jsonl", [odd])
        assert not list(Checker().check([tmp_path / "b.jsonl"]))
