"""The coreference column is read as the reference scorer reads it."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import conll2012
from corefmill.corpora.formats.bad_mentions import lenient
from corefmill.corpora.scoring import coreference, readers
from corefmill.corpora.scoring.alignment import ScoredDocument
from corefmill.corpora.scoring.sources import text_of
from tests.corpora.scoring.files import Span, conll
from tests.corpora.scoring.reference_cases import METRICS

BEGIN, END = "#begin document (nw/a); part 000\n", "#end document\n"


def read(path: Path, content: str | bytes) -> list[ScoredDocument]:
    path = path / "file.conll"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(readers.read_columns(path))


def test_names_parts_and_tokens(tmp_path: Path) -> None:
    content = (
        "# a comment\n\n#begin document (nw/a); part 000\nx\t-\n\nx\t(1)\n#end document\n"
        "#begin document (nw/a); part 012\n# masked {}\n#\t-\n   \n#end document\n"
        "#begin document (b);\n#end document\n# begin document c d\n0 y -\n#end document"
    )
    found = [(text.name, text.part, text.tokens, text.clusters) for text in read(tmp_path, content)]
    assert found == [
        ("nw/a", 0, 2, [[(1, 2)]]),
        ("nw/a", 12, 1, []),
        ("b", 0, 0, []),
        ("c d", 0, 1, []),
    ]


@pytest.mark.parametrize(
    ("cells", "entities"),
    [
        # 7 opens first, but 3 closes first; a token's own mentions come before what opens there.
        ("(7 (3) 7)", [[(0, 3)], [(1, 2)]]),
        ("(7|(3) 7)", [[(0, 1)], [(0, 2)]]),
        # Of one entity, mentions come in the order in which they close, inner ones first.
        ("(1|(1 1) 1)|(1)", [[(0, 2), (2, 3), (0, 3)]]),
        # Bars may be missing, and mentions may repeat.
        ("(0(1(2) 1)0)", [[(0, 1)], [(0, 2)], [(0, 2)]]),
        ("(1)|(1)", [[(0, 1), (0, 1)]]),
        ("(2 (1_(3)_2) 1)", [[(0, 2)], [(1, 2)], [(1, 3)]]),
    ],
)
def test_entities_in_the_order_in_which_they_open(
    tmp_path: Path, cells: str, entities: list[list[Span]]
) -> None:
    tokens = "".join(f"nw/a\t0\t{n}\tword\t{cell}\n" for n, cell in enumerate(cells.split()))
    (text,) = read(tmp_path, BEGIN + tokens + END)
    assert (text.tokens, text.clusters) == (len(cells.split()), entities)


CELLS = "- - - _ * (1) (1 1) (2 2) (n1 n1) (1|(2) 2)|1) (3(4) 1 x (1_2) (3)_1) (\u0663) (A*) (3]"
LINES = [BEGIN, END, "# said", "#\t(4)", "", "", "   ", "\t"]


@st.composite
def tables(draw: st.DrawFn) -> str:
    """Tables as people have them: odd brackets, gaps, widths, and lines out of their place."""
    before = draw(st.sampled_from([(), ("nw/a", "0", "{}"), ("{}",), ("1", "_")]))
    gaps = st.sampled_from(
        draw(st.sampled_from([["\t"], [" "], ["\t", " "], ["\t", "\t ", "   "]]))
    )
    found = []
    for number in range(draw(st.integers(1, 9))):
        cells = [cell.format(number) for cell in before] + draw(
            st.sampled_from([["word"]] * 9 + [[]])
        )
        row = "".join(cell + draw(gaps) for cell in cells)
        row += draw(st.sampled_from([*CELLS.split(), ""])) + draw(st.sampled_from(["", "", "\t"]))
        found += [row, *draw(st.sampled_from([[]] * 4 + [[one] for one in LINES]))]
    opened, ended = (draw(st.sampled_from([[line]] * 5 + [[]])) for line in (BEGIN, END))
    return "\n".join(line.rstrip("\n") for line in (*opened, *found, *ended)) + "\n"


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=tables())
def test_a_score_reads_and_refuses_what_a_conversion_does(tmp_path: Path, content: str) -> None:
    path = tmp_path / "file.conll"
    path.write_text(content)
    for active in (False, True):
        found: list[object] = []

        def convert() -> list[ScoredDocument]:
            return [text_of(one) for _, one in conll2012.read(path, "und")]

        for read_all in (convert, lambda: list(readers.read_columns(path))):
            try:
                with lenient(active):
                    texts = read_all()
            except DataError as error:
                found.append(str(error))
                continue
            found.append(
                [
                    (one.name, one.part, one.tokens, sorted(map(sorted, one.clusters)))  # type: ignore[arg-type]
                    for one in texts
                ]
            )
        assert found[0] == found[1]


SCORER = os.environ.get("COREFMILL_REFERENCE_SCORER", "")


needs_scorer = pytest.mark.skipif(
    not SCORER or shutil.which("perl") is None, reason="needs perl and COREFMILL_REFERENCE_SCORER"
)
PAIR = r"Recall: \((\S+) / (\S+)\).*Precision: \((\S+) / (\S+)\)"
COUNTS = re.compile(rf"^(?:Coreference|Coreference links|Non-coreference links): {PAIR}", re.M)


def same(tmp_path: Path, key: str, response: str) -> None:
    """Compares all counts, one process a metric: it counts duplicates over all that it scores."""
    files = tmp_path / "key.conll", tmp_path / "response.conll"
    for path, text in zip(files, (key, response), strict=True):
        path.write_text(text, encoding="utf-8")
    ours = coreference.count(*map(readers.read_columns, files)).totals()
    for metric in METRICS:
        done = subprocess.run(
            ["perl", SCORER, metric, *map(str, files), "none"],
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )
        if "refusing to score" in done.stderr:  # over ten duplicates
            continue
        assert done.returncode == 0, done.stderr
        theirs = [float(number) for row in COUNTS.findall(done.stdout) for number in row]
        assert list(ours[metric]) == pytest.approx(theirs, abs=1e-9), metric


@needs_scorer
@pytest.mark.parametrize("seed", range(40))
def test_random_documents(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    names = [f"nw/{n}|{part}" for n in range(draw.randrange(1, 4)) for part in range(n + 1)]
    sides: list[dict[str, list[list[Span]]]] = [{}, {}]
    for name in names:
        spans = sorted({_span(draw) for _ in range(draw.randrange(14))})
        for number, side in enumerate(sides):
            own = [span for span in spans if draw.random() < 0.85]
            if number:
                own += [span for span in (_span(draw) for _ in range(3)) if span not in spans]
            side[name] = _entities(draw, own, repeats=draw.randrange(3) if seed % 2 else 0)
    same(tmp_path, conll(sides[0]), conll(sides[1]))


def _span(draw: random.Random) -> Span:
    start = draw.randrange(12)
    return start, min(12, start + draw.choice((1, 1, 1, 2, 3, 5)))


def _entities(draw: random.Random, spans: list[Span], repeats: int) -> list[list[Span]]:
    draw.shuffle(spans)
    entities = []
    while spans:
        size = draw.choice((1, 1, 2, 3, 5))
        entities.append(spans[:size])
        spans = spans[size:]
    for _ in range(repeats if entities else 0):
        span = draw.choice(draw.choice(entities))
        draw.choice((*entities, entities[0])).append(span)
    return entities
