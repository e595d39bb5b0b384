"""The reference scorer itself beside ours, where COREFMILL_REFERENCE_SCORER is its scorer.pl.

It is Perl under the GPL and no part of the project: conll/reference-coreference-scorers on GitHub.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from corefmill.corpora.scoring import column, coreference
from tests.corpora.scoring.files import Span, conll, letters
from tests.corpora.scoring.reference_cases import CASES, METRICS

SCORER = os.environ.get("COREFMILL_REFERENCE_SCORER", "")

pytestmark = [
    pytest.mark.skipif(not SCORER, reason="COREFMILL_REFERENCE_SCORER is not set"),
    pytest.mark.skipif(shutil.which("perl") is None, reason="perl is not installed"),
]

PAIR = r"Recall: \((\S+) / (\S+)\).*Precision: \((\S+) / (\S+)\)"
COUNTS = re.compile(rf"^(?:Coreference|Coreference links|Non-coreference links): {PAIR}", re.M)


def same(tmp_path: Path, key: str, response: str) -> None:
    """Compares all counts, one process a metric: it counts duplicates over all that it scores."""
    files = tmp_path / "key.conll", tmp_path / "response.conll"
    for path, text in zip(files, (key, response), strict=True):
        path.write_text(text, encoding="utf-8")
    ours = coreference.count(*map(column.read, files)).totals()
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


@pytest.mark.parametrize("name", CASES)
def test_its_own_cases(tmp_path: Path, name: str) -> None:
    key, response, _ = CASES[name]
    same(
        tmp_path,
        conll({"case": letters(key)}, tokens=80),
        conll({"case": letters(response)}, tokens=80),
    )


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
