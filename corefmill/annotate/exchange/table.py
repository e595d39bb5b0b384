"""Lists the annotation tools that tasks go to and answers come from; spreadsheets are none.

A new one is a module beside this one, its import and its line in `EXCHANGES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from corefmill.annotate.exchange import brat, label_studio, potato, webanno, xmi
from corefmill.annotate.exchange.answers import Items
from corefmill.annotate.exchange.chains import PlainDocument, ReadChains
from corefmill.annotate.judgements import Judgement
from corefmill.annotate.questions import AnnotationItem
from corefmill.corpora.errors import UsageError
from corefmill.corpora.spelling import did_you_mean


@dataclass(frozen=True, slots=True)
class QuestionExchange:
    """Questions in a folder: the names of the files that would be written, a writer, a reader."""

    names: Callable[[Sequence[AnnotationItem]], list[str]]
    write: Callable[[Path, Sequence[AnnotationItem]], None]
    read: Callable[[Path, Items], Iterator[Judgement]]


@dataclass(frozen=True, slots=True)
class ChainExchange:
    """Documents with their chains in a folder, as `QuestionExchange` has it."""

    names: Callable[[Sequence[PlainDocument]], list[str]]
    write: Callable[[Path, Sequence[PlainDocument]], None]
    read: Callable[[Path], Iterator[ReadChains]]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A tool: its name, what it is, the ending of the files that come back, what it carries."""

    name: str
    summary: str
    ending: str
    questions: QuestionExchange | None = None
    chains: ChainExchange | None = None


EXCHANGES = {
    one.name: one
    for one in (
        Exchange(
            "label-studio",
            "Label Studio: tasks and configuration, its JSON back",
            ".json",
            QuestionExchange(
                label_studio.question_names,
                label_studio.write_questions,
                label_studio.read_questions,
            ),
            ChainExchange(
                label_studio.chain_names, label_studio.write_chains, label_studio.read_chains
            ),
        ),
        Exchange(
            "potato",
            "Potato: configuration and items, its users' states back",
            potato.STATE,
            QuestionExchange(potato.names, potato.write, potato.read),
        ),
        Exchange(
            "inception",
            "INCEpTION: WebAnno TSV 3.3, a document a file",
            ".tsv",
            chains=ChainExchange(webanno.names, webanno.write, webanno.read),
        ),
        Exchange(
            "xmi",
            "UIMA CAS XMI, of INCEpTION or DKPro, a document a file",
            ".xmi",
            chains=ChainExchange(xmi.names, xmi.write, xmi.read),
        ),
        Exchange(
            "brat",
            "brat: text and stand-off annotations, a document two files",
            ".ann",
            chains=ChainExchange(brat.names, brat.write, brat.read),
        ),
    )
}


def exchange(name: str) -> Exchange:
    """The tool of that name; raises `UsageError` that lists them where there is none."""
    if name in EXCHANGES:
        return EXCHANGES[name]
    guess = did_you_mean(name, EXCHANGES)
    raise UsageError(
        f"no annotation tool {name!r}{guess}", remedy=f"there are csv, {', '.join(EXCHANGES)}"
    )
