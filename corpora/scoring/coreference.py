"""Count the clusters of a response against those of a key, document by document.

Clusters of words with tags are also counted by class (pronoun, name, nominal): the scores over all
mentions mostly show pronouns, which are half of the mentions of a novel. Without tags, English
words alone are classified, by a list of pronouns and the capital of a name's last word.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.scoring import anaphors
from corefmill.corpora.scoring.alignment import Alignment, ScoredDocument, align, drop_singletons
from corefmill.corpora.scoring.anaphors import CLASSES
from corefmill.corpora.scoring.matching import Matching
from corefmill.corpora.scoring.metrics import MENTIONS, METRICS, Measure, Metric, Row, ratios
from corefmill.corpora.scoring.table import ScoreTable

if TYPE_CHECKING:
    from corefmill.corpora.records import Document, Mention


GENRE = re.compile("([^/]+)/")
"""The first part of a document's name, where it is a path such as nw/wsj/00/wsj_0037."""

MAX_PATTERN = 1_000
"""Characters of an expression."""


def compile_pattern(source: str) -> re.Pattern[str]:
    """Compile a user's regular expression by RE2. Raises `ValueError` with the fault."""
    if source == GENRE.pattern:
        return GENRE
    if len(source) > MAX_PATTERN:
        raise ValueError(f"over {MAX_PATTERN:,} characters long")
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(source, options)  # type: ignore[no-any-return]
    except (re2.error, UnicodeError) as error:
        said = error.args[0].decode() if isinstance(error.args[0], bytes) else error
        raise ValueError(f"{said}; look-around and back-references are not known here") from None


def match_names(pattern: re.Pattern[str], names: Sequence[str]) -> list[str | None]:
    """Match each name from its start, giving the first group (else all of it), or None."""
    # RE2 takes no half surrogate pairs.
    matches = (pattern.match(name.encode("utf-8", "replace").decode()) for name in names)
    number = 1 if pattern.groups else 0
    return [None if match is None else match[number] or "" for match in matches]


Singletons = Literal["keep", "drop"]
Unmatched = Literal["refuse", "ignore"]

_Documents = dict[tuple[str, int], ScoredDocument]


