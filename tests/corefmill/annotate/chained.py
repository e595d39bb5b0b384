"""Documents and states in the notation of lessons.toml, as tests of chains want them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from corefmill.annotate import documents
from corefmill.annotate.chain_pages import parse_notation
from corefmill.annotate.chain_state import ChainState
from corefmill.corpora.files import jsonl

TEXT = "[1 Ann ] met [2 Bea ] .\n[3 She ] saw [2 her ] .\n[1 Ann ] waved and it rained ."


def begun(text: str = TEXT) -> ChainState:
    return ChainState(documents.make_plain(1, "all", parse_notation(text)))


def after(*acts: str, text: str = TEXT) -> ChainState:
    state = begun(text)
    for act in acts:
        state.do(act)
    return state


def corpus(path: Path, *texts: str) -> Path:
    made = [replace(parse_notation(text), doc_id=f"news/{n}") for n, text in enumerate(texts, 1)]
    jsonl.write(path, made)
    return path
