"""Times the scorer on made-up files, with the reference scorer in Perl beside it if it is there.

    python -m benchmarks.scoring [--perl DIR/scorer.pl] [--metrics muc,bcub,ceafe]
        [--documents 400] [--seed 1]

Two keys are made, each with a response that has about four mentions of five in the right entity:
many documents of about 500 tokens and 65 mentions, as OntoNotes has, in OntoNotes' columns; and one
document of 2,000 event mentions, a third of them singletons, in two columns. Times are processor
time of the whole command, the interpreter's start included, one run, and of Perl one process a
metric; `in process` is reading and scoring alone. CEAFe of the events takes Perl a minute.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

TOKENS, MENTIONS, ENTITIES = 500, 65, 18
EVENTS, CHAINS = 2000, 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--perl", help="the reference scorer's scorer.pl")
    parser.add_argument("--metrics", default="muc,bcub,ceafe")
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        many = write(Path(folder), "many", [text(draw, n) for n in range(options.documents)])
        one = write(Path(folder), "events", [events(draw)])
        print(f"{'':32}{'metrics':>18}{'ours, s':>9}{'Perl, s':>9}{'ratio':>8}")
        for title, files in ((f"{options.documents} documents", many), ("2,000 events", one)):
            total, whole = [0.0, 0.0], ours(files, options.metrics)
            for metric in options.metrics.split(",") if options.perl else ():
                times = ours(files, metric), perl(options.perl, files, metric)
                report(title, metric, *times)
                total[1] += times[1]
            report(title, options.metrics, whole, total[1] if options.perl else None)
            report(title, "all", ours(files, "all"), None)
            report(f"{title}, in process", "all", within(files), None)


def report(title: str, metric: str, own: float, theirs: float | None) -> None:
    beside = "" if theirs is None else f"{theirs:9.1f}{theirs / own:8.0f}"
    print(f"{title:32}{metric:>18}{own:9.2f}{beside}", flush=True)


def ours(files: tuple[Path, Path], metrics: str) -> float:
    script = Path(sys.executable).with_name("corefmill")
    return timed([str(script), "score", *map(str, files), "--metrics", metrics])


def perl(script: str, files: tuple[Path, Path], metric: str) -> float:
    return timed(["perl", script, metric, *map(str, files), "none"])


def timed(command: list[str]) -> float:
    """Seconds of processor time, which other work on the machine leaves alone."""
    before = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def within(files: tuple[Path, Path]) -> float:
    """Seconds to read and to score, without the start of an interpreter."""
    from corefmill.corpora.scoring import score, sources

    start = time.process_time()
    key = sources.load(files[0])
    table = score.score(key, sources.load(files[1], key=key))
    table.scores(table.totals())
    return time.process_time() - start


def write(folder: Path, name: str, pairs: list[tuple[list[str], list[str]]]) -> tuple[Path, Path]:
    paths = folder / f"{name}.key.conll", folder / f"{name}.response.conll"
    for side, path in enumerate(paths):
        path.write_text("".join("\n".join(pair[side]) + "\n" for pair in pairs), encoding="utf-8")
    return paths


def text(draw: random.Random, number: int) -> tuple[list[str], list[str]]:
    """Key and response of a document in OntoNotes' columns."""
    spans: list[tuple[int, int]] = []
    while len(spans) < MENTIONS:
        start = draw.randrange(TOKENS)
        end = min(TOKENS, start + draw.choice((1, 1, 1, 2, 2, 3, 4, 6)))
        # Mentions that cross would be read as others.
        if (start, end) not in spans and not any(
            s < start < e < end or start < s < end < e for s, e in spans
        ):
            spans.append((start, end))
    entities = [draw.randrange(ENTITIES) for _ in spans]
    name = f"nw/made/{number:04}"
    response = guessed(draw, entities, ENTITIES)
    return list(lines(name, spans, entities)), list(lines(name, spans, response))


def guessed(draw: random.Random, entities: list[int], count: int) -> list[int]:
    return [draw.randrange(count) if draw.random() < 0.2 else entity for entity in entities]


def lines(name: str, spans: list[tuple[int, int]], entities: list[int]) -> Iterator[str]:
    cells: list[list[str]] = [[] for _ in range(TOKENS)]
    for (start, end), entity in zip(spans, entities, strict=True):
        if end - start == 1:
            cells[start].append(f"({entity})")
        else:
            cells[start].append(f"({entity}")
            cells[end - 1].append(f"{entity})")
    yield f"#begin document ({name}); part 000"
    for number, cell in enumerate(cells):
        columns = [name, "0", str(number % 20), "word", "NN", "*", *"----", "Speaker", "*"]
        yield "\t".join([*columns, "|".join(cell) or "-"])
        if number % 20 == 19:
            yield ""
    yield "#end document"


def events(draw: random.Random) -> tuple[list[str], list[str]]:
    """Key and response of one document; a third of the mentions are chains of their own."""
    chains = [n if n < EVENTS // 3 else EVENTS + draw.randrange(CHAINS // 3) for n in range(EVENTS)]
    return event_lines(chains), event_lines(guessed(draw, chains, CHAINS))


def event_lines(chains: list[int]) -> list[str]:
    cells = (f"events/all\t({chain})" for chain in chains)
    return ["#begin document (events/all); part 000", *cells, "#end document"]


if __name__ == "__main__":
    main()
