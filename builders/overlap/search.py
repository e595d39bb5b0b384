"""Search the sentences of a text for a test item, and rank them by BM25, with tantivy.

The query follows the code of Emami et al. (2020), and so does the scale of the scores, for their
cut-offs 0, 25 and 35: Whoosh's idf, k1 1.2, b .75. Tantivy has the same k1 and b but another idf;
so each word of a query is boosted by the ratio of the two idfs.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from math import log, log1p
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corefmill.builders.nlp import Analysis
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError, install_command
from corefmill.corpora.files.writing import make_folder, sync_files
from corefmill.corpora.records import MaskedExample

if TYPE_CHECKING:
    import tantivy

SLOP = 10
"""Most words from one predicate word to the next (Emami et al. 2020, section 3.2)."""
LONGEST = 128
"""Characters of a word that count."""
APART = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
"""Scripts without blanks, where each character is a word, as the inside of a regex class."""

_HEAP = 128 << 20  # bytes
_BATCH = 64  # hits that are checked together
_FOLDER = "tantivy"
_WORDS, _NUMBER, _TITLE, _SENTENCE = "words", "number", "title", "sentence"

_LETTER = rf"[^\W{APART}]"
_WORD = re.compile(rf"[{APART}]|{_LETTER}+(?:\.{_LETTER}+)+|{_LETTER}{{2,}}")
# Whoosh 2.7.4, analysis/filters.py
_STOP = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by can for from have if in is it may not of on or tbd that the this"
        " to us we when will with yet you your",
    )
)


def index_words(text: str) -> list[str]:
    """Cut a text into words as Whoosh's StandardAnalyzer does: no stop words, no single letters.

    Dropped words take no place: distances count the remaining words.
    """
    words = (word.lower()[:LONGEST] for word in _WORD.findall(text))
    return [word for word in words if word not in _STOP]


def whoosh_idf(sentences: int, having: int) -> float:
    """Weigh a word by the number of sentences having it."""
    return log(sentences / (having + 1)) + 1


@dataclass(frozen=True, slots=True)
class Query:
    """A phrase with at most `SLOP` words between its words, and at least one content word.

    BM25 is summed over phrase and content words. `shown` is the query in Whoosh's notation.
    """

    phrase: tuple[str, ...]
    content: tuple[str, ...]
    shown: str


def join_query_text(example: MaskedExample) -> str:
    """Put the first candidate in the pronoun's place."""
    start, end = example.target
    return example.text[:start] + example.candidates[0] + example.text[end:]


def make_query(analysis: Analysis) -> Query | str:
    """Make the search query of a parsed test item, or return the reason against one.

    Predicate words are tagged V*, MD or JJ, with "n't" joined to the one before; content words are
    all others except NNP and full stops. Without Penn tags, VERB, AUX and ADJ are predicate words,
    and PROPN stands for NNP. The reasons are no_predicate and no_content.
    """
    predicates: list[str] = []
    contents: list[str] = []
    for place, form in enumerate(analysis.forms):
        tag = analysis.xpos[place] if analysis.xpos else ""
        upos = analysis.upos[place] if analysis.upos and not tag else ""
        if form in ("n't", "n’t") and predicates:
            predicates[-1] += form
        elif tag.startswith("V") or tag in ("MD", "JJ") or upos in ("VERB", "AUX", "ADJ"):
            predicates.append(form)
        elif tag not in ("NNP", ".") and upos != "PROPN":
            contents.append(form)
    phrase = tuple(index_words(" ".join(predicates)))
    content = tuple(dict.fromkeys(word for form in contents for word in index_words(form)))
    if not phrase:
        return "no_predicate"
    if not content:
        return "no_content"
    return Query(
        phrase, content, f'("{" ".join(predicates)}"~{SLOP}) AND ({" OR ".join(contents)})'
    )


@dataclass(frozen=True, slots=True)
class SentenceHit:
    """A sentence found, and the words of the query in it."""

    number: int
    score: float
    title: str
    text: str
    matched: tuple[str, ...]


def need_tantivy() -> None:
    """Raise `UsageError` if the package tantivy is not installed."""
    if find_spec("tantivy") is None:
        raise UsageError(
            "the search index needs the package tantivy, which is not installed",
            remedy=install_command("overlap"),
        )


