"""A small wiki with two floods and a festival, and runs over it without a real pipeline."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.nlp import Analysis, Backend, Entity
from corefmill.builders.run.job import Job, Limit, RunResult
from corefmill.builders.run.run import run
from corefmill.builders.wec import event_index
from corefmill.builders.wec.choose import CHANNEL
from corefmill.builders.wec.event_index import EventIndex
from corefmill.builders.wec.facts import infoboxes, lexicon
from corefmill.builders.wec.facts.templates import EventPage
from corefmill.builders.wec.known_events import KnownEvents
from corefmill.builders.wec.options import WecOptions
from corefmill.builders.wec.stages import stages
from corefmill.builders.wiki.articles import DumpSource
from corefmill.corpora.words import cut
from tests.builders.wiki.dump.dump_writer import dump, page

VESK, HOST = {"location": "Vesk", "date": "2002"}, {"host": "Ugo Tarri"}
EVENTS = (
    EventPage("2002 Vesk floods", 11, "Flood", "infoboxflood", VESK),
    EventPage("1931 Orla flood", 12, "Flood", "infoboxflood", {"location": "Orla"}),
    EventPage("Bellena Song Festival 1968", 13, "Festival", "infoboxfestival", HOST),
)
ALIASES = {"2002 Vesk floods": ("Great Vesk flood",)}
FILLER = "It was told for many years to the children of the harbour and their cats."


class Plain(Backend):
    """A pipeline that knows words, and takes capitalised ones in `persons` for persons."""

    name = version = identity = "plain"

    def __init__(self, persons: Sequence[str] = ()) -> None:
        self._persons = persons

    def full(self, texts: Iterable[str]) -> Iterator[Analysis]:
        for text in texts:
            words = tuple(cut(text, ()))
            yield Analysis(
                text=text,
                tokens=words,
                sentences=((0, len(text)),),
                entities=tuple(
                    Entity(*match.span(), "PERSON")
                    for person in self._persons
                    for match in re.finditer(re.escape(person), text)
                ),
                upos=("NOUN",) * len(words),
                lemma=tuple(text[start:end].casefold() for start, end in words),
            )

    sentences = names = full


def options(**more: object) -> WecOptions:
    """Clean mode in English, unless `more` says otherwise."""
    made = {"lang": "en", "mode": "clean", "nlp": "plain", **more}
    return WecOptions(**made)  # type: ignore[arg-type]


def prose(*sentences: str) -> str:
    """Paragraphs long enough to pass."""
    return "\n\n".join(f"{sentence} {FILLER}" for sentence in sentences)


def known(folder: Path, pages: Sequence[EventPage] = EVENTS) -> EventIndex:
    """What is known of the wiki's events."""
    titles = [(page.title, page.title, None) for page in pages]
    titles += [(alias, title, None) for title, own in ALIASES.items() for alias in own]
    path = folder / "events.sqlite"
    events = KnownEvents(
        pages=lambda: ((page, ALIASES.get(page.title, ())) for page in pages),
        titles=lambda: iter(titles),
        counts=Counter(pages=9),
    )
    event_index.write(path, events, lexicon.load("en"), infoboxes.load("en").fields)
    return EventIndex(path)


def corpus(out: Path, mode: str = "clean") -> Corpus:
    """What a corpus of it states."""
    return Corpus(
        name="wec-en", title="WEC, en", lang="en", mode=mode, out=out, seed=0, licence="CC0",
        attribution="us", command="build wec", pipeline="plain", facts={"Language": "en"},
        limits=("Links alone.",),
    )  # fmt: skip


@contextmanager
def ran(
    folder: Path,
    pages: dict[str, str],
    how: WecOptions | None = None,
    persons: Sequence[str] = (),
    limit: int | None = None,
) -> Iterator[RunResult]:
    """The result of the last pass over a dump of these pages, in this process."""
    how = how or options()
    path = folder / "small.xml"
    path.write_bytes(
        dump(page(title, text, number=n) for n, (title, text) in enumerate(pages.items(), 101))
    )
    made = stages(how, Plain(persons), known(folder))
    job = Job(
        name="wec",
        source=DumpSource([path], "en"),
        setup=lambda: made,
        out_dir=folder / "out",
        channels=(CHANNEL,),
        options={},
        keep_rejects=True,
        limit=None if limit is None else Limit(CHANNEL, limit),
    )
    with run(job, progress=False) as result:
        yield result
