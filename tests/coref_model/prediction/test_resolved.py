"""Text with its pronouns replaced by names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.coref_model.prediction.resolved import resolve
from corefmill.corpora import plain
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.records import Document, Mention, Sentence, Token


def resolved(text: str, *clusters: str) -> str:
    """The resolved text of a cluster a string: mentions between bars, each the next such words."""
    document = plain.read_text(text, "en")
    places = [(s, n) for s, one in enumerate(document.sentences) for n in range(len(one.tokens))]
    forms = [token.form for one in document.sentences for token in one.tokens]
    made = []
    for cluster in clusters:
        mentions, done = [], 0
        for words in (one.split() for one in cluster.split("|")):
            size = len(words)
            at = next(n for n in range(done, len(forms)) if forms[n : n + size] == words)
            done = at + 1
            sentence, start = places[at]
            mentions.append(Mention(sentence, start, start + size))
        made.append(tuple(mentions))
    return resolve(replace(document, clusters=tuple(made)))


@pytest.mark.parametrize(
    ("text", "clusters", "found"),
    [
        (
            "Ann met Eve.\n\n  She smiled at her.",
            ["Ann|She", "Eve|her"],
            "Ann met Eve.\n\n  Ann smiled at Eve.",
        ),
        (
            "Ann left. Her dog saw her; it was hers.",
            ["Ann|Her|her|hers", "Her dog|it"],
            "Ann left. Ann's dog saw Ann; it was Ann's.",
        ),
        (
            "The Bank of Rome grew. Its owner sold it.",
            ["The Bank of Rome|Its|it"],
            "The Bank of Rome grew. The Bank of Rome's owner sold the Bank of Rome.",
        ),
        (
            "Ann Lee, a nurse, left. She ran.",
            ["Ann Lee , a nurse|She"],
            "Ann Lee, a nurse, left. Ann Lee ran.",
        ),
        ("Ann Lee met Ann. She ran.", ["Ann Lee|Ann|She"], "Ann Lee met Ann. Ann Lee ran."),
        (
            "Ann saw Ann Lee. Ann sat. She ran.",
            ["Ann|Ann Lee|Ann|She"],
            "Ann saw Ann Lee. Ann sat. Ann ran.",
        ),
        (
            "Ann and Eve ran. Their dog ran.",
            ["Ann and Eve|Their"],
            "Ann and Eve ran. Ann and Eve's dog ran.",
        ),
        (
            "The Beatles sang their song.",
            ["The Beatles|their"],
            "The Beatles sang the Beatles' song.",
        ),
        ("Tom's dog ran. He ran.", ["Tom 's|He"], "Tom's dog ran. Tom ran."),
    ],
)
def test_pronouns_become_the_name_of_their_cluster(
    text: str, clusters: list[str], found: str
) -> None:
    assert resolved(text, *clusters) == found


@pytest.mark.parametrize(
    ("text", "cluster"),
    [
        ("The nurse left. She ran.", "The nurse|She"),
        ("Somebody left. He ran.", "Somebody|He"),
        ("Ann said: I left. You saw me.", "Ann|I|You|me"),
        ("Ann hurt herself.", "Ann|herself"),
        ("My sister left. She ran.", "My sister|She"),
    ],
)
def test_what_has_no_name_or_is_no_third_person_stays(text: str, cluster: str) -> None:
    assert resolved(text, cluster) == text


def test_a_tag_knows_whether_her_is_possessive() -> None:
    tokens = (Token("Ann"), Token("saw"), Token("her", xpos="PRP"), Token("leave"))
    clusters = ((Mention(0, 0, 1), Mention(0, 2, 3)),)
    one = Document("d", 0, "en", (Sentence(tokens),), clusters)
    assert resolve(one) == "Ann saw Ann leave\n"
    tokens = (*tokens[:2], replace(tokens[2], xpos="PRP$"), tokens[3])
    assert resolve(replace(one, sentences=(Sentence(tokens),))) == "Ann saw Ann's leave\n"


def test_other_languages_are_refused() -> None:
    with pytest.raises(UsageError, match="of English only, not of 'it'"):
        resolve(plain.read_text("Anna vide Eva.", "it"))
