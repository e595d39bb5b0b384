"""Names of persons: copied, never translated, with the title before them in the target."""

from __future__ import annotations

from corefmill.builders.translate.english.class_words import PRONOUNS, is_person
from corefmill.builders.translate.english.parts import (
    ChainMention,
    DocumentPart,
    SourceUtterance,
)
from corefmill.builders.translate.gamma.language import TargetLanguage, table

_PERSON, _GROUP = "PERSON", "NORP"


def persons(part: DocumentPart) -> frozenset[int]:
    """The clusters of a part that a pronoun shows to be of a human being."""
    return frozenset(
        mention.cluster
        for utterance, mention in part.mentions()
        if utterance.is_pronoun(mention)
        and PRONOUNS.get(utterance.forms[mention.root].lower(), ("",))[0] == "human"
    )


def no_name(
    utterance: SourceUtterance, mention: ChainMention, persons: frozenset[int]
) -> str | None:
    """For where names are not to be copied."""
    return None


def name_in(
    language: TargetLanguage,
    utterance: SourceUtterance,
    mention: ChainMention,
    persons: frozenset[int],
) -> str | None:
    """A mention in the target if it is one person's name, with no more than a title; else None.

    It is one where the pipeline says so, a title stands before it, or its cluster is among
    `persons`. A title takes the article, except where the person is spoken to.
    """
    words, tags = list(utterance.words(mention)), list(utterance.tags_of(mention))
    if len(words) > 1 and tags[-1] == "POS":
        del words[-1], tags[-1]
    title = language.titles.get(words[0].lower())
    name = words[1:] if title else words
    if not name or not all(_is_name(word, tag) for word, tag in zip(words, tags, strict=True)):
        return None
    others = table("english")["translated"]["words"]
    if any(word.lower() in others or is_person(word) for word in name):
        return None
    label = utterance.tree.names[mention.root] if utterance.tree is not None else ""
    if not title and label != _PERSON and (mention.cluster not in persons or label == _GROUP):
        return None
    if title is None:
        return " ".join(name)
    written, gender, with_article = title
    article = with_article and not _is_bare(utterance, mention)
    lead = language.articles.definite(gender, "s", written) if article else ""
    return " ".join(
        [f"{lead}{written}" if lead.endswith("'") else f"{lead} {written}".strip(), *name]
    )


def _is_name(word: str, tag: str | None) -> bool:
    return tag == "NNP" and word[:1].isupper()


def _is_bare(utterance: SourceUtterance, mention: ChainMention) -> bool:
    """Whether the person is spoken to, or something stands before the title: dear Mr. Hale."""
    tree = utterance.tree
    if tree is not None and tree.relations and tree.relations[mention.root] == "vocative":
        return True
    before = utterance.tags[mention.start - 1] if mention.start else None
    if before in ("JJ", "DT", "PRP$"):
        return True
    address = table("english")["address"]
    beside = (
        *utterance.forms[max(0, mention.start - 1) : mention.start],
        *utterance.forms[mention.end : mention.end + 1],
    )
    apart = all(form in address["marks"] for form in beside)
    return apart and any(form.lower() in address["words"] for form in utterance.forms)
