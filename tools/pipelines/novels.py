"""Names in novels: from LitBank's chains, and from how a book uses its capitalised words."""

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from corefmill.corpora.formats import conll2012
from corefmill.corpora.records import Sentence
from tools.pipelines.clean import Words, trim
from tools.pipelines.sources import Sample, Span, detokenise, from_words

_TOKEN = re.compile(
    r"[^\W\d_][\w'’-]*(?:(?:(?<=\b[A-Z])|(?<=\bMr)|(?<=\bMrs)|(?<=\bDr)|(?<=\bSt))\.)?"
    r"|[^\w\s]|\d+"
)


class ChainMention(NamedTuple):
    """A mention of LitBank's: its sentence, its words [first, end), and its chain."""

    sentence: int
    first: int
    end: int
    chain: int


def _capital(word: str) -> bool:
    return word[:1].isupper() and not re.fullmatch(r"I(['’]\w+)?", word)


def litbank(path: Path, words: Words) -> Iterator[Sample]:
    """LitBank's CoNLL: a capitalised mention is a person if its chain has a pronoun or a title."""
    for _, document in conll2012.read(path, "en"):
        sentences = [_forms(sentence) for sentence in document.sentences]
        found = [
            ChainMention(mention.sentence, mention.start, mention.end, chain)
            for chain, mentions in enumerate(document.clusters)
            for mention in mentions
        ]
        people = _people(sentences, found, words)
        low = {w for s in sentences for w in s if w[:1].islower()}
        samples = []
        for number, sentence in enumerate(sentences):
            own = [m for m in found if m.sentence == number]
            own.sort(key=lambda m: (m.first - m.end, m.end))  # the longest first
            spans = _spans(sentence, own, people, words)
            spans += _leftover(sentence, spans, low, words)
            samples.append(_settled(from_words(sentence, detokenise(sentence), spans), words))
        people_names = (s.text[a:b] for s in samples for a, b, label in s.spans if label == "PER")
        known = {word for name in people_names for word in name.split()}
        for sample in samples:
            yield _completed(sample, known, words)


def _spans(
    sentence: list[str], mentions: Iterable[ChainMention], people: set[int], words: Words
) -> list[Span]:
    """The names among a sentence's mentions, in words, persons and places first.

    Where two overlap, the one that comes first in `mentions` is taken.
    """
    named: list[Span] = []
    unknown: list[Span] = []
    for _, first, end, chain in mentions:
        if chain in people:
            first, end = _core(sentence, first, end, words)
        surface = sentence[first:end]
        if not _named(surface, words) or any(a < end and first < b for a, b, _ in named + unknown):
            continue
        placed = first > 0 and sentence[first - 1] in words.place_prepositions
        if chain in people and surface[-1] not in words.place_heads:
            named.append((first, end, "PER"))
        elif placed or surface[-1] in words.place_heads:
            named.append((first, end, "LOC"))
        else:
            unknown.append((first, end, ""))
    return named + unknown


def tokens(path: Path) -> Iterator[list[str]]:
    """The words of a CoNLL-2012 file, six sentences of a document together."""
    for _, document in conll2012.read(path, "en"):
        for at in range(0, len(document.sentences), 6):
            yield [word for one in document.sentences[at : at + 6] for word in _forms(one)]


def _forms(sentence: Sentence) -> list[str]:
    """Its words, with the quotes that people type."""
    return [t.form.replace("``", '"').replace("''", '"') for t in sentence.tokens]


def _core(sentence: list[str], first: int, last: int, words: Words) -> tuple[int, int]:
    """The name in a person's mention: "old Cotter", "Lady Russell, of steady age" lose the rest."""
    start = first
    while start < last - 1 and sentence[start].islower() and last - start <= 4:
        start += 1
    end = start
    while end < last and (_capital(sentence[end]) or sentence[end] == "."):
        end += 1
    whole = _capital(sentence[first]) and all(
        _capital(w) or w.lower() in words.linkers or w == "." for w in sentence[first:last]
    )
    return (first, last) if whole else (start, max(end, start + 1))


def _leftover(sentence: list[str], taken: list[Span], low: set[str], words: Words) -> list[Span]:
    """Runs of capitalised words inside a sentence that belong to no mention: unknown."""
    runs: list[Span] = []
    for i, word in enumerate(sentence):
        plain = (
            i == 0
            or not _capital(word)
            or word.lower() in low
            or word in words.titles
            or word in words.never_names
            or sentence[i - 1] in "\"“‘'"
            or any(a <= i < b for a, b, _ in taken)
        )
        if plain:
            continue
        if runs and runs[-1][1] == i:
            runs[-1] = (runs[-1][0], i + 1, "")
        else:
            runs.append((i, i + 1, ""))
    return runs


def _completed(sample: Sample, known: set[str], words: Words) -> Sample:
    """Unknown passages made of the document's own persons' names become persons."""
    spans, unknown = list(sample.spans), []
    for start, end in sample.unknown:
        parts = [w for w in sample.text[start:end].split() if w not in words.titles]
        if parts and all(w in known for w in parts):
            spans.append((start, end, "PER"))
        else:
            unknown.append((start, end))
    return replace(sample, spans=tuple(sorted(spans)), unknown=tuple(unknown))


def _settled(sample: Sample, words: Words) -> Sample:
    """Titles cut from the persons of a sample; spans without label become unknown passages."""
    spans: list[Span] = []
    for span in sample.spans:
        kept = trim(sample.text, span, words) if span[2] == "PER" else span
        if kept is not None and kept[2]:
            spans.append(kept)
    unknown = tuple((a, b) for a, b, label in sample.spans if not label)
    return replace(sample, spans=tuple(sorted(spans)), unknown=unknown)


