"""Events across documents where mentions are found, not given: a tagger, and clusters of its finds.

    corefmill parse data/ecbplus ecbplus.jsonl
    python -m benchmarks.found_events out/found ecbplus.jsonl --models out/events/ECB+-0 ... \\
        --seeds 0 1 2 --set epochs=3

The tagger is `train coref --task documents`: each document is its sentences in which the corpus
annotates an event, its clusters are the corpus's within the document, and what the model takes for
a mention is a find. It learns from the training split and is not chosen by the other one. The rule
beside it is a word list: words that are an event as often as not where they stand in the training
split. Finds are clustered within their topic by head lemma (en_mini's, for gold mentions too), and
by models of `train coref --task events`.

Mentions are exact spans; a discontinuous one is in the key and never found. F1 in percent,
singletons kept, all topics as one document; of several seeds the mean and, after +-, the standard
deviation (n - 1). Sentences without any event are read by nobody: precision is a little too good.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import torch

from benchmarks import seeds
from corefmill.builders.nlp import with_trees
from corefmill.builders.wec.heads import with_heads
from corefmill.coref_model import load
from corefmill.coref_model.events import baselines
from corefmill.coref_model.events.clustering import Labels
from corefmill.coref_model.events.model import EventModel
from corefmill.coref_model.events.sampling import groups
from corefmill.coref_model.events.task import scored
from corefmill.coref_model.trainer import TrainingRequest, prepare
from corefmill.corpora import find as corpora_found
from corefmill.corpora import jsonl
from corefmill.corpora.atomic import write_whole
from corefmill.corpora.errors import CorefmillError
from corefmill.corpora.records import Document, EventMention, Mention, Sentence, Span, Token
from corefmill.corpora.scoring.metrics import CONLL
from corefmill.corpora.scoring.units import ScoredDocument
from corefmill.corpora.tables import table

Mentions = list[EventMention]
HEAD = ("mentions", "by", "clusters by", "seeds", "mentions R / P / F1", "CoNLL", *CONLL)


def main() -> None:
    """Trains what is missing and prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("corpus", type=Path, help="what `corefmill parse` made of ECB+")
    parser.add_argument("--models", type=Path, nargs="*", default=[], help="of events")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="of the tagger")
    parser.add_argument("--set", action="append", default=[], dest="sets", metavar="KEY=VALUE")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    try:
        lines = table(HEAD, rows(options))
    except CorefmillError as error:
        sys.exit(str(error))
    write_whole(options.out / "results.md", "\n".join(lines) + "\n")
    print("\n".join(lines))


def rows(options: argparse.Namespace) -> Iterator[Sequence[object]]:
    """Gold mentions, the word list's and the tagger's, each clustered in every way."""
    corpus = corpora_found.at(options.corpus)
    train, test = (
        [one for one in corpora_found.records(corpus, split) if isinstance(one, EventMention)]
        for split in ("train", "validation")
    )
    (options.out / "documents").mkdir(parents=True, exist_ok=True)
    for split, records in ("train", train), ("validation", test):
        jsonl.write(options.out / f"documents/{split}.jsonl", documents(records))
    pipeline = with_trees("en_mini", "en")
    found = {"gold": [test], "word list": [list(listed(train, test))]}
    found["tagger"] = [list(tagged(options, seed, test)) for seed in options.seeds]
    models = [load(path).model for path in options.models]
    for by, runs in found.items():
        parsed = [list(with_heads(run, pipeline)) for run in runs]
        yield _row(test, by, "same head lemma", [(run, _lemmas(run)) for run in parsed])
        if models:
            clustered = [(run, _clusters(one, run)) for run in parsed for one in models]
            yield _row(test, by, "model", clustered)


def documents(mentions: Iterable[EventMention]) -> Iterator[Document]:
    """Of each text the sentences with an event, as a document with the clusters within it."""
    for title, own in _by_title(mentions).items():
        sentences = _sentences(own)
        clusters: dict[str, list[Mention]] = defaultdict(list)
        for one in own:
            number = list(sentences).index(_span(one))
            starts, ends = zip(*sentences[_span(one)], strict=True)
            if not one.parts and one.start in starts and one.end in ends:
                place = Mention(number, starts.index(one.start), ends.index(one.end) + 1)
                clusters[one.cluster].append(place)
        words = (
            Sentence(tuple(Token(own[0].text[start:end]) for start, end in tokens))
            for tokens in sentences.values()
        )
        yield Document(title, 0, own[0].lang, tuple(words), tuple(map(tuple, clusters.values())))


