"""Compares the search of `corefmill overlap` with Whoosh, in one run.

    python -m benchmarks.overlap TEXT [--sentences 10000] [--queries 300] [--seed 0]

TEXT is a file or folder of plain text; its first sentences are indexed by both. The queries are
those of sentences drawn from it, and random runs of its words. Whoosh answers each with all hits,
which must be the same, and with the scores of the published code, from which ours differ by the
rounding of sentences' lengths. Time is the processor's, for the sentences, scores and matched words
of the best 50; Whoosh is asked for all of that, and for the scores alone, which spares it a count
of the hits. whoosh is of the extra `bench`.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import mean, median

from corefmill.builders.nlp import load_pipeline
from corefmill.builders.overlap.run import cut_sentences, make_splitter
from corefmill.builders.overlap.search import (
    Query,
    SentenceIndex,
    build_index,
    index_words,
    make_query,
)
from corefmill.builders.run.stages import Context
from corefmill.builders.sources.inputs import from_text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text")
    parser.add_argument("--sentences", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=300, help="of each kind")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    try:
        import whoosh  # noqa: F401
    except ImportError:
        sys.exit("whoosh is not installed: pip install -e '.[bench]'")

    texts = list(islice(read(options.text), options.sentences))
    draw = random.Random(options.seed)
    queries = [*of_sentences(texts, options.queries, draw), *of_words(texts, options.queries, draw)]
    print(f"{len(texts):,} sentences, {len(queries):,} queries")
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        build_index(Path(folder), [{"title": "", "sentences": texts}])
        ours, built = SentenceIndex(Path(folder)), time.process_time() - began
        theirs, their_built = index_by_whoosh(texts, Path(folder) / "theirs")
        compare(queries, ours, theirs)
        race(queries, ours, theirs, options.rounds)
    print(f"index: ours {built:.2f} s, Whoosh {their_built:.2f} s: {their_built / built:.1f} times")


def read(name: str) -> Iterator[str]:
    given = from_text([name])
    cut = partial(cut_sentences, make_splitter("en"))
    for unit in given.source.units(()):
        articles = given.reader(iter([unit.payload]), Context(unit.index, 0))
        for out in cut(articles, Context(unit.index, 0)):
            yield from out.record["sentences"]


def of_sentences(texts: list[str], number: int, draw: random.Random) -> Iterator[Query]:
    """The queries of sentences of the text, which so have a hit at least."""
    for analysis in load_pipeline("en_mini", "en").full(
        draw.sample(texts, min(number, len(texts)))
    ):
        query = make_query(analysis)
        if isinstance(query, Query):
            yield query


def of_words(texts: list[str], number: int, draw: random.Random) -> Iterator[Query]:
    """Two to four words of a sentence, in their order or not."""
    for text in draw.sample(texts, min(number, len(texts))):
        words = index_words(text)
        if len(words) < 6:
            continue
        places = draw.sample(range(len(words)), draw.randint(2, 4))
        if draw.random() < 0.8:
            places.sort()
        phrase = tuple(words[place] for place in places)
        yield Query(phrase, tuple(dict.fromkeys(draw.sample(words, 3))), "")


def index_by_whoosh(texts: list[str], folder: Path) -> tuple[object, float]:
    from whoosh import fields
    from whoosh.index import create_in

    began = time.process_time()
    folder.mkdir()
    schema = fields.Schema(number=fields.STORED, content=fields.TEXT(stored=True))
    made = create_in(str(folder), schema)
    writer = made.writer()
    for number, text in enumerate(texts):
        writer.add_document(number=number, content=text)
    writer.commit()
    return made.searcher(), time.process_time() - began


def whoosh_query(query: Query) -> object:
    from whoosh.query import And, Or, Phrase, Term

    words = [Term("content", word) for word in query.content]
    return And([Phrase("content", list(query.phrase), slop=10), Or(words)])


def compare(queries: list[Query], ours: SentenceIndex, theirs: object) -> None:
    """Prints how many hits there are, and how hits and scores differ."""
    differ, hits, ratios, sides, best_sides = 0, 0, [], 0, 0
    for query in queries:
        found = {hit.number: hit.score for hit in ours.search(query, 10**6)}
        results = theirs.search(whoosh_query(query), limit=None)
        expected = {hit["number"]: hit.score for hit in results}
        hits += len(expected)
        differ += found.keys() != expected.keys()
        pairs = [(found[one], expected[one]) for one in sorted(found.keys() & expected.keys())]
        ratios += [one / other - 1 for one, other in pairs]
        sides += sum((one > cut) != (other > cut) for one, other in pairs for cut in (25, 35))
        if pairs:
            one, other = (max(scores) for scores in zip(*pairs, strict=True))
            best_sides += sum((one > cut) != (other > cut) for cut in (25, 35))
    ratios.sort()
    print(f"hits: {hits:,} of Whoosh's; queries with other hits: {differ}")
    print(
        f"scores: ours are {100 * ratios[0]:+.1f} to {100 * ratios[-1]:+.1f} % of Whoosh's, median"
        f" {100 * median(ratios):+.2f} %; on another side of 25 or 35: {sides} hits, of"
        f" {best_sides} queries the best"
    )


def race(queries: list[Query], ours: SentenceIndex, theirs: object, rounds: int) -> None:
    """Prints the time of a query: the mean over rounds, and the ratios of the rounds."""
    whole = {query: whoosh_query(query) for query in queries}

    def whole_answer(query: Query) -> object:
        found = theirs.search(whole[query], limit=50, terms=True)
        return len(found), [(hit["content"], hit.score, hit.matched_terms()) for hit in found]

    acts = {
        "ours": lambda query: ours.search(query, 50),
        "Whoosh, as ours": whole_answer,
        "Whoosh, scores alone": lambda query: [
            hit.score for hit in theirs.search(whole[query], limit=50)
        ],
    }
    spent: dict[str, list[float]] = {name: [] for name in acts}
    for _ in range(rounds):
        for name, act in acts.items():
            began = time.process_time()
            for query in queries:
                act(query)
            spent[name].append(1e6 * (time.process_time() - began) / len(queries))
    for name, each in spent.items():
        ratios = [one / other for one, other in zip(each, spent["ours"], strict=True)]
        print(
            f"search, {name:20} {mean(each):8.0f} us a query, {median(ratios):6.1f} times ours"
            f" ({min(ratios):.1f} to {max(ratios):.1f} in {rounds} rounds)"
        )


if __name__ == "__main__":
    main()
