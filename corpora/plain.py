"""Read plain text as a document: words and sentences by rules, without a pipeline.

1. Words are those of spaCy's rules for the language. An abbreviation is one with its full stop.
2. A sentence ends at a full stop, an exclamation or a question mark, at an empty line and U+2029.
   Quotes and brackets that close go with it, those that open go with the next one. It goes on at a
   comma, and where a small letter follows a closing quote or bracket: "Go!" he said.
3. Contractions are split as in the training data, Italian "dal" as "da il": CoNLL-U splits them,
   spaCy's rules do not. `model.toml` keeps them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.records import Document, Record, Sentence, Span, Token
from corefmill.corpora.words import PARAGRAPH_END

if TYPE_CHECKING:
    from spacy.tokens import Doc

Contractions = Mapping[str, str]
"""Maps a contraction in small letters to its words, between blanks."""

_FEWEST, _SHARE = 3, 0.9
"""Least count of a contraction's splits, and their least share of its occurrences."""


def learn_contractions(records: Iterable[Record]) -> dict[str, str]:
    """Collect the words that documents of CoNLL-U nearly always split, with the parts of each."""
    split: Counter[tuple[str, str]] = Counter()
    seen: Counter[str] = Counter()
    for document in records:
        if not isinstance(document, Document):
            return {}
        extras = document.meta.get("corefud", {}).get("sentences", {})
        for number, sentence in enumerate(document.sentences):
            forms = [token.form.lower() for token in sentence.tokens]
            for name, row in extras.get(str(number), {}).get("multiword", {}).items():
                first, last = map(int, name.split("-"))
                whole = row.partition("\t")[0].lower()
                split[whole, " ".join(forms[first - 1 : last])] += 1
                seen[whole] += 1
                forms[first - 1 : last] = [""] * (last - first + 1)
            seen.update(forms)
    return {
        whole: words
        for (whole, words), count in sorted(split.items())
        if count >= max(_FEWEST, _SHARE * seen[whole])
    }


def split_word(form: str, span: Span, contractions: Contractions) -> Iterator[tuple[str, Span]]:
    """Split a word into its parts, each with its place, or the whole's where letters are lost."""
    words = contractions.get(form.lower(), "").split()
    if not words:
        yield form, span
    elif "".join(words) == form.lower():
        start = span[0]
        for word in words:
            end = start + len(word)
            yield form[start - span[0] : end - span[0]], (start, end)
            start = end
    else:
        for number, word in enumerate(words):
            yield word.capitalize() if form[0].isupper() and not number else word, span


NONE: Contractions = MappingProxyType({})

_ABBREVIATION = re.compile(
    "Adm|Ave|Capt|Cmdr|Col|Dept|Esq|Hon|Lt|Maj|Mlle|Mme|Pres|Sgt|Sr|Supt|[Aa]pprox|[Cc]a|[Cc]f"
    "|[Ee]tc|[Vv]iz|[Dd]ott|[Dd]r|[Ee]nv|[Nn]p|[Pp]rof|[Ss]ig|[Uu]l"
)
"""Abbreviations that some of spaCy's languages lack."""
_OF_LANGUAGE = {
    "en": re.compile("Cpl|Ft|Mt|Pvt|Messrs|Mses"),
    "de": re.compile("[Uu]sw|[Zz]tr|Hr|Fr|Fam"),
    "es": re.compile("Dña|Dra|Srta|Sra|Uds?|Vds?|[Aa]prox|[Ee]j"),
    "it": re.compile("[Ii]ng|[Aa]vv|[Ee]s|[Oo]n|[Rr]ag|[Gg]eom|sigg"),
    "pt": re.compile("Dra|Sra|Srta|Exmo|[Aa]prox|[Ee]x"),
    "nl": re.compile("[Dd]hr|[Mm]evr|[Mm]w|[Bb]ijv|[Bb]lz|[Nn]l"),
}
"""Abbreviations that are words elsewhere, as Italian "es." is a German pronoun."""
_NUMBERED = re.compile(
    "abb|abs|art|bk|blz|cap|chap|ch|dist|eq|figs?|kap|nos?|nr|núms?|op|págs?|pag|para|pp?|sec|tab"
    "|vols?",
    re.IGNORECASE,
)
"""Abbreviations before a number, and words or letters elsewhere."""
_NUMBER = re.compile(r"\d.*|[IVXLC]+", re.DOTALL)