def tagged(options: argparse.Namespace, seed: int, test: Mentions) -> Iterator[EventMention]:
    """The mentions that a model of documents finds, trained now or before."""
    folder: Path = options.out / f"tagger-{seed}"
    if not (folder / "model.toml").exists():
        prepare(
            TrainingRequest(
                corpora=[corpora_found.at(options.out / "documents")],
                out=folder,
                presets=("cpu", "tuned"),
                sets=("patience=0", "singletons=keep", *options.sets, f"seed={seed}"),
                quiet=True,
            )
        ).run()
    of_title = _by_title(test)
    for document in load(folder).records(documents(test)):
        assert isinstance(document, Document)
        own = of_title[document.doc_id]
        sentences = list(_sentences(own).items())
        for one in chain.from_iterable(document.clusters):
            span, tokens = sentences[one.sentence]
            yield _found(own[0], span, (tokens[one.start][0], tokens[one.end - 1][1]))


def listed(train: Mentions, test: Mentions) -> Iterator[EventMention]:
    """The words of the test that are an event as often as not in the training split."""
    there: Counter[str] = Counter()
    events: Counter[str] = Counter()
    for own in _by_title(train).values():
        spans = {(one.start, one.end) for one in own}
        for token in chain.from_iterable(_sentences(own).values()):
            word = own[0].text[slice(*token)].casefold()
            there[word] += 1
            events[word] += token in spans
    for own in _by_title(test).values():
        for span, tokens in _sentences(own).items():
            for token in tokens:
                word = own[0].text[slice(*token)].casefold()
                if 2 * events[word] >= max(there[word], 1):
                    yield _found(own[0], span, token)


def _by_title(mentions: Iterable[EventMention]) -> dict[str, Mentions]:
    of_title: dict[str, Mentions] = defaultdict(list)
    for one in mentions:
        of_title[one.source.title].append(one)
    return of_title


def _span(mention: EventMention) -> Span:
    start, end = mention.meta["sentence_span"]
    return int(start), int(end)


def _sentences(own: Mentions) -> dict[Span, list[Span]]:
    """The tokens, as offsets, of each sentence with an event; one space stands between two."""
    found = {}
    for start, end in sorted(set(map(_span, own))):
        tokens, at = [], start
        for word in own[0].text[start:end].split(" "):
            tokens.append((at, at + len(word)))
            at += len(word) + 1
        found[start, end] = tokens
    return found


def _found(model: EventMention, sentence: Span, span: Span) -> EventMention:
    """A mention in the text of another, whose cluster and lemma are to be found."""
    start, end = span
    return EventMention(
        id=f"{model.source.title}_{start}_{end}",
        lang=model.lang,
        text=model.text,
        start=start,
        end=end,
        cluster="",
        cluster_title="",
        event_type="",
        infobox="",
        source=model.source,
        meta={"topic": model.meta["topic"], "sentence_span": list(sentence)},
    )


def _lemmas(mentions: Mentions) -> Labels:
    labels = baselines.same_lemma(mentions, groups(mentions))
    assert labels is not None
    return labels


def _clusters(model: torch.nn.Module, mentions: Mentions) -> Labels:
    assert isinstance(model, EventModel)
    return model.clusters(mentions)


def _row(
    test: Mentions, by: str, how: str, runs: Sequence[tuple[Mentions, Labels]]
) -> Sequence[object]:
    key = _document(test, groups(test).chains)
    scores = []
    for mentions, labels in runs:
        response = _document(mentions, labels)
        found = scored(key, response)
        gold, ours = (set(chain.from_iterable(side.clusters)) for side in (key, response))
        both = len(gold & ours)
        recall, precision = 100 * both / len(gold), 100 * both / max(1, len(ours))
        shares = recall, precision, 200 * both / (len(gold) + len(ours))
        scores.append((*shares, *(100 * found[name] for name in ("conll", *CONLL))))
    shown = [seeds.mean(column) for column in zip(*scores, strict=True)]
    number = f"{statistics.fmean(len(mentions) for mentions, _ in runs):,.0f}"
    return [number, by, how, len(runs) if len(runs) > 1 else "", " / ".join(shown[:3]), *shown[3:]]


def _document(mentions: Mentions, labels: Labels) -> ScoredDocument:
    clusters: dict[int, list[object]] = defaultdict(list)
    for one, label in zip(mentions, labels.tolist(), strict=True):
        clusters[label].append((one.source.title, one.start, one.end, one.parts))
    return ScoredDocument("all", 0, None, list(clusters.values()))


if __name__ == "__main__":
    main()
