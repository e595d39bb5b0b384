"""Compares the search of `corefmill overlap --mode paper` with Whoosh, in one run.

    python -m benchmarks.overlap TEXT [--sentences 10000] [--queries 300] [--seed 0]

TEXT is a file or folder of plain text; its first sentences are indexed by both. The queries are
those of sentences drawn from it, as the published code makes them (predicates and content words by
the tags of the pipeline that ships), and random runs of its words at every slop. Whoosh answers
each with all hits, its own scores and no limit, as an oracle: hits must be the same, and scores
equal to 1e-6. Time is the processor's, for the best 50, of searches alone and of searches whose
query is a string, as the published code has it; whoosh is of the extra `bench`.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from builders.inputs import from_text
from builders.nlp import load
from builders.overlap import index
from builders.overlap.index import About, Index, Shard
from builders.overlap.query import Query, published
from builders.overlap.search import BM25, Hit, search
from builders.overlap.sentences import RULES, Cut, splitter
from builders.overlap.words import standard
from builders.shards import ShardWriter, shard_path
from builders.stages import Context


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text")
    parser.add_argument("--sentences", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=300, help="of each kind")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    try:
        import whoosh  # noqa: F401
    except ImportError:
        sys.exit("whoosh is not installed: pip install 'corefmill[bench]'")

    texts = list(islice(read(options.text), options.sentences))
    draw = random.Random(options.seed)
    asked = [*of_sentences(texts, options.queries, draw), *of_words(texts, options.queries, draw)]
    print(f"{len(texts):,} sentences, {len(asked):,} queries")
    with tempfile.TemporaryDirectory() as folder:
        ours, built = ours_on(texts, Path(folder) / "ours")
        theirs, their_built = theirs_on(texts, Path(folder) / "theirs")
        compare(asked, ours, theirs, built, their_built)


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


def ours_on(texts: list[str], folder: Path) -> tuple[Index, float]:
    began = time.process_time()
    folder.mkdir()
    with ShardWriter(folder, 0) as writer:
        for text in texts:
            writer.write("paragraphs", {"title": "", "sentences": [text]})
        writer.commit("", counts={}, rejects={})
    words = sum(len(standard(text)) for text in texts)
    shard = Shard(shard_path(folder, 0, "paragraphs"), len(texts))
    index.build(folder, [shard], About("paper", len(texts), words), lambda done: None)
    return Index(folder, [shard]), time.process_time() - began


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


def compare(
    asked: list[Query], ours: Index, theirs: object, built: float, their_built: float
) -> None:
    """Hits and scores of every query; time of each as the published code asks it (limit 50)."""
    from whoosh.qparser import QueryParser
    from whoosh.query import And, Or, Phrase, Term

    ranking = BM25(rounded=True)
    parser = QueryParser("content", theirs.schema)
    differ, worst, hits, having = 0, 0.0, 0, 0
    spent = dict.fromkeys(("ours", "Whoosh", "Whoosh, query parsed"), 0.0)
    for query in asked:
        found = {hit.number: hit for hit in search(ours, query, ranking, 10**6).best}
        words = [Term("content", word) for word in query.content]
        whole = And([Phrase("content", list(query.phrase), slop=query.slop), Or(words)])
        told = {hit["number"]: hit.score for hit in theirs.search(whole, limit=None)}
        hits += len(told)
        having += bool(told)
        differ += found.keys() != told.keys()
        worst = max([worst, *distances(found, told)])

        phrase, content = " ".join(query.phrase), " OR ".join(query.content)
        line = f'("{phrase}"~{query.slop}) AND ({content})'
        for name, act in {
            "ours": lambda query=query: search(ours, query, ranking, 50),
            "Whoosh": lambda whole=whole: list(theirs.search(whole, limit=50)),
            "Whoosh, query parsed": lambda line=line: list(
                theirs.search(parser.parse(line), limit=50)
            ),
        }.items():
            spent[name] += timed(act)
    print(f"hits: {hits:,} of Whoosh's, of {having:,} queries; queries with other hits: {differ}")
    print(f"scores: largest difference {worst:.1e}")
    for name, seconds in spent.items():
        mean = 1e6 * seconds / len(asked)
        print(
            f"search, {name:20} {mean:8.0f} us a query, {seconds / spent['ours']:6.1f} times ours"
        )
    print(
        f"index:  ours {built:.2f} s, Whoosh {their_built:.2f} s: {their_built / built:.1f} times"
    )


def timed(act: Callable[[], object]) -> float:
    """Seconds of the processor, the better of two."""
    spent = []
    for _ in range(2):
        began = time.process_time()
        act()
        spent.append(time.process_time() - began)
    return min(spent)


def distances(found: dict[int, Hit], told: dict[int, float]) -> Iterator[float]:
    return (abs(found[number].score - told[number]) for number in found.keys() & told.keys())


if __name__ == "__main__":
    main()