_OPENING, _CLOSING = frozenset("([{“‘„‚«‹「『（【¿¡"), frozenset(")]}”’»›」』）】")
_QUOTES = frozenset("\"'“”‘’„‚«»‹›") | {"''", "``"}
"""Marks that open or close a quotation, by the white space beside them."""
_LOW = {"“": "„", "‘": "‚", "«": "»"}
"""Marks that close what another one opened, as in German: „Wer?“, »Wer?«"""


def read_text(
    text: str,
    lang: str,
    name: str = "text",
    *,
    contractions: Contractions = NONE,
    may_be_empty: bool = False,
) -> Document:
    """Read a plain text as a document, words by spaCy's rules, sentence ends by rule 2.

    `contractions` are words to split. Raises `UsageError` for a language that spaCy has no rules
    for, and for a text of no word unless it `may_be_empty`.
    """
    if may_be_empty and not text.strip():
        return Document(name, 0, lang, (), (), text=text, offsets=())
    return make_document(text, cut_sentences(text, lang), lang, name, contractions)


def cut_sentences(text: str, lang: str) -> list[list[Span]]:
    """Cut a plain text into sentences of words. Raises `UsageError` as `read_text` does."""
    tokenize = _load_tokenizer(lang)
    sentences: list[list[Span]] = []
    for start, paragraph in _split_paragraphs(text):
        words = [
            (start + word.idx, start + word.idx + len(word))
            for word in tokenize(paragraph)
            if not word.is_space
        ]
        sentences += split_sentences(text, _join_full_stops(text, words, lang))
    return sentences


def make_from_spans(
    text: str,
    sentences: Sequence[Span],
    tokens: Sequence[Span],
    lang: str,
    name: str = "text",
    *,
    contractions: Contractions = NONE,
) -> Document:
    """Make a document from a pipeline's sentences and tokens, as offsets.

    Raises `UsageError` for a text of no word.
    """
    found: list[list[Span]] = [[] for _ in sentences]
    index = 0
    for start, end in tokens:
        while index + 1 < len(sentences) and start >= sentences[index + 1][0]:
            index += 1
        found[index].append((start, end))
    return make_document(text, _mend_ends(text, found, lang), lang, name, contractions)


def _mend_ends(text: str, sentences: list[list[Span]], lang: str) -> list[list[Span]]:
    """Mend a pipeline's sentence ends: no known abbreviation ends one, and no mark that opens."""
    made: list[list[Span]] = []
    for words in filter(None, sentences):
        last = made[-1] if made else []
        # "Sr." is two words to some pipelines; the next word tells a number's abbreviation.
        end = [*last[-2:], words[0]]
        joins = len(last) > 1 and len(_join_full_stops(text, end, lang)) < len(end)
        if joins and text[slice(*end[0])].lower() not in ("etc", "usw"):
            last += words
            continue
        opened: list[Span] = []
        while len(last) > 1 and last[-1][1] == (opened or words)[0][0]:
            mark = text[slice(*last[-1])]
            apart = last[-2][1] < last[-1][0]
            if not (mark in _OPENING or (mark in _QUOTES and apart)):
                break
            opened.insert(0, last.pop())
        made.append([*opened, *words])
    return made


def make_document(
    text: str,
    sentences: Iterable[Sequence[Span]],
    lang: str,
    name: str,
    contractions: Contractions = NONE,
) -> Document:
    """Make a document of words, spans of the text, split at contractions.

    Raises `UsageError` for a text of no word.
    """
    found: list[Sentence] = []
    offsets: list[tuple[Span, ...]] = []
    for spans in filter(None, sentences):
        tokens: list[Token] = []
        places: list[Span] = []
        for start, end in spans:
            blank = text[end : end + 1].isspace()
            parts = list(split_word(text[start:end], (start, end), contractions))
            for number, (form, place) in enumerate(parts, 1):
                tokens.append(Token(form, space_after=blank and number == len(parts)))
                places.append(place)
        found.append(Sentence(tuple(tokens)))
        offsets.append(tuple(places))
    if not found:
        raise UsageError("this text has no word")
    return Document(name, 0, lang, tuple(found), (), text=text, offsets=tuple(offsets))


