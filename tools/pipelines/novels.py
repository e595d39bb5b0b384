"""Names in novels: from LitBank's chains, and from how a book uses its capitalised words."""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tools.pipelines.clean import Words, trim
from tools.pipelines.sources import Sample, Span, detokenise, from_words

_TOKEN = re.compile(
    r"[^\W\d_][\w'’-]*(?:(?:(?<=\b[A-Z])|(?<=\bMr)|(?<=\bMrs)|(?<=\bDr)|(?<=\bSt))\.)?"
    r"|[^\w\s]|\d+"
)


def _capital(word: str) -> bool:
    return word[:1].isupper() and not re.fullmatch(r"I(['’]\w+)?", word)


def litbank(path: Path, words: Words) -> Iterator[Sample]:
    """LitBank's CoNLL: a capitalised mention is a person if its chain has a pronoun or a title."""
    sentences: list[list[str]] = [[]]
    found: list[tuple[int, int, int, str]] = []  # sentence, first, last + 1, chain
    opened: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            columns = line.split()
            if not columns or line.startswith("#"):
                if sentences[-1]:
                    sentences.append([])
                continue
            at = len(sentences[-1])
            sentences[-1].append(columns[3].replace("``", '"').replace("''", '"'))
            for mark in columns[12].split("|") if len(columns) > 12 else []:
                chain = mark.strip("()")
                if mark.startswith("("):
                    opened[chain].append((len(sentences) - 1, at))
                if mark.endswith(")") and opened[chain]:
                    number, first = opened[chain].pop()
                    if number == len(sentences) - 1:
                        found.append((number, first, at + 1, chain))
    people = _people(sentences, found, words)
    low = {w for s in sentences for w in s if w[:1].islower()}
    samples = []
    for number, sentence in enumerate(s for s in sentences if s):
        named: list[Span] = []
        unknown: list[Span] = []
        for where, first, last, chain in sorted(found, key=lambda m: m[1] - m[2]):
            if where != number:
                continue
            if chain in people:
                first, last = _core(sentence, first, last, words)
            surface = sentence[first:last]
            if not _named(surface, words) or any(
                a < last and first < b for a, b, _ in named + unknown
            ):
                continue
            placed = first > 0 and sentence[first - 1] in words.place_prepositions
            if chain in people and surface[-1] not in words.place_heads:
                named.append((first, last, "PER"))
            elif placed or surface[-1] in words.place_heads:
                named.append((first, last, "LOC"))
            else:
                unknown.append((first, last, ""))
        unknown += _leftover(sentence, named + unknown, low, words)
        whole = from_words(sentence, detokenise(sentence), named + unknown)
        samples.append(_settled(whole, words))
    people_names = (s.text[a:b] for s in samples for a, b, label in s.spans if label == "PER")
    known = {word for name in people_names for word in name.split()}
    for sample in samples:
        yield _completed(sample, known, words)


def tokens(path: Path) -> Iterator[list[str]]:
    """The words of a CoNLL-2012 file, about six sentences of a document together."""
    words, count = list[str](), 0
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            columns = line.split()
            if columns and not line.startswith("#"):
                words.append(columns[3].replace("``", '"').replace("''", '"'))
                continue
            count += not columns
            if words and (count == 6 or line.startswith("#")):
                yield words
                words, count = [], 0


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
    """Unknown stretches made of the document's own persons' names become persons."""
    spans, unknown = list(sample.spans), []
    for start, end in sample.unknown:
        parts = [w for w in sample.text[start:end].split() if w not in words.titles]
        if parts and all(w in known for w in parts):
            spans.append((start, end, "PER"))
        else:
            unknown.append((start, end))
    return replace(sample, spans=tuple(sorted(spans)), unknown=tuple(unknown))


def _settled(sample: Sample, words: Words) -> Sample:
    """Titles cut from the persons of a sample; spans without label become unknown stretches."""
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


def _people(
    sentences: list[list[str]], found: list[tuple[int, int, int, str]], words: Words
) -> set[str]:
    """The chains that hold a personal pronoun or a titled name."""
    people = set()
    for number, first, last, chain in found:
        surface = sentences[number][first:last]
        pronoun = len(surface) == 1 and surface[0].lower() in words.personal_pronouns
        titled = len(surface) > 1 and surface[0] in words.titles and _named(surface, words)
        if pronoun or titled:
            people.add(chain)
    return people


class Book:
    """How one book uses its capitalised words: which are persons, which places, which neither."""

    def __init__(self, text: str, words: Words) -> None:
        self.words = words
        tokens = _TOKEN.findall(text)
        low: Counter[str] = Counter(t for t in tokens if t[0].islower())
        self.low = low
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
