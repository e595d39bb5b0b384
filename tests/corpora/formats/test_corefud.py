"""CoNLL-U with and without CorefUD's mentions: fixtures of ours, damage, and the real treebanks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats.corefud import read, write
from corefmill.corpora.records import Document, Mention, Sentence, Token
from tests.corpora.generated import corefud_documents

UD = Path(__file__).resolve().parents[4] / "shared" / "data" / "ud"


def rows(*lines: str) -> str:
    """Columns separated by single blanks, for the eye."""
    return "".join(line.replace(" ", "\t") + "\n" for line in lines) + "\n"


ITALIAN = (
    "# newdoc id = mulino\n# global.Entity = eid-etype-head-other\n# newpar\n# sent_id = m-1\n"
    "# text = Ada macina nel mulino vecchio, davvero.\n"
    + rows(
        "1 Ada Ada PROPN SP _ 2 nsubj 2:nsubj Entity=(e1-person-1)",
        "2 macina macinare VERB V Mood=Ind|Tense=Pres 0 root 0:root _",
        "3-4 nel _ _ _ _ _ _ _ _",
        "3 in in ADP E _ 5 case 5:case _",
        "4 il il DET RD _ 5 det 5:det Bridge=e1<e2|Entity=(e2[1/2]-place-2",
        "5 mulino mulino NOUN S _ 2 obl 2:obl:in Entity=e2[1/2])",
        "6 vecchio vecchio ADJ A _ 5 amod 5:amod SpaceAfter=No",
        "7 , , PUNCT FF _ 2 punct 2:punct _",
        "8 davvero davvero ADV B _ 2 advmod 2:advmod Entity=(e2[2/2]-place-2)|SpaceAfter=No",
        "9 . . PUNCT FS _ 2 punct 2:punct Note=x=y",
    )
    + "# sent_id = m-2\n# speaker = Bo\n# text = Ride.\n"
    + rows(
        "0.1 _ _ PRON _ Person=3 _ _ 1:nsubj Entity=(e1--1-zero)",
        "1 Ride ridere VERB V _ 0 root 0:root SpaceAfter=No",
        "2 . . PUNCT FS _ 1 punct 1:punct _",
    )
)
PLAIN = "# sent_id = 1\n# text = Ada left\n" + rows(
    "1 Ada Ada PROPN _ _ 2 nsubj _ _", "2 left leave VERB _ _ 0 root _ _"
)


def of(path: Path, content: str | bytes) -> list[Document]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return [document for _, document in read(path, "it")]


def again(path: Path, records: Sequence[Document]) -> str:
    assert write(path, records) == len(records)
    return path.read_text("utf-8")


def test_mentions_in_one_piece_in_two_and_in_none(path: Path) -> None:
    (document,) = of(path, ITALIAN)
    assert document.doc_id == "mulino" and document.sentences[1].speaker == "Bo"
    assert document.clusters == (
        (Mention(0, 0, 1), Mention(1, 0, 0, zero=True)),
        (Mention(0, 3, 8, ((3, 5), (7, 8))),),
    )
    tokens = document.sentences[0].tokens
    assert tokens[1] == Token("macina", "macinare", "VERB", "V", "Mood=Ind|Tense=Pres", 0, "root")
    # Spaces are the multiword token's: in + il is written "nel".
    assert "".join(token.form + " " * token.space_after for token in tokens) == (
        "Ada macina inil mulino vecchio, davvero. "
    )
    meta = document.meta["corefud"]
    said = {"0:0-1": "-person-1", "0:3-5,7-8": "-place-2", "1:0": "--1-zero"}
    assert meta["attributes"] == said
    assert meta["sentences"]["0"]["multiword"] == {"3-4": "nel"}
    assert meta["sentences"]["0"]["misc"] == {"3": "Bridge=e1<e2|Entity", "8": "Note=x=y"}
    assert meta["sentences"]["1"]["empty"] == {"0.1": "_\t_\tPRON\t_\tPerson=3\t_\t_\t1:nsubj"}
    assert again(path, [document]) == ITALIAN
    assert jsonl.loads(jsonl.dumps(document), Document) == document


RELATED = "# newdoc id = d\n# global.Entity = eid\n# sent_id = 1\n# text = a b c d\n" + rows(
    "0.1 _ _ _ _ _ _ _ _ Bridge=e5<e6:part|Entity=(e6)",
    "1 a _ _ _ _ _ _ _ Entity=(e5)",
    "2 b _ _ _ _ _ _ _ Entity=(e7)",
    "3 c _ _ _ _ _ _ _ Bridge=e5<e8,e7<e8|Entity=(e8)",
    "4 d _ _ _ _ _ _ _ Entity=(e9)|SplitAnte=e5<e9,e7<e9",
)


@pytest.mark.parametrize(
    ("kept", "left_out", "relations"),
    [
        ("56789", 0, ["Bridge=e5<e6:part", "Bridge=e5<e8,e7<e8", "SplitAnte=e5<e9,e7<e9"]),
        ("5789", 1, ["Bridge=e1<e3,e2<e3", "SplitAnte=e1<e4,e2<e4"]),  # by their new names
        ("5689", 3, ["Bridge=e2<e1:part", "Bridge=e2<e3"]),  # no half of the split antecedents
        ("79", 5, []),
    ],
)
def test_relations_of_entities_that_are_gone_are_left_out_and_counted(
    path: Path, caplog: pytest.LogCaptureFixture, kept: str, left_out: int, relations: list[str]
) -> None:
    """They once stayed, and udapi found no such entity."""
    (document,) = of(path, RELATED)
    ids = document.meta["corefud"]["ids"]
    clusters = [
        cluster for name, cluster in zip(ids, document.clusters, strict=True) if name[1] in kept
    ]
    lines = again(path, [replace(document, clusters=tuple(clusters))]).splitlines()
    miscs = [item for line in lines for item in line.split("\t")[-1].split("|")]
    assert [item for item in miscs if item.startswith(("Bridge", "Split"))] == relations
    said = [record.message for record in caplog.records]
    assert [f"{left_out} relation" in line for line in said] == [True] * bool(left_out)


def test_a_relation_of_an_entity_that_has_another_mention_now_is_left_out(path: Path) -> None:
    (document,) = of(path, RELATED)
    zero, first, *others = document.clusters
    more = (*first, Mention(0, 2, 4))
    text = again(path, [replace(document, clusters=(zero, more, *others))])
    assert "e5<" not in text and "Bridge=e7<e8|" in text
    assert of(path, text)[0].clusters[1] == more


def test_documents_by_newdoc(path: Path) -> None:
    content = PLAIN + "# newdoc = b\n" + PLAIN + PLAIN + "# newdoc\n" + PLAIN
    found = of(path, content)
    assert [document.doc_id for document in found] == ["set", "b", "set-3"]
    assert [len(document.sentences) for document in found] == [1, 2, 1]
    assert [line for line, _ in read(path, "it")] == [1, 6, 17]
    again(path, found)
    assert [document for _, document in read(path, "it")] == found
    # Without Entity there are no clusters.
    assert found[0].clusters == ()
    assert again(path, found[:1]) == "# newdoc id = set\n" + PLAIN


def test_what_the_writer_writes_of_its_own(path: Path) -> None:
    ride = Sentence((Token("Ada", head=2), Token("ride", ner="B-X", head=0)), "Bo")
    document = Document("d", 1, "it", (ride,), ((Mention(0, 0, 2), Mention(0, 1, 1, zero=True)),))
    assert again(path, [document]) == (
        "# newdoc id = d\n# part = 1\n# global.Entity = eid-etype-head-other\n"
        "# sent_id = d-part1-1\n# speaker = Bo\n# text = Ada ride\n"
        + rows(
            "1 Ada _ _ _ _ 2 _ _ Entity=(e1--3",
            "1.1 _ _ _ _ _ _ _ _ Entity=(e1--1)",
            "2 ride _ _ _ _ 0 _ _ Entity=e1)|NER=B-X",
        )
    )
    assert [found for _, found in read(path, "it")] == [document]


def test_brackets_that_stand_otherwise_stay_while_they_say_the_same(path: Path) -> None:
    content = PLAIN.replace("_\n2", "Entity=(e9--1)(e8--1\n2").replace("_\n\n", "Entity=e8)\n\n")
    content = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n" + content
    (document,) = of(path, content)
    assert again(path, [document]) == content
    assert document.meta["corefud"]["sentences"]["0"]["entity"]
    fewer = again(path, [replace(document, clusters=document.clusters[1:])])
    assert "Entity=(e1--1\n" in fewer.replace("\t", " ") and "e9" not in fewer


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("left\tleave", "left", 4, "9 columns, CoNLL-U has 10"),
        ("2\tleft", "3\tleft", 4, "ID '3' where 2 was expected"),
        ("2\tnsubj", "3\tnsubj", 3, "HEAD '3' is not a word"),
        pytest.param(
            "2\tnsubj", f"{'0' * 5000}\tnsubj", 3, f"HEAD '{'0' * 20}' is not a word", id="digits"
        ),
        ("VERB", "", 4, "an empty column"),
        ("leave", "le  ave", 4, "two blanks together"),
        ("_\n\n", "Entity=(e1\n\n", 4, r"\(e1 is not closed in its sentence"),
        ("_\n\n", "Entity=e1)\n\n", 4, r"e1\) closes a mention that is not open"),
        ("_\n\n", "Entity=(e1)|Entity=(e2)\n\n", 4, "Entity in MISC is there twice"),
        ("1\tAda", "1-3\tx" + "\t_" * 8 + "\n1\tAda", 5, "ends within a multiword token"),
        ("Ada left\n", "Ada left\n\n", 2, "a sentence without words"),
        ("sent_id = 1", "global.Entity = head", 1, "neither eid"),
    ],
)
def test_what_is_refused(path: Path, old: str, new: str, line: int, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        of(path, PLAIN.replace(old, new, 1))
    assert (caught.value.line, caught.value.path) == (line, str(path))


WORDS = Sentence(tuple(map(Token, "abcd")))
DOCUMENT = Document("d", 0, "it", (WORDS,), ((Mention(0, 0, 1), Mention(0, 2, 3)),))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"clusters": ((Mention(0, 0, 3), Mention(0, 1, 4)),)}, "cross"),
        ({"clusters": ((Mention(0, 0, 2),), (Mention(0, 0, 2),))}, "have the same words"),
        ({"clusters": ((),)}, "a cluster has no mention"),
        (
            {"clusters": ((Mention(0, 0, 3, ((1, 2), (0, 3))),),)},
            "do not run from its start to its end",
        ),
        ({"sentences": (), "clusters": ()}, "has no sentences"),
        ({"sentences": (Sentence(()),), "clusters": ()}, "has no words"),
        (
            {"sentences": (Sentence((Token("a", ner="a|b"),)),), "clusters": ()},
            "cannot be written in",
        ),
        ({"sentences": (Sentence((Token(""),)),), "clusters": ()}, "has an empty value"),
        ({"sentences": (Sentence((Token("a\tb"),)),), "clusters": ()}, "holds a tab"),
        ({"sentences": (Sentence((Token("a", ner="a  b"),)),), "clusters": ()}, "two blanks"),
        ({"doc_id": "a\nb"}, "a line break"),
        ({"meta": {"corefud": 5}}, "document d"),
        (
            {"meta": {"corefud": {"sentences": {"0": {"comments": ["x"]}}}}},
            "an unknown comment 'x'",
        ),
        ({"meta": {"corefud": {"sentences": {"0": {"deps": "_"}}}}}, "deps for"),
        ({"meta": {"corefud": {"sentences": {"0": {"multiword": {"4-5": "x"}}}}}}, "multiword"),
        ({"meta": {"corefud": {"ids": ["a-b"]}}}, None),
        ({"meta": {"corefud": {"attributes": {"9:9": "-x"}}}}, None),
    ],
)
def test_documents_that_it_cannot_carry(
    path: Path, change: dict[str, Any], message: str | None
) -> None:
    document = replace(DOCUMENT, **change)
    if message is None:
        write(path, [document])
        (found,) = [found for _, found in read(path, "it")]
        assert replace(found, meta={}) == replace(document, meta={})
        return
    with pytest.raises(DataError, match=message) as caught:
        write(path, [document])
    assert caught.value.path == str(path)


@settings(max_examples=20, deadline=None)
@given(records=st.lists(corefud_documents(), max_size=2))
def test_reads_what_it_wrote(path: Path, records: list[Document]) -> None:
    assert write(path, records) == len(records)
    assert [document for _, document in read(path, "xx")] == records


DROPPED = (
    "# newdoc id = d\n# global.Entity = eid-etype-head-other\n"
    "# sent_id = d-1\n# text = Ada dice che non l'ha visto.\n"
    + rows(
        "1 Ada Ada PROPN _ _ 2 nsubj 2:nsubj Entity=(e1--1)",
        "2 dice dire VERB _ _ 0 root 0:root _",
        "3 che che SCONJ _ _ 7 mark 7:mark _",
        "3.1 _ lei PRON _ Number=Sing|Person=3 _ _ 7:nsubj Entity=(e1--1)|OnVerb=6",
        "4 non non ADV _ _ 7 advmod 7:advmod _",
        "5 l' lo PRON _ _ 7 obj 7:obj Entity=(e2--1)|SpaceAfter=No",
        "6 ha avere AUX _ _ 7 aux 7:aux _",
        "7 visto vedere VERB _ _ 2 ccomp 2:ccomp SpaceAfter=No",
        "8 . . PUNCT _ _ 2 punct 2:punct _",
    )
)


def test_a_dropped_subject_is_on_its_verb_and_at_an_empty_node(path: Path) -> None:
    (document,) = of(path, DROPPED)
    assert document.clusters == (
        (Mention(0, 0, 1), Mention(0, 5, 6)),
        (Mention(0, 4, 5),),
    )
    kept = document.meta["corefud"]["sentences"]["0"]
    assert kept.keys() == {"deps", "empty"}
    assert again(path, [document]) == DROPPED
    # Without its cluster the node stays, and names its verb.
    fewer = replace(document, clusters=document.clusters[1:])
    assert "\t7:nsubj\tOnVerb=6\n" in again(path, [fewer])
    assert next(found for _, found in read(path, "it")).clusters == fewer.clusters


@pytest.mark.parametrize(
    ("old", "new", "zeros"),
    [
        ("7:aux _", "7:aux Entity=(e3--1)", 1),  # the verb has a mention to itself
        ("4 non", "3.2 _ _ _ _ _ _ _ 7:obj Entity=(e2--1)|OnVerb=6\n4 non", 1),  # two for a word
        ("4 non", "3.2 _ _ _ _ _ _ _ 7:obj Entity=(e2--1)|OnVerb=7\n4 non", 0),
    ],
)
def test_empty_nodes_that_are_no_dropped_subjects(
    path: Path, old: str, new: str, zeros: int
) -> None:
    changed = DROPPED.replace(old.replace(" ", "\t"), new.replace(" ", "\t"))
    (document,) = of(path, changed)
    mentions = [mention for cluster in document.clusters for mention in cluster]
    assert sum(mention.zero for mention in mentions) == zeros
    assert again(path, [document]) == changed


EXTENDED = "eid-etype-head-minspan-infstat-link-identity"
FULL_GUM = "GRP-etype-infstat-salience-centering-minspan-link-identity"
OLDER_GUM = "entity-GRP-infstat-MIN-coref_type-identity"


def two_sentences(header: str, first: str, second: str) -> str:
    """Two sentences: an empty node before the first word, a contraction, brackets and links."""
    return (
        f"# newdoc id = d\n# global.Entity = {header}\n"
        "# sent_id = d-1\n# text = ate apples al bar\n"
        f"0.1\t_\tshe\tPRON\t_\t_\t_\t_\t1:nsubj\tEntity=({first})\n"
        "1\tate\teat\tVERB\t_\t_\t0\troot\t0:root\t_\n"
        f"2\tapples\tapple\tNOUN\t_\t_\t1\tobj\t1:obj\tEntity=({second}\n"
        "3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "3\ta\ta\tADP\t_\t_\t5\tcase\t5:case\t_\n"
        "4\tel\tel\tDET\t_\t_\t5\tdet\t5:det\tEntity=e2)\n"
        "5\tbar\tbar\tNOUN\t_\t_\t1\tobl\t1:obl\tBridge=e1<e9:subset|SplitAnte=e1<e7,e2<e7\n\n"
    )


@pytest.mark.parametrize(
    ("header", "first", "second"),
    [
        ("eid-etype-head-other", "e1-person-1-", "e2-object-1-infstat:new,x:y%2Dz"),
        ("eid", "e1", "e2"),
        ("GRP", "e1", "e2"),
        (EXTENDED, "e1-person-1-1-giv:act-ana-Ann_Lee", "e2-object-2-1,2-new-coref-"),
        (FULL_GUM, "e1-person-acc:inf-s-cf2*-1-coref-", "e2-abstract-new-n-cf1-1-sgl-A_B"),
        (OLDER_GUM, "person-e1-giv:act-1-ana-Ann", "object-e2-new-1,2-sgl-"),
    ],
)
def test_every_header_is_written_as_it_was(
    path: Path, header: str, first: str, second: str
) -> None:
    """A mention of several words once stood twice, and a link to an entity without mentions, as
    e7 and e9 are here, once stopped the writer."""
    (document,) = of(path, two_sentences(header, first, second))
    assert document.clusters == ((Mention(0, 0, 0, zero=True),), (Mention(0, 1, 4),))
    assert document.meta["corefud"].get("ids", ["e1", "e2"]) == ["e1", "e2"]
    assert again(path, [document]) == two_sentences(header, first, second)


def test_an_empty_node_before_the_first_word_stays_where_no_mention_is_on_it(path: Path) -> None:
    """A tool of the field once dropped node 0.1 without a word."""
    (document,) = of(path, two_sentences("eid", "e1", "e2").replace("Entity=(e1)", "_"))
    assert document.clusters == ((Mention(0, 1, 4),),)
    assert "\n0.1\t_\tshe\tPRON\t" in again(path, [document])


@pytest.mark.thorough
@pytest.mark.skipif(not UD.is_dir(), reason=f"no real files in {UD}")
def test_real_treebanks_byte_for_byte(tmp_path: Path) -> None:
    files = sorted(UD.glob("*/*.conllu"), key=lambda file: file.stat().st_size)[:3]
    files.append(UD / "en" / "en_ewt-ud-dev.conllu")  # it has empty nodes
    for file in files:
        whole = file.read_text("utf-8")
        records = [document for _, document in read(file, file.parent.name)]
        sentences = [sentence for record in records for sentence in record.sentences]
        assert len(sentences) == whole.count("\n# sent_id =") + whole.startswith("# sent_id =")
        tokens = sum(len(sentence.tokens) for sentence in sentences)
        assert tokens == len(re.findall(r"(?m)^\d+\t", whole))
        assert not any(record.clusters for record in records)
        copy = tmp_path / file.name
        write(copy, records)
        opening = "" if whole.startswith("# newdoc id") else f"# newdoc id = {file.stem}\n"
        assert copy.read_text("utf-8") == opening + whole


def test_a_mention_keeps_its_empty_nodes(path: Path) -> None:
    whole = rows(
        "1 came _ VERB _ _ 0 root _ _",
        "1.1 _ he PRON _ _ _ _ 1:nsubj Entity=(e1--1",
        "2 home _ ADV _ _ 1 advmod _ Entity=e1)",
    )
    (document,) = of(path, whole)
    assert document.clusters == ((Mention(0, 1, 2),),)
    write(path, [document])
    assert "1.1\t_\the\tPRON\t_\t_\t_\t_\t1:nsubj\tEntity=(e1--1\n" in path.read_text("utf-8")
    kept = document.meta["corefud"]["sentences"]["0"]
    del kept["entity"]
    write(path, [document])
    assert "2\thome\t_\tADV\t_\t_\t1\tadvmod\t_\tEntity=(e1--1)\n" in path.read_text("utf-8")
