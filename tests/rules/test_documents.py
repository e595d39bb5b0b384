"""Utterances of texts and documents, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.corpora.formats import corefud
from corefmill.corpora.records import Document, Mention, Sentence, Span, Token
from corefmill.rules.documents import document, read_texts, utterances
from corefmill.rules.it import rules
from corefmill.rules.rule import KeyedMention, Written, refine, text
from tests.rules.trees import from_text, surface


@pytest.mark.parametrize(
    ("span", "words"),
    # del presidente, l presidente, presidente, de, and within a word
    [((0, 14), (0, 3)), ((2, 14), (1, 3)), ((4, 14), (2, 3)), ((0, 2), (0, 1)), ((5, 7), (2, 3))],
)
def test_a_mention_may_begin_in_a_written_token(span: Span, words: Span) -> None:
    tokens = [Token("di"), Token("il"), Token("presidente")]
    given = from_text("del presidente", tokens, [(0, 3), (0, 3), (4, 14)], [("a", *span)])
    assert given.mentions == (KeyedMention("a", *words),)


@pytest.mark.parametrize(
    ("content", "spans", "mentions", "problem"),
    [
        ("a b", [(0, 1)], [], "no word holds"),
        ("a b", [(2, 3)], [], "does not follow"),
        ("a b", [(0, 1), (1, 2)], [], "does not follow"),
        ("a b", [(0, 3)], [("x", 1, 1)], "touches no word"),
        ("a  ", [(0, 1)], [("x", 1, 2)], "touches no word"),
    ],
)
def test_refusals(
    content: str, spans: list[Span], mentions: list[tuple[str, int, int]], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        from_text(content, [Token("w")] * len(spans), spans, mentions)


@given(st.lists(st.lists(st.text("abcè'", min_size=1, max_size=4), min_size=1, max_size=3)))
def test_a_text_comes_back(tokens: list[list[str]]) -> None:
    content, words, spans = "", [], []
    for forms in tokens:
        written = "".join(forms)
        words += [Token(form) for form in forms]
        spans += [(len(content), len(content) + len(written))] * len(forms)
        content += written + " "
    found = from_text(content, words, spans)
    assert text(found) == surface(found).text == content.removesuffix(" ")
    assert len(found.tokens) == len(words)
    assert [surface(found).characters(at, at + 1) for at in range(len(words))] == spans


# The speaker's mention of lei moves to the verb; "del" stays one token of two words.
CONLLU = """\
# newdoc id = one
# global.Entity = eid-head-other
# sent_id = 1
# text = Lei parla del mare.
# speaker = Ada
1\tLei\tlei\tPRON\t_\tNumber=Sing|Person=3|PronType=Prs\t2\tnsubj\t_\tEntity=(e1-1-)
2\tparla\tparlare\tVERB\t_\tNumber=Sing|Person=3|VerbForm=Fin\t0\troot\t_\t_
3-4\tdel\t_\t_\t_\t_\t_\t_\t_\t_
3\tdi\tdi\tADP\t_\t_\t5\tcase\t_\t_
4\til\til\tDET\t_\tDefinite=Def|Gender=Masc|Number=Sing|PronType=Art\t5\tdet\t_\t_
5\tmare\tmare\tNOUN\t_\tGender=Masc|Number=Sing\t2\tobl\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

"""


def test_a_document_of_conllu_is_refined_and_written(tmp_path: Path) -> None:
    source, target = tmp_path / "a.conllu", tmp_path / "b.conllu"
    source.write_text(CONLLU, encoding="utf-8")
    [(_, before)] = corefud.read(source, "it")
    [utterance] = utterances(before)
    assert utterance.written == (Written(2, 4, "del"),)
    mended, _ = refine(utterance, rules("clean"))
    corefud.write(target, [document(before, [mended])])
    [(_, after)] = corefud.read(target, "it")
    [again] = utterances(after)
    assert again == mended
    assert text(again) == "Parla del mare."
    assert after.sentences[0].speaker == "Ada"
    assert after.clusters == ((Mention(0, 0, 1),),)


@pytest.mark.parametrize(
    "mention", [Mention(0, 1, 1, zero=True), Mention(0, 0, 3, parts=((0, 1), (2, 3)))]
)
def test_mentions_that_are_no_span_are_refused(mention: Mention) -> None:
    sentence = Sentence((Token("a"), Token("b"), Token("c")))
    with pytest.raises(ValueError, match="zero or discontinuous"):
        utterances(Document("d", 0, "it", (sentence,), ((mention,),)))


def texts(meta: dict[str, Any]) -> list[tuple[int, str]]:
    first = Sentence((Token("Va"), Token("di"), Token("la", space_after=False), Token("!")))
    return list(read_texts(Document("d", 2, "it", (first, Sentence((Token("..."),))), (), meta)))


def test_texts_are_as_written() -> None:
    assert texts({}) == [(0, "Va di la!"), (1, "...")]
    for form in ("della", "della\t_\t_\tGloss=of"):
        meta = {"corefud": {"sentences": {"0": {"multiword": {"2-3": form}}}}}
        assert texts(meta)[0] == (0, "Va della!")
    meta = {"ontocorefit": {"utterances": {"0": {"modified_text": "Va  via."}}}}
    assert texts(meta)[0] == (0, "Va via.")