def _split_paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Split the text at empty lines and U+2029, with the start of each paragraph."""
    start, position = -1, 0
    for line in text.splitlines(keepends=True):
        if line.isspace():
            if start >= 0:
                yield start, text[start:position]
            start = -1
        elif start < 0:
            start = position
        position += len(line)
        if start >= 0 and line.endswith(PARAGRAPH_END):
            yield start, text[start:position]
            start = -1
    if start >= 0:
        yield start, text[start:]


def _join_full_stops(text: str, words: Sequence[Span], lang: str) -> list[Span]:
    """Join each abbreviation with the full stop behind it."""
    found: list[Span] = []
    own = _OF_LANGUAGE.get(lang.partition("-")[0], _ABBREVIATION)
    for number, (start, end) in enumerate(words):
        if found and text[start:end] == "." and found[-1][1] == start:
            word = text[slice(*found[-1])]
            after = text[slice(*words[number + 1])] if number + 1 < len(words) else ""
            numbered = _NUMBERED.fullmatch(word) and _NUMBER.fullmatch(after)
            if numbered and after == "I" and word.lower() == "no":
                numbered = None  # No. I will not.
            if numbered or _ABBREVIATION.fullmatch(word) or own.fullmatch(word):
                found[-1] = found[-1][0], end
                continue
        found.append((start, end))
    return found


def split_sentences(text: str, words: Sequence[Span]) -> Iterator[list[Span]]:
    """Split the words of a paragraph, spans of the text, into sentences by rule 2."""
    forms = [text[start:end] for start, end in words]
    counts = Counter[str]()
    odd = []  # whether an odd number of the same mark stands before, or one that it closes
    for form in forms:
        low = _LOW.get(form)
        odd.append(counts[low] > counts[form] if low else counts[form] % 2 == 1)
        counts[form] += 1
    ends = _list_end_marks()
    first = number = 0
    while number < len(words):
        # "etc." holds its full stop, and ends a sentence where the next word is capital.
        capital_next = number + 1 < len(forms) and forms[number + 1][:1].isupper()
        if forms[number] not in ends and not (forms[number] == "etc." and capital_next):
            number += 1
            continue
        number += 1
        # More end marks ("?!") and quotes or brackets that close belong to the sentence.
        closed = False
        while number < len(words):
            if _is_closing(text, words, number, odd[number]):
                closed = True
            elif forms[number] not in ends:
                break
            number += 1
        # It goes on at a comma, and behind a quote at a small letter: "Go!" - he said.
        rest = forms[number : number + 2]
        dash = bool(rest) and rest[0] in ("-", "–", "—")
        goes_on = rest and (
            rest[0] in (",", ";", ":") or (closed and rest[-1 if dash else 0][:1].islower())
        )
        if not goes_on:
            yield list(words[first:number])
            first = number
    if first < len(words):
        yield list(words[first:])


def _is_closing(text: str, words: Sequence[Span], number: int, odd: bool) -> bool:
    """Tell whether a word is a closing quote or bracket.

    A quote closes what stands before it without a blank. With a blank, or none, on both sides its
    character tells, and of straight ones every second closes.
    """
    start, end = words[number]
    form = text[start:end]
    if form not in _QUOTES:
        return form in _CLOSING
    before = number > 0 and words[number - 1][1] == start
    after = number + 1 < len(words) and words[number + 1][0] == end
    if before != after:
        return before
    if form in _CLOSING or form == "''":
        return True
    return (form not in _OPENING or form in _LOW) and form != "``" and odd


@cache
def _list_end_marks() -> frozenset[str]:
    """List the end marks of sentences, of any script."""
    from spacy.pipeline import Sentencizer

    return frozenset(Sentencizer.default_punct_chars)


@cache
def _load_tokenizer(lang: str) -> Callable[[str], Doc]:
    """Load spaCy's tokenizer for a language, by rules alone."""
    import spacy

    try:
        return spacy.blank(lang).tokenizer
    except ImportError:
        raise UsageError(
            f"spaCy has no rules for the language {lang!r}",
            remedy="give a file with words and sentences, such as CoNLL-2012",
        ) from None