def _named(surface: list[str], words: Words) -> bool:
    """Whether a mention is a bare name: every word capitalised but for linkers in the middle."""
    return (
        _capital(surface[0])
        and _capital(surface[-1])
        and all(_capital(w) or w.lower() in words.linkers or w == "." for w in surface)
        and surface[0].lower() not in words.determiners
        and surface[0].lower() not in words.personal_pronouns | words.other_pronouns
    )


def _people(sentences: list[list[str]], found: list[ChainMention], words: Words) -> set[int]:
    """The chains that hold a personal pronoun or a titled name."""
    people = set()
    for number, first, end, chain in found:
        surface = sentences[number][first:end]
        pronoun = len(surface) == 1 and surface[0].lower() in words.personal_pronouns
        titled = len(surface) > 1 and surface[0] in words.titles and _named(surface, words)
        if pronoun or titled:
            people.add(chain)
    return people


def _uses(tokens: list[str], words: Words) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """How often each capitalised word stands inside a sentence, as a person, as a place."""
    inner: Counter[str] = Counter()
    human: Counter[str] = Counter()
    place: Counter[str] = Counter()
    for before, raw, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        word = re.sub(r"['’]s?$", "", raw)
        if not _capital(word) or word.isupper():
            continue
        if before[0].islower() or before == ",":
            inner[word] += 1
        titled = before in words.titles and before not in words.loose_titles
        human[word] += titled or after in words.human_verbs or before in words.speech_verbs
        place[word] += before in words.place_prepositions
    return inner, human, place


class Book:
    """How one book uses its capitalised words: which are persons, which places, which neither."""

    def __init__(self, text: str, words: Words) -> None:
        self.words = words
        tokens = _TOKEN.findall(text)
        self.low = Counter(t for t in tokens if t[0].islower())
        inner, human, place = _uses(tokens, words)
        self.persons = {
            w
            for w, n in human.items()
            if n >= 3 and n >= 2 * place[w] and inner[w] >= 2 and self._rare(w, inner)
        }
        self.places = {
            w
            for w, n in place.items()
            if n >= 3 and human[w] * 5 <= n and 3 * n >= inner[w] and self._rare(w, inner)
        }

    def _rare(self, word: str, inner: Counter[str]) -> bool:
        banned = word in self.words.never_names or word in self.words.titles
        return not banned and self.low[word.lower()] * 20 <= inner[word]

    def label(self, text: str) -> Sample:
        """A paragraph with the book's persons and places; other capitalised runs are unknown."""
        spans: list[Span] = []
        unknown: list[tuple[int, int]] = []
        for run in _capital_runs(text):
            while run and self._leads(run[0][2], text, run[0][0]):
                run = run[1:]
            names = [re.sub(r"['’]s?$", "", w) for _, _, w in run]
            if not run:
                continue
            start, end = run[0][0], run[-1][0] + len(names[-1])
            headed = names[-1] in self.words.place_heads
            if headed and len(run) > 1:
                spans.append((start, end, "LOC"))
            elif any(n in self.persons for n in names) and not any(n in self.places for n in names):
                spans.append((start, end, "PER"))
            elif len(run) == 1 and names[0] in self.places:
                spans.append((start, end, "LOC"))
            elif not all(self._leads(n, text, 0) or n in self.words.never_names for n in names):
                unknown.append((start, run[-1][1]))
        return Sample(text, tuple(spans), tuple(unknown), starts=())

    def _leads(self, word: str, text: str, start: int) -> bool:
        """Whether a capitalised word is a title or a common word that opens a sentence."""
        opens = start == 0 or re.search(r"[.!?\"“”'‘:;—-]\s*$", text[max(0, start - 4) : start])
        common = self.low[word.lower()] > 0 and word not in self.persons and word not in self.places
        return word in self.words.titles or word in self.words.never_names or bool(opens and common)


def _capital_runs(text: str) -> Iterator[list[tuple[int, int, str]]]:
    """Runs of capitalised words with nothing but a space between them; initials count."""
    run: list[tuple[int, int, str]] = []
    for match in _TOKEN.finditer(text):
        word = match.group()
        spaced = run and text[run[-1][1] : match.start()] == " "
        joined = spaced and not run[-1][2].endswith(("'s", "’s"))
        if run and not (joined and _capital(word)):
            yield run
            run = []
        if _capital(word) and (len(word) > 1 or text[match.end() : match.end() + 1] == "."):
            run.append((match.start(), match.end(), word))
    if run:
        yield run


def read_book(path: Path) -> list[str]:
    """The paragraphs of a plain-text novel, lines joined, headings and verse left out."""
    text = path.read_text(encoding="utf-8", errors="replace").replace("_", "").replace("--", "—")
    paragraphs = (re.sub(r"\s+", " ", p).strip() for p in re.split(r"\n\s*\n", text))
    return [p for p in paragraphs if len(p) > 60 and p[-1] in ".!?\"”'’" and not p.isupper()]


def silver(path: Path, words: Words, rng: random.Random, characters: int) -> list[Sample]:
    """About `characters` of labelled paragraphs drawn from one novel."""
    paragraphs = read_book(path)
    book = Book("\n".join(paragraphs), words)
    rng.shuffle(paragraphs)
    drawn: list[Sample] = []
    size = 0
    for paragraph in paragraphs:
        if size > characters:
            break
        if len(paragraph) < 1500:
            drawn.append(book.label(paragraph))
            size += len(paragraph)
    return drawn