def count(
    key: Iterable[ScoredDocument],
    response: Iterable[ScoredDocument],
    metrics: Sequence[Metric] = tuple(METRICS.values()),
    *,
    paths: tuple[Path | None, Path | None] = (None, None),
    singletons: Singletons = "keep",
    unmatched: Unmatched = "refuse",
    genre: re.Pattern[str] = GENRE,
    matching: Matching | None = None,
    by_class: bool = False,
) -> ScoreTable:
    """Count every document of a key and a response, in the key's order.

    Args:
        key: The right clusters.
        response: Those to count.
        metrics: The metrics of the table.
        paths: The files of both, named in errors.
        singletons: keep, or drop: entities of one mention are taken out of both sides before
            anything else, as if they were not in the files.
        unmatched: refuse, which raises `DataError` where the two have not the same documents of
            the same numbers of tokens, or ignore, which does as the reference scorer: a document
            that the response lacks has no entities there, one of the response alone is left out.
        genre: A document's genre is its own, else the first group of this (else all of it) where
            it matches the document's name from the start, else `-`.
        matching: Compares mentions that are `NodeMention`s; without it two mentions are the same
            if they are equal.
        by_class: With `matching`: count mentions and anaphors by class, too.

    Raises:
        DataError: The key is empty, has a document twice, or does not go with the response.
    """
    own, other = _by_key(key, paths[0]), _by_key(response, paths[1])
    if not own:
        raise DataError(
            "no documents here",
            path=paths[0],
            remedy="documents open with '#begin document (NAME); part 000'",
        )
    if unmatched == "refuse":
        _check_pairs(own, other, paths[1])
    every = (MENTIONS, *metrics)
    rows: dict[str, list[Row]] = {metric.name: [] for metric in every}
    classes: dict[str, list[Row]] = {}
    repeats = dropped = 0
    for name, text in own.items():
        sides = text.clusters, other[name].clusters if name in other else []
        pair: Alignment
        if matching is None:
            pair = align(*(map(drop_singletons, sides) if singletons == "drop" else sides))
        else:
            pair = matching.align(*sides, without_singletons=singletons == "drop")
            if by_class:
                class_of = partial(anaphors.class_of, rows=text.rows)
                # The first row of a class counts its mentions, the second its anaphors.
                for row, count_of in enumerate((anaphors.count_found, anaphors.count_resolved)):
                    for name_of_class, counted in count_of(pair, class_of).items():
                        sums = classes.setdefault(name_of_class, [(0.0,) * 4, (0.0,) * 4])
                        sums[row] = tuple(map(operator.add, sums[row], counted))
        repeats, dropped = repeats + pair.key_repeats, dropped + pair.dropped
        for metric in every:
            rows[metric.name].append(metric.count(pair))
    notes = []
    if not any(text.clusters for text in own.values()):
        notes.append("the key has no mentions")
    if lacking := sum(name not in other for name in own):
        notes.append(
            f"the response lacks {lacking:,} of {len(own):,} documents; they count as empty"
        )
    if more := sum(name not in own for name in other):
        notes.append(f"{more:,} documents of the response are not in the key and were left out")
    if dropped:
        notes.append(
            f"{dropped:,} mentions of the key stand more than once in the response; "
            "the first counts"
        )
    if repeats:
        how = "corefud-scorer counts them, of their last entity"
        how = "the reference scorer counts them" if matching is None else how
        notes.append(
            f"{repeats:,} mentions stand more than once in the key; they are counted as {how}"
        )
    # A document's own genre counts before that of its name.
    named = match_names(genre, [text.name for text in own.values()])
    genres = [
        text.genre or name or ("-" if name is None else "")
        for text, name in zip(own.values(), named, strict=True)
    ]
    langs = [text.lang or "-" for text in own.values()]
    titles = [text.title for text in own.values()]
    return ScoreTable("document", titles, genres, every, rows, tuple(notes), langs, classes)


def _by_key(texts: Iterable[ScoredDocument], path: Path | None) -> _Documents:
    """Index documents by name and part. Raises `DataError` where one is there twice."""
    found: _Documents = {}
    for text in texts:
        if text.key in found:
            raise DataError(f"document {text.title!r} is there twice", path=path)
        found[text.key] = text
    return found


def _check_pairs(key: _Documents, response: _Documents, path: Path | None) -> None:
    """Raise `DataError` where the two have other documents, numbers of tokens, or words."""

    def refuse(problem: str) -> DataError:
        remedy = "--unmatched ignore scores as the reference scorer does"
        return DataError(problem, path=path, remedy=remedy)

    for one, other, lacking, whole in (
        (key, response, "response", "key"),
        (response, key, "key", "response"),
    ):
        if missing := [text for name, text in one.items() if name not in other]:
            raise refuse(
                f"the {lacking} lacks {len(missing)} of {len(one)} documents of the {whole}, "
                f"such as {missing[0].title!r}"
            )
    for name, text in key.items():
        tokens = response[name].tokens
        if text.tokens is not None and tokens is not None and text.tokens != tokens:
            raise refuse(
                f"document {text.title!r} has {tokens:,} tokens, but {text.tokens:,} in the key"
            )
        words = zip(text.sentences, response[name].sentences, strict=False)
        for number, (right, said) in enumerate(words, 1):
            if right != said:
                raise refuse(
                    f"sentence {number} of document {text.title!r} has other words than in the key"
                )


