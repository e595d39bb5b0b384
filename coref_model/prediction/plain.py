"""Plain text as a document: words and sentences by rules, where no pipeline is at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from corefmill.corpora.errors import UsageError
from corefmill.corpora.lines import paragraphs
from corefmill.corpora.records import Document, Sentence, Span, Token

if TYPE_CHECKING:
    from spacy.language import Language


def document(text: str, lang: str, name: str = "text") -> Document:
    """The text with spaCy's rules for the words and sentence ends of its language.

    Raises `UsageError` for a language that spaCy has no rules for, and for a text of no word.
    """
    return _document(_sentences(text, lang), lang, name)


def of_spans(
    text: str, sentences: Sequence[Span], tokens: Sequence[Span], lang: str, name: str = "text"
) -> Document:
    """The text with sentences and tokens that a pipeline found, as offsets.

    Raises `UsageError` for a text of no word.
    """
    found: list[list[Token]] = [[] for _ in sentences]
    index = 0
    for start, end in tokens:
        while index + 1 < len(sentences) and start >= sentences[index + 1][0]:
            index += 1
        found[index].append(Token(text[start:end], space_after=text[end : end + 1].isspace()))
    return _document((Sentence(tuple(words)) for words in found if words), lang, name)


def _document(sentences: Iterable[Sentence], lang: str, name: str) -> Document:
    found = tuple(sentences)
    if not found:
        raise UsageError("this text has no word")
    return Document(name, 0, lang, found, ())


def _sentences(text: str, lang: str) -> Iterator[Sentence]:
    for paragraph in paragraphs(text.splitlines()):
        for sentence in _rules(lang)(paragraph).sents:
            tokens = tuple(
                Token(word.text, space_after=bool(word.whitespace_))
                for word in sentence
                if not word.is_space
            )
            if tokens:
                yield Sentence(tokens)


@cache
def _rules(lang: str) -> Language:
    import spacy

    try:
        rules = spacy.blank(lang)
    except ImportError:
        raise UsageError(
            f"spaCy has no rules for the language {lang!r}",
            remedy="give a file with words and sentences, such as CoNLL-2012",
        ) from None
    rules.add_pipe("sentencizer")
    rules.max_length = 10_000_000
    return rules
