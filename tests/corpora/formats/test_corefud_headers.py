"""CorefUD's headers, links between entities and empty nodes, as its corpora have had them."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.corpora.formats.corefud import FORMAT, read
from corefmill.corpora.records import Mention

EXTENDED = "eid-etype-head-minspan-infstat-link-identity"
FULL_GUM = "GRP-etype-infstat-salience-centering-minspan-link-identity"
OLDER_GUM = "entity-GRP-infstat-MIN-coref_type-identity"


def conllu(header: str, first: str, second: str) -> str:
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
        ("eid-etype-head", "e1-person-1", "e2--1"),
        ("eid", "e1", "e2"),
        ("GRP", "e1", "e2"),
        ("etype-eid", "person-e1", "-e2"),
        (EXTENDED, "e1-person-1-1-giv:act-ana-Ann_Lee", "e2-object-2-1,2-new-coref-"),
        (FULL_GUM, "e1-person-acc:inf-s-cf2*-1-coref-", "e2-abstract-new-n-cf1-1-sgl-A_B"),
        (OLDER_GUM, "person-e1-giv:act-1-ana-Ann", "object-e2-new-1,2-sgl-"),
    ],
)
def test_every_header_is_written_as_it_was(
    tmp_path: Path, header: str, first: str, second: str
) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(conllu(header, first, second))
    ((_, document),) = read(path, "es")
    assert document.clusters == ((Mention(0, 0, 0, zero=True),), (Mention(0, 1, 4),))
    assert document.meta["corefud"].get("ids", ["e1", "e2"]) == ["e1", "e2"]
    assert FORMAT.write is not None
    FORMAT.write(tmp_path / "again.conllu", [document])
    assert (tmp_path / "again.conllu").read_bytes() == path.read_bytes()


def test_a_discontinuous_mention_repeats_the_attributes_of_its_header(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    content = conllu(EXTENDED, "e1-person-1-1-giv-ana-", "e2[1/2]-object-2-1-new-coref-")
    content = content.replace("e2)", "e2[1/2])").replace(
        "Bridge=", "Entity=(e2[2/2]-object-2-1-new-coref-)|Bridge="
    )
    path.write_text(content)
    ((_, document),) = read(path, "es")
    assert document.clusters[1] == (Mention(0, 1, 5, parts=((1, 4), (4, 5))),)
    assert FORMAT.write is not None
    FORMAT.write(tmp_path / "again.conllu", [document])
    assert (tmp_path / "again.conllu").read_text() == content


def test_an_empty_node_before_the_first_word_stays_where_no_mention_is_on_it(
    tmp_path: Path,
) -> None:
    """A tool of the field once dropped node 0.1 without a word."""
    path = tmp_path / "a.conllu"
    path.write_text(conllu("eid", "e1", "e2").replace("Entity=(e1)", "_"))
    ((_, document),) = read(path, "fi")
    assert document.clusters == ((Mention(0, 1, 4),),)
    assert FORMAT.write is not None
    FORMAT.write(tmp_path / "again.conllu", [document])
    assert "\n0.1\t_\tshe\tPRON\t" in (tmp_path / "again.conllu").read_text()


def test_a_link_to_an_entity_that_has_no_mention_left_is_kept(tmp_path: Path) -> None:
    """Merging mentions once left such a link behind, which then stopped the writer."""
    path = tmp_path / "a.conllu"
    path.write_text(conllu("eid", "e1", "e2"))
    ((_, document),) = read(path, "cs")
    assert "e7" not in document.meta["corefud"].get("ids", [])
    assert FORMAT.write is not None
    FORMAT.write(tmp_path / "again.conllu", [document])
    assert "Bridge=e1<e9:subset|SplitAnte=e1<e7,e2<e7" in (tmp_path / "again.conllu").read_text()


def test_a_mention_of_several_words_is_read_once(tmp_path: Path) -> None:
    """A mention once stood twice at its first word."""
    path = tmp_path / "a.conllu"
    path.write_text(conllu("GRP", "e1", "e2"))
    ((_, document),) = read(path, "en")
    mentions = [mention for cluster in document.clusters for mention in cluster]
    assert len(mentions) == len(set(mentions)) == 2
