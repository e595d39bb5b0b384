"""The options of `corefmill score`, and what they say together."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

from corefmill.cli.command import Option
from corefmill.cli.plain_options import Json, Markdown, Quiet, Theirs, seed_option
from corefmill.corpora.patterns import GENRE

if TYPE_CHECKING:
    from corefmill.corpora.scoring.columns import MentionClass


class SingletonsKept(StrEnum):
    """What becomes of entities of one mention."""

    keep = "keep"
    drop = "drop"


class Unmatched(StrEnum):
    """What becomes of documents that do not match."""

    refuse = "refuse"
    ignore = "ignore"


class MatchedBy(StrEnum):
    """When two mentions of CoNLL-U are the same."""

    exact = "exact"
    head = "head"
    partial = "partial"


class Zeros(StrEnum):
    """What becomes of zero mentions."""

    none = "none"
    linear = "linear"
    dependent = "dependent"


class By(StrEnum):
    """What further tables there are."""

    document = "document"
    genre = "genre"
    language = "language"
    class_ = "class"
    type = "type"
    distance = "distance"


class Guideline(StrEnum):
    """Mentions that some guidelines mark and others do not."""

    relatives = "relatives"
    appositions = "appositions"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions:
    """What is counted, what is drawn to say how sure a score is, and what is printed."""

    against: Annotated[
        Path | None,
        Option(help="A second response: tests how its scores differ from the first's."),
    ] = None
    metrics: Annotated[
        str,
        Option(
            help="muc, bcub (or b3), ceafe, ceafm, lea, blanc, separated by commas; conll stands"
            " for the first three, all for all of them. With --match or --zeros also mor (mention"
            " overlap ratio) and zero (zero anaphors)."
        ),
    ] = "all"
    match: Annotated[
        MatchedBy | None,
        Option(
            help="For CoNLL-U with Entity, when two mentions match, by the rules of"
            " corefud-scorer 1.2: exact, if they have the same nodes; head, if they have"
            " the same head; partial, if the response's is a part of the key's that"
            " includes its head.",
            default="equal spans, in any format",
        ),
    ] = None
    zeros: Annotated[
        Zeros | None,
        Option(
            help="With --match: none leaves zero mentions out, linear matches them by their place,"
            " dependent by DEPS of their heads.",
            default="dependent, as CRAC ranks",
        ),
    ] = None
    singletons: Annotated[
        SingletonsKept,
        Option(
            help="drop takes entities of one mention out of both sides, as is right for"
            " OntoNotes, which has none."
        ),
    ] = SingletonsKept.keep
    unmatched: Annotated[
        Unmatched,
        Option(
            help="If the response lacks documents, or has other documents or other tokens:"
            " refuse is an error; ignore scores as the reference scorer does, a missing"
            " document as one without mentions."
        ),
    ] = Unmatched.refuse
    left_out: Annotated[
        list[Guideline] | None,
        Option(
            "--leave-out",
            help="With --match: leave mentions of this kind out of key and response, by the"
            " key's columns: relative pronouns (PronType=Rel), or appositions (appos to"
            " a word of their entity). Repeatable.",
        ),
    ] = None
    by: Annotated[
        list[By] | None,
        Option(
            help="Also a table by document, genre or language; with --match of mentions and"
            " anaphors by class (pronoun, zero, name, nominal), by type (the etype of Entity) or by"
            " distance from the antecedent. Repeatable."
        ),
    ] = None
    genre: Annotated[
        str,
        Option(
            metavar="REGEX",
            help="Finds a document's genre in its name, if the corpus does not state it: the"
            " group of this regular expression, matched from the start (RE2: no"
            " look-around, no back-references).",
        ),
    ] = GENRE.pattern
    group: Annotated[
        str | None,
        Option(
            metavar="KEY",
            help="For event mentions: score those with the same value of KEY in meta, such"
            " as topic, as one document; the KEY article takes those of one article.",
            default="all are one document",
        ),
    ] = None
    bootstrap: Annotated[
        int | None,
        Option(
            metavar="N",
            help="Print 95 % intervals from N draws of documents. With --against, N is also"
            " the number of random exchanges that test the difference (10000 if not"
            " given).",
        ),
    ] = None
    seed: Annotated[int, seed_option("Seed of these draws.")] = 0
    signature: Annotated[
        str | None,
        Option(
            metavar="SIGNATURE",
            help="Take the options from this signature, which an earlier score printed. If"
            " the key is another one, that is an error.",
        ),
    ] = None
    cite: Annotated[
        bool, Option("--cite", help="Also print BibTeX of the metrics and rules used.")
    ] = False
    form: Theirs = None
    as_markdown: Markdown = False
    quiet: Quiet = False
    as_json: Json = False

    def draws(self) -> int:
        """How many draws of documents, where there are any."""
        from corefmill.corpora.scoring.score import DRAWS

        return DRAWS if self.bootstrap is None else self.bootstrap

    def guidelines(self) -> list[str]:
        """Those whose mentions are left out, each once."""
        return list(dict.fromkeys(one.value for one in self.left_out or ()))

    def classes(self) -> list[MentionClass]:
        """The classes by which mentions are counted, in the order in which all are listed."""
        from corefmill.corpora.scoring.columns import MentionClass

        return [one for one in get_args(MentionClass) if one in {by.value for by in self.by or ()}]

    def rules(self) -> dict[str, Any]:
        """Return what decides the counts and draws, as `scoring.score.score` takes it."""
        return {
            "metrics": self.metrics,
            "match": self.match and self.match.value,
            "zeros": self.zeros and self.zeros.value,
            "singletons": self.singletons.value,
            "unmatched": self.unmatched.value,
            "left_out": self.guidelines(),
            "form": self.form,
            "group": self.group,
            "bootstrap": self.bootstrap,
            "seed": self.seed,
        }

    def groupings(self) -> list[str]:
        """What documents are grouped by, each once."""
        given = dict.fromkeys(one.value for one in self.by or ())
        return [one for one in given if one not in self.classes()]