_XPOS = {"PRP": "PRON", "WP": "PRON", "DT": "DET", "WDT": "DET", "NNP": "PROPN"}
"""Penn's tags, without `$` and the S of plurals."""
_PRONOUNS = frozenset(
    """i me my mine myself you your yours yourself yourselves he him his himself she her hers
    herself it its itself we us our ours ourselves they them their theirs themselves this that
    these those who whom whose which one oneself thou thee thy thine""".split()  # noqa: SIM905
)
FOUND, LINKED = "recall", "link accuracy"
NAMES = ("pronoun", "name", "nominal")


def class_measures() -> list[Measure]:
    """List the measures by class: `pronoun recall`, `pronoun link accuracy` and so on."""
    names = [f"{name} {kind}" for name in NAMES for kind in (FOUND, LINKED)]
    return [Measure(name, name, ratios) for name in names]


def add_classes(
    table: ScoreTable, key: Sequence[Document], response: Sequence[Document], *, singletons: bool
) -> ScoreTable:
    """Add the counts of `class_measures` to a table of documents, without empty classes.

    Recall is of the key's mentions; with `singletons` false those of clusters of one do not count.
    Link accuracy is of the found mentions that have an antecedent in the key: the share whose
    nearest predicted antecedent is in the same cluster of the key.
    """
    pairs = zip(key, response, strict=True)
    rows = [_count_classes(*pair, singletons=singletons) for pair in pairs]
    added = [one for one in class_measures() if any(row[one.name][1] for row in rows)]
    counts = {one.name: [row[one.name] for row in rows] for one in added}
    return replace(table, measures=[*table.measures, *added], counts={**table.counts, **counts})


def _count_classes(key: Document, response: Document, *, singletons: bool) -> dict[str, Row]:
    """Count right and all mentions by measure, twice each, as there is only recall."""
    # Each mention by its entity in the key, and by its nearest antecedent in the response.
    counts = {measure.name: [0, 0] for measure in class_measures()}
    home = {mention: number for number, own in enumerate(key.clusters) for mention in own}
    antecedents = {
        mention: before for own in response.clusters for before, mention in _pair_neighbours(own)
    }
    for cluster in key.clusters:
        if len(cluster) == 1 and not singletons:
            continue
        for before, mention in _pair_neighbours(cluster):
            name = classify_mention(key, mention)
            if name not in NAMES:
                continue
            found = mention in antecedents
            row = counts[f"{name} {FOUND}"]
            row[0] += found
            row[1] += 1
            # A first mention has no link, and of a mention that was not found none is asked.
            if before is not None and found:
                near = antecedents[mention]
                row = counts[f"{name} {LINKED}"]
                row[0] += near is not None and home.get(near) == home[mention]
                row[1] += 1
    return {name: (right, n, right, n) for name, (right, n) in counts.items()}


def _pair_neighbours(cluster: Sequence[Mention]) -> Iterator[tuple[Mention | None, Mention]]:
    """Pair each mention, in the order of the text, with the one before it."""
    ordered = sorted(cluster, key=lambda one: (one.sentence, one.start, one.end))
    return zip([None, *ordered], ordered, strict=False)


def classify_mention(document: Document, mention: Mention) -> str:
    """Tell the class of a mention: zero, pronoun, name, nominal, or `-` for an untagged word.

    Its head is the first of its words whose own head lies outside, else the last word.
    """
    if mention.zero:
        return "zero"
    tokens = document.sentences[mention.sentence].tokens
    inside = range(mention.start, mention.end)
    heads = (
        place
        for place in inside
        if (above := tokens[place].head) is not None and above - 1 not in inside
    )
    last = mention.end - 1
    head = tokens[next(heads, last)]
    tag = head.upos or _XPOS.get((head.xpos or "").rstrip("$S"), head.xpos and "NOUN")
    if tag:
        return CLASSES.get(tag, "nominal")
    if document.lang != "en":
        return "-"
    if len(inside) == 1 and head.form.lower() in _PRONOUNS:
        return "pronoun"
    # A capital where a sentence begins says nothing.
    return "name" if head.form[:1].isupper() and (last or len(inside) > 1) else "nominal"
