"""Compares the search of `corefmill overlap --mode paper` with Whoosh's, in one run.

    python -m benchmarks.overlap TEXT [--sentences 10000] [--queries 300] [--seed 0]

TEXT is a file or folder of plain text; its first sentences are indexed by both. The queries are
those of sentences drawn from it, as the published code makes them (predicates and content words by
the tags of the pipeline that ships), and random runs of its words at every slop. Time is the
processor's, for the best 50: ours says how many there are, and gives their sentences, scores and
the words found in each. Whoosh is asked for all of that, and for the scores alone, which spares it
the count. A round asks each of them all queries. whoosh is of the extra `bench`.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import mean, median

from corefmill.builders.nlp import load
from corefmill.builders.overlap import index
from corefmill.builders.overlap.index import IndexCard, SentenceIndex, Shard
from corefmill.builders.overlap.query import Query, published
from corefmill.builders.overlap.search import BM25, search
from corefmill.builders.overlap.sentences import RULES, Cut, splitter
from corefmill.builders.overlap.words import standard
from corefmill.builders.runner.shards import ShardWriter, shard_path
from corefmill.builders.runner.stages import Context
from corefmill.builders.sources.inputs import from_text

RANKING = BM25(rounded=True)


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
    asked = [*of_sentences(texts, options.queries, draw), *of_words(texts, options.queries, draw)]
    print(f"{len(texts):,} sentences, {len(asked):,} queries")
    with tempfile.TemporaryDirectory() as folder:
        ours, built = ours_on(texts, Path(folder) / "ours")
        theirs, their_built = theirs_on(texts, Path(folder) / "theirs")
        race(asked, ours, theirs, options.rounds)
    print(
        f"index:  ours {built:.2f} s, Whoosh {their_built:.2f} s: {their_built / built:.1f} times"
    )


def read(name: str) -> Iterator[str]:
    given = from_text([name])
    split, _ = splitter(RULES, "en")
    for unit in given.source.units(()):
        articles = given.reader(iter([unit.payload]), Context(unit.index, 0))
        for out in Cut(split, "paper")(articles, Context(unit.index, 0)):
            yield from out.record["sentences"]


def of_sentences(texts: list[str], number: int, draw: random.Random) -> Iterator[Query]:
    """The published code's query for sentences of the text, which so has a hit at least."""
    pipeline = load("en_mini", "en")
    drawn = draw.sample(texts, min(number, len(texts)))
    for analysis in pipeline.full(drawn):
        query = published(analysis)
        if isinstance(query, Query):
            yield query


def of_words(texts: list[str], number: int, draw: random.Random) -> Iterator[Query]:
    """Two to four words of a sentence, in their order or not, at any slop."""
    for text in draw.sample(texts, min(number, len(texts))):
        words = [word.form for word in standard(text)]
        if len(words) < 6:
            continue
        places = draw.sample(range(len(words)), draw.randint(2, 4))
        if draw.random() < 0.8:
            places.sort()
        phrase = tuple(words[place] for place in places)
        content = tuple(dict.fromkeys(draw.sample(words, 3)))
        yield Query(phrase, content, (*phrase, *content), True, draw.randint(1, 10), "")


def ours_on(texts: list[str], folder: Path) -> tuple[SentenceIndex, float]:
    began = time.process_time()
    folder.mkdir()
    with ShardWriter(folder, 0) as writer:
        for text in texts:
            writer.write("paragraphs", {"title": "", "sentences": [text]})
        writer.commit("", counts={}, rejects={})
    words = sum(len(standard(text)) for text in texts)
    shard = Shard(shard_path(folder, 0, "paragraphs"), len(texts))
    index.build(folder, [shard], IndexCard("paper", len(texts), words), lambda done: None)
    return SentenceIndex(folder, [shard]), time.process_time() - began


def theirs_on(texts: list[str], folder: Path) -> tuple[object, float]:
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


def whole(query: Query) -> object:
    """The query as Whoosh has it."""
    from whoosh.query import And, Or, Phrase, Term

    words = [Term("content", word) for word in query.content]
    return And([Phrase("content", list(query.phrase), slop=query.slop), Or(words)])


def race(asked: list[Query], ours: SentenceIndex, theirs: object, rounds: int) -> None:
    """Prints the time of a query: the mean over rounds, and the ratios of the rounds."""
    wholes = {query: whole(query) for query in asked}

    def best(query: object, terms: bool = False) -> object:
        return theirs.search(query, limit=50, terms=terms)

    def whole_answer(query: Query) -> object:
        found = best(wholes[query], terms=True)
        return len(found), [(hit["content"], hit.score, hit.matched_terms()) for hit in found]

    acts = {
        "ours": lambda query: search(ours, query, RANKING, 50),
        "Whoosh, as ours": whole_answer,
        "Whoosh, scores alone": lambda query: [hit.score for hit in best(wholes[query])],
    }
    spent: dict[str, list[float]] = {name: [] for name in acts}
    for _ in range(rounds):
        for name, act in acts.items():
            began = time.process_time()
            for query in asked:
                act(query)
            spent[name].append(1e6 * (time.process_time() - began) / len(asked))
    for name, each in spent.items():
        ratios = [one / other for one, other in zip(each, spent["ours"], strict=True)]
        print(
            f"search, {name:20} {mean(each):8.0f} us a query, {median(ratios):6.1f} times ours"
            f" ({min(ratios):.1f} to {max(ratios):.1f} in {rounds} rounds)"
        )


if __name__ == "__main__":
    main()
