"""Keys of the event scorers: a line a mention, in order, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import conll2012
from corefmill.corpora.records import Document, Mention, Sentence, Token

KEY = (
    "#begin document (ECB+/ecbplus_all); part 000\n"
    "ECB+/ecbplus_all\t(0)\nECB+/ecbplus_all\t(1)\nECB+/ecbplus_all\t(0)\n#end document"
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("event_key") / "key.conll"


def test_a_key_is_read_and_written_again_the_same(path: Path) -> None:
    path.write_text(KEY)
    ((line, document),) = conll2012.read_key(path, "en")
    assert line == 1
    assert document.doc_id == "ECB+/ecbplus_all"
    assert document.clusters == ((Mention(0, 0, 1), Mention(2, 0, 1)), (Mention(1, 0, 1),))
    assert conll2012.write_key(path, [document]) == 1
    assert path.read_text() == KEY
    assert conll2012.KEY.suits("key", KEY)


def test_clusters_are_numbered_as_they_first_appear_in_the_text(path: Path) -> None:
    words = Sentence((Token("a"), Token("b")))
    long, short, late = Mention(0, 0, 2), Mention(0, 0, 1), Mention(1, 0, 1)
    conll2012.write_key(path, [Document("a b", 1, "en", (words, words), ((late, short), (long,)))])
    assert path.read_text() == (
        "#begin document (a_b); part 001\na_b\t(0)\na_b\t(1)\na_b\t(1)\n#end document"
    )


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), max_size=6), max_size=3))
def test_any_clusters_are_read_as_written(path: Path, documents: list[list[int]]) -> None:
    made = []
    for number, clusters in enumerate(documents):
        by: dict[int, list[Mention]] = {}
        for place, cluster in enumerate(clusters):
            by.setdefault(cluster, []).append(Mention(place, 0, 1))
        sentences = (Sentence((Token("_"),)),) * len(clusters)
        made.append(Document("d", number, "en", sentences, tuple(map(tuple, by.values()))))
    conll2012.write_key(path, made)
    assert [document for _, document in conll2012.read_key(path, "en")] == made


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (KEY.replace("\t(1)", "\t1"), 3, "not a name, a tab and a cluster"),
        (KEY.replace("\t(1)", "\t(1)|(2)"), 3, "not a name, a tab and a cluster"),
        (KEY.replace("\t(1)", "\t-"), 3, "not a name, a tab and a cluster"),
        (KEY.removesuffix("#end document"), 4, "cut off within a document"),
        (KEY.partition("\n")[2], 1, "was expected"),
        (KEY.replace("#end document", KEY), 5, "opens in another"),
        (KEY.replace("(1)", "(\0)"), 3, "NUL"),
    ],
)
def test_what_is_no_key_is_named(path: Path, content: str, line: int, message: str) -> None:
    path.write_text(content)
    with pytest.raises(DataError, match=message) as caught:
        list(conll2012.read_key(path, "en"))
    assert caught.value.line == line