def build_index(folder: Path, paragraphs: Iterable[Mapping[str, Any]]) -> None:
    """Index the sentences of paragraphs with tantivy, unless the folder has a finished index.

    A paragraph has `title` and `sentences`.
    """
    import tantivy

    if (folder / _FOLDER).exists():
        return
    unfinished = folder / f"{_FOLDER}.unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    make_folder(unfinished)
    with disk.plain_names([unfinished]) as (name,):
        schema = tantivy.SchemaBuilder()
        schema.add_text_field(
            _WORDS, stored=True, tokenizer_name="whitespace", index_option="position"
        )
        for field in (_TITLE, _SENTENCE):
            schema.add_bytes_field(field, stored=True)
        schema.add_unsigned_field(_NUMBER, stored=True)
        writer = tantivy.Index(schema.build(), path=name).writer(_HEAP, 1)
        pairs = ((one["title"], text) for one in paragraphs for text in one["sentences"])
        for number, (title, text) in enumerate(pairs):
            document = tantivy.Document()
            document.add_text(_WORDS, " ".join(index_words(text)))
            document.add_unsigned(_NUMBER, number)
            document.add_bytes(_TITLE, title.encode())
            document.add_bytes(_SENTENCE, text.encode())
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
    sync_files(unfinished)
    unfinished.rename(folder / _FOLDER)


class SentenceIndex:
    """An index made by `build_index`. Raises `DataError` for a broken one."""

    def __init__(self, folder: Path) -> None:
        import tantivy

        place = folder / _FOLDER
        try:
            with disk.plain_names([place]) as (name,):
                index = tantivy.Index.open(name)
                self._searcher = index.searcher()
        except (ValueError, OSError) as error:
            raise DataError(
                f"the search index in this folder is broken: {error}",
                path=folder,
                remedy="remove the folder and run the command again",
            ) from None
        self._schema = index.schema
        self._counts: dict[str, int] = {}
        self.sentences: int = self._searcher.num_docs

    def search(self, query: Query, top: int) -> list[SentenceHit]:
        """Rank the sentences found by a query, equal scores in the text's order.

        Tantivy's phrases ignore the order of words: its hits are checked from the highest score
        down, until no remaining sentence can be among the `top`.
        """
        asked = self._make_tantivy_query(query)
        scored = dict.fromkeys((*query.phrase, *query.content))
        hits: list[SentenceHit] = []
        seen, limit = 0, _BATCH
        # Batches grow by four: most queries end with the first, and none asks for a page twice.
        while True:
            found = self._searcher.search(asked, limit=limit, count=False, offset=seen).hits
            last = 0.0
            for score, address in found:
                last = round(score, 3)  # equal sentences of two segments may differ by a rounding
                document: Any = self._searcher.doc(address)
                words = document.get_first(_WORDS).split()
                if contains_phrase(query.phrase, words):
                    matched = tuple(filter(set(words).__contains__, scored))
                    title, text = (document.get_first(one).decode() for one in (_TITLE, _SENTENCE))
                    number = document.get_first(_NUMBER)
                    hits.append(SentenceHit(number, last, title, text, matched))
            if len(found) < limit or (len(hits) >= top and last < hits[top - 1].score):
                return sorted(hits, key=lambda one: (-one.score, one.number))[:top]
            seen, limit = seen + limit, limit * 4

    def _make_tantivy_query(self, query: Query) -> tantivy.Query:
        """Make the query for tantivy: all words of the phrase, the rarest near its neighbours.

        Tantivy's slop counts moves: words at most `SLOP` apart in the right order are within it.
        """
        import tantivy

        make, must, should = tantivy.Query, tantivy.Occur.Must, tantivy.Occur.Should
        rarest = min(query.phrase, key=self._count)
        near = [
            make.phrase_query(self._schema, _WORDS, list(pair), SLOP)
            for pair in sorted(set(pairwise(query.phrase)))
            if rarest in pair and pair[0] != pair[1]
        ]
        content = [(should, self._score_word(word)) for word in query.content]
        return make.boolean_query(
            [
                *((must, self._score_word(word)) for word in query.phrase),
                *((must, make.const_score_query(one, 0.0)) for one in near),
                (must, make.boolean_query(content)),
            ]
        )

    def _score_word(self, word: str) -> tantivy.Query:
        """Make a query for one word, boosted to the score that Whoosh's idf gives."""
        import tantivy

        having = self._count(word)
        boost = whoosh_idf(self.sentences, having) / (
            log1p((self.sentences - having + 0.5) / (having + 0.5))  # Tantivy's own idf
        )
        term = tantivy.Query.term_query(self._schema, _WORDS, word)
        return tantivy.Query.boost_query(term, boost)

    def _count(self, word: str) -> int:
        """Count the sentences with a word."""
        known = self._counts.get(word)
        if known is None:
            known = self._counts[word] = self._searcher.doc_freq(_WORDS, word)
        return known


def contains_phrase(phrase: Sequence[str], words: Sequence[str]) -> bool:
    """Tell whether a text has a phrase: its words in order, each within `SLOP` of the last.

    For each word of the phrase, only the last place where the phrase may have come so far is kept:
    if that place is too far away, earlier places are, too.
    """
    steps: dict[str, list[int]] = {}
    for step in reversed(range(len(phrase))):
        steps.setdefault(phrase[step], []).append(step)
    ends = [-SLOP - 1] * len(phrase)
    for place, word in enumerate(words):
        for step in steps.get(word, ()):
            if not step or place - ends[step - 1] <= SLOP:
                ends[step] = place
    return ends[-1] >= 0
