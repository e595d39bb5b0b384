"""Cluster the persons of documents by the rules of `build chains`, where no trained model is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from corefmill.builders.chains.options import ChainsOptions
from corefmill.builders.chains.stages import EVIDENCE, analyse_paragraphs, link_articles
from corefmill.builders.nlp import choose_pipeline, load_pipeline
from corefmill.builders.persons import reference_words, table
from corefmill.builders.persons.gender import Genders
from corefmill.builders.run.stages import Context
from corefmill.builders.sources.text import Piece, make_paragraphs, read_text
from corefmill.coref_model.prediction.resolved import lay_out_text
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.plain import NONE, Contractions
from corefmill.corpora.records import Document, Mention, Record
from corefmill.corpora.words import split_lines

RECALL = 0.7
"""Least confidence of the evidence for a link (evidence.toml), far below that of `build chains`."""

Link = tuple[Mention, str]
"""A mention with the evidence for its link to the mention before it, "" for none."""


@dataclass
class PersonPredictor:
    """Finds names of persons and pronouns of their gender in documents of one language.

    Has the methods and attributes of `Predictor` that reading documents takes. Raises `UsageError`
    for a language without a table of pronouns or a pipeline; `nlp` names another pipeline.
    """

    lang: str
    nlp: str | None = None
    singletons: bool = True
    min_confidence: float = RECALL
    task: ClassVar[str] = "documents"
    contractions: ClassVar[Contractions] = NONE

    def __post_init__(self) -> None:
        self.lang = self.lang.partition("-")[0]
        self.reference = reference_words.load(self.lang)
        self.genders = Genders(self.lang, table.load(self.lang))
        self.pipeline = load_pipeline(self.nlp or choose_pipeline(self.lang), self.lang)

    @property
    def langs(self) -> list[str]:
        """List the one language."""
        return [self.lang]

    def refuse_text(self) -> None:
        """Accept plain text."""

    def answer_with(
        self,
        *,
        singletons: Literal["keep", "drop"] | None = None,
        convention: str | None = None,
        min_confidence: float = 0.0,
        scores: bool = False,
    ) -> None:
        """Set what `records` returns; raises `UsageError` for what takes a trained model."""
        if convention is not None or scores:
            option = "--scores" if scores else "--convention"
            raise UsageError(f"{option} needs a trained model", remedy="name one by --model")
        self.singletons = singletons != "drop"
        self.min_confidence = max(RECALL, min_confidence)

    def records(self, records: Iterable[Record]) -> Iterator[Record]:
        """Replace the clusters of documents; raises `DataError` for other records."""
        for document in records:
            if not isinstance(document, Document):
                raise DataError(f"the input holds a {type(document).__name__}, not documents")
            found = self.find_links(document)
            clusters = [tuple(one for one, _ in links) for links in found]
            kept = (one for one in clusters if self.singletons or len(one) > 1)
            yield replace(document, clusters=tuple(kept))

    def find_links(self, document: Document) -> list[list[Link]]:
        """Find the clusters of a document, each mention with its evidence."""
        text, offsets = lay_out_text(document)
        tokens = {
            place: (number, index)
            for number, spans in enumerate(offsets)
            for index, (start, end) in enumerate(spans)
            for place in range(start, end)
        }
        piece = Piece(0, "", 0, tuple(make_paragraphs(split_lines(text))))
        context = Context(0, 0)
        read = analyse_paragraphs(
            self.pipeline, read_text(iter([(piece,)]), context), context, None
        )
        accepted = {
            name for name, row in EVIDENCE.items() if row["confidence"] >= self.min_confidence
        }
        options = ChainsOptions(lang=self.lang)
        clusters: dict[int, list[Link]] = {}
        done: list[list[Link]] = []
        for article in link_articles(
            options, self.pipeline, self.genders, self.reference, read, context, accepted
        ):
            for sentence in article.sentences:
                for one in sentence.referents:
                    if one.person is None:
                        continue
                    start, end = sentence.paragraph.paragraph.place(one.start, one.end)
                    first, last = tokens[start], tokens[end - 1]
                    if first[0] != last[0]:
                        continue
                    links = clusters.setdefault(one.person, [])
                    mention = Mention(first[0], first[1], last[1] + 1)
                    if links and one.evidence not in accepted:
                        done.append(links)
                        links = clusters[one.person] = []
                    links.append((mention, one.evidence))
        return sorted([*done, *clusters.values()], key=lambda links: links[0][0].start)
