"""Speed of training and prediction on a GPU, or on the CPU where there is none: `make gpu`.

    python -m benchmarks.gpu [--steps 20] [--encoder minilm] [--out benchmarks/results/gpu.md]

Each row is measured in a process of its own, in fp32 and in bf16, on made-up English of mixed
length, so that nothing has to be there beforehand. Seconds are the wall clock's on a GPU; on a CPU
the processor's, of one thread, since other work may run beside. Masked names stand beside the plain
padded loop of transformers (`benchmarks.training`). Two processes are of `accelerate launch`, where
there are two GPUs, or none. The whole takes less than 8 minutes; `--seconds` ends it there.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from benchmarks.training import Plain, rows
from corefmill.coref_model.encoder import load
from corefmill.coref_model.training.config import resolve
from corefmill.coref_model.training.loop import train
from corefmill.coref_model.training.task import kind_of
from corefmill.corpora.errors import CorefmillError
from corefmill.corpora.records import (
    Document,
    EventMention,
    MaskedExample,
    Mention,
    Sentence,
    Source,
    Token,
)

OUT = Path(__file__).parent / "results" / "gpu.md"
CUDA = torch.cuda.is_available()
DEVICE = "cuda" if CUDA else "cpu"

# What a step of ours and of the plain loop is given: 32 pairs, as the published code has it.
SETS = {
    "masked": ["trained=true", "lora=0", "batch_pairs=32", "wrong=0"],
    "documents": ["trained=true", "lora=0"],
    "events": ["cache=", "trained=false", "lora=0"],
}
_TEXT = """
the of and a to in he was that it his her with as had for she not at but be on they have him which
said from all this were when there been one could an would who their so if out then what more little
"""
WORDS = _TEXT.split()
NAMES = ("Alice", "Robert", "Catherine", "Edward", "Margaret", "George", "Elizabeth", "William")


def main() -> None:
    """Measure each row that there is time for, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=20, help="steps of a row")
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--seconds", type=float, default=460, help="begin no row after so many")
    parser.add_argument("--row", nargs=2, metavar=("NAME", "PRECISION"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.row:
        name, precision = options.row
        try:
            if not CUDA:
                torch.set_num_threads(1)
            measured = ROWS[name](options.encoder, precision, options.steps, options.out)
        except CorefmillError as error:  # a GPU without bf16
            sys.exit(str(error))
        if os.environ.get("RANK", "0") == "0":
            print(json.dumps(measured))
        return
    began, measured = time.monotonic(), {}
    for name, precision, processes in plan():
        if time.monotonic() - began > options.seconds:
            break
        measured[name, precision, processes] = run_row(options, name, precision, processes)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(page(options, measured, time.monotonic() - began), "utf-8")
    print(options.out.read_text("utf-8"))


def plan() -> Iterator[tuple[str, str, int]]:
    """List the rows: name, precision, processes."""
    for precision in ("fp32", "bf16"):
        for name in ("masked", "plain", "documents", "pairs"):
            yield name, precision, 1
    several = torch.cuda.device_count() > 1 or (not CUDA and (os.cpu_count() or 1) > 1)
    for processes in (1, 2) if several else (1,):
        yield "loop", "fp32", processes


def run_row(
    options: argparse.Namespace, name: str, precision: str, processes: int
) -> dict[str, float]:
    """Measure a row in a process of its own, or in several; empty where that failed."""
    script = ["-m", "benchmarks.gpu", "--row", name, precision]
    script += ["--steps", str(options.steps), "--encoder", options.encoder]
    launch = ["-m", "accelerate.commands.launch", "--num_processes", str(processes)]
    if not CUDA:
        launch.append("--cpu")
    command = [sys.executable, *(launch if processes > 1 else ()), *script]
    print(f"{name}, {precision}, processes: {processes}", file=sys.stderr, flush=True)
    with TemporaryDirectory() as scratch:
        command += ["--out", scratch]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(f"  it ended with {done.returncode}", file=sys.stderr)
        return {}
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured


def make_task(name: str, encoder_name: str, train_records: list[Any], dev: list[Any]) -> Any:
    """Make a task on the device, of the encoder with its own settings."""
    kind = kind_of(name)
    settings = resolve(kind.Settings, name, sets=[f'encoder="{encoder_name}"', *SETS[name]])
    torch.manual_seed(0)
    encoder = load(settings.encoder, trained=settings.trained)
    task = kind.make(encoder, settings, {"train": train_records, "validation": dev}, 0)
    task.model.to(DEVICE)
    return task


def autocast(precision: str) -> torch.autocast:
    """Turn bf16 on where it is asked for."""
    return torch.autocast(DEVICE, torch.bfloat16, enabled=precision == "bf16")


def clock() -> float:
    """Read the clock: the wall's after the GPU's work, or the processor's."""
    if CUDA:
        torch.cuda.synchronize()
        return time.perf_counter()
    return time.process_time()


def take_steps(
    model: torch.nn.Module,
    loss: Callable[[Any], torch.Tensor],
    batches: Sequence[Any],
    count: Callable[[Any], int],
    precision: str,
) -> float:
    """Train a step for each batch, and give the items a second; the first fifth warms up."""
    optimizer = torch.optim.AdamW(model.parameters(), 1e-5, fused=True)
    warm = max(1, len(batches) // 5)
    began, items = clock(), 0
    for number, batch in enumerate(batches):
        if number == warm:
            began, items = clock(), 0
        model.train()
        optimizer.zero_grad(set_to_none=True)
        with autocast(precision):
            total = loss(batch)
        total.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        items += count(batch)
    return items / (clock() - began)


def repeat(task: Any, steps: int) -> list[Any]:
    """Give so many batches, epoch after epoch."""
    batches: list[Any] = []
    while len(batches) < steps:
        batches += task.batches(len(batches), 0)
    return batches[:steps]


def measure_masked(
    encoder: str, precision: str, steps: int, _: Path, *, plain: bool = False
) -> dict[str, float]:
    """Measure pairs of a right and a wrong candidate learnt a second."""
    examples = [make_example(number) for number in range(16 * steps)]
    task = make_task("masked", encoder, examples, examples[:2])
    batches = repeat(task, steps)
    model, loss = task.model, lambda batch: task.loss(batch)[0]
    if plain:
        other = Plain(task, at_masks=False)
        ready = {id(batch): rows(task, batch) for batch in batches}
        model, loss = other, lambda batch: other.loss(ready[id(batch)])

    def count(batch: Any) -> int:
        return sum(len(one.wrong) for one in batch)

    return {"pairs": take_steps(model, loss, batches, count, precision), "memory": memory()}


def measure_documents(encoder: str, precision: str, steps: int, _: Path) -> dict[str, float]:
    """Measure the words of documents learnt a second, and the memory that takes."""
    documents = [make_document(number) for number in range(max(4, steps))]
    task = make_task("documents", encoder, documents, documents[:1])
    batches = repeat(task, steps)
    words = sum(len(one.tokens) for one in documents[0].sentences)
    speed = take_steps(
        task.model,
        lambda batch: task.loss(batch)[0],
        batches,
        lambda batch: words * len(batch),
        precision,
    )
    return {"words": speed, "memory": memory()}


def measure_pairs(encoder: str, precision: str, steps: int, _: Path) -> dict[str, float]:
    """Measure the pairs of event mentions scored a second, encoding and clustering included."""
    mentions = [make_mention(number) for number in range(10 * steps)]
    task = make_task("events", encoder, mentions, mentions[:8])
    task.model.eval()
    predict = kind_of("events").predict
    with torch.no_grad(), autocast(precision):
        list(predict(task.model, task.settings, mentions[:8]))
        began = clock()
        list(predict(task.model, task.settings, mentions))
        took = clock() - began
    return {"pairs": len(mentions) * (len(mentions) - 1) / 2 / took, "memory": memory()}


def measure_loop(encoder: str, precision: str, steps: int, out: Path) -> dict[str, float]:
    """Measure the pairs that the training loop itself learns a second, by the wall clock."""
    examples = [make_example(number) for number in range(32 * steps)]
    task = make_task("masked", encoder, examples, examples[:2])
    task.model.cpu()  # the loop chooses the device of each process
    sets = [f'encoder="{encoder}"', *SETS["masked"], f"max_steps={steps}", f"precision={precision}"]
    settings = resolve(kind_of("masked").Settings, "masked", sets=[*sets, "evaluate_every=0"])
    done = train(task, settings, out, quiet=True)
    with (out / "log.csv").open(encoding="utf-8") as log:
        pairs = sum(int(row["items"]) for row in csv.DictReader(log))
    return {"pairs": pairs / done.seconds, "memory": memory()}


def memory() -> float:
    """Give the peak of this process, in MiB: the GPU's, or the machine's."""
    if CUDA:
        return torch.cuda.max_memory_allocated() / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


ROWS: dict[str, Callable[[str, str, int, Path], dict[str, float]]] = {
    "masked": measure_masked,
    "plain": partial(measure_masked, plain=True),
    "documents": measure_documents,
    "pairs": measure_pairs,
    "loop": measure_loop,
}


def make_words(number: int, least: int, most: int) -> list[str]:
    """Draw a passage's words, always the same for a number."""
    draw = random.Random(number)
    return [draw.choice(WORDS) for _ in range(draw.randint(least, most))]


def make_passage(number: int, word: str, most: int) -> tuple[str, int]:
    """Make a passage of 30 to `most` words with `word` in it, and tell where that begins."""
    words = make_words(number, 30, most)
    before = " ".join(words[:15]) + " "
    return before + " ".join([word, *words[15:]]), len(before)


def make_example(number: int) -> MaskedExample:
    """Make a masked passage with three candidates."""
    names = tuple(random.Random(number).sample(NAMES, 3))
    text, start = make_passage(number, names[0], 150)
    span, source = (start, start + len(names[0])), Source("made up", number)
    return MaskedExample(str(number), "en", text, ((0, len(text)),), span, names, (), 0, source)


def make_mention(number: int) -> EventMention:
    """Make a passage around a mention of one of twenty events."""
    text, start = make_passage(number, "quake", 80)
    event, source = f"event {number % 20}", Source("made up", number)
    return EventMention(
        str(number), "en", text, start, start + 5, event, event, "DISASTER", "quake", source
    )


def make_document(number: int) -> Document:
    """Make a document of 40 sentences of 25 words, two names in each."""
    draw = random.Random(number)
    sentences, clusters = [], [list[Mention]() for _ in NAMES]
    for index in range(40):
        words = make_words(1000 * number + index, 25, 25)
        for place in (0, 12):
            who = draw.randrange(len(NAMES))
            words[place] = NAMES[who]
            clusters[who].append(Mention(index, place, place + 1))
        sentences.append(Sentence(tuple(map(Token, words))))
    found = tuple(tuple(one) for one in clusters if len(one) > 1)
    return Document(str(number), 0, "en", tuple(sentences), found)


def page(
    options: argparse.Namespace,
    measured: dict[tuple[str, str, int], dict[str, float]],
    seconds: float,
) -> str:
    """Write the page of results."""
    machine = torch.cuda.get_device_name() if CUDA else f"no GPU: {cpu_name()}, one thread"
    versions = ", ".join(f"{name} {version(name)}" for name in ("torch", "transformers"))
    clocked = "wall clock" if CUDA else "processor time, the last row by the wall clock"

    def show(name: str, precision: str, unit: str, processes: int = 1) -> str:
        found = measured.get((name, precision, processes))
        return f"{found[unit]:,.0f}" if found else "-"

    lines = [
        "# How fast on a GPU?",
        "",
        f"{machine}; {versions}; encoder {options.encoder}; {options.steps} steps a row,"
        f" {clocked}; {datetime.now(UTC):%Y-%m-%d}, {seconds:,.0f} s in all.",
        "",
        "    make gpu",
        "",
        "| what | fp32 | bf16 |",
        "|---|---|---|",
    ]
    for text, name, unit in (
        ("masked names learnt, pairs a second", "masked", "pairs"),
        ("the same by a plain padded loop of transformers", "plain", "pairs"),
        ("documents learnt, words a second", "documents", "words"),
        ("peak memory of that, MiB", "documents", "memory"),
        ("event mentions, pairs scored a second", "pairs", "pairs"),
    ):
        lines.append(f"| {text} | {show(name, 'fp32', unit)} | {show(name, 'bf16', unit)} |")
    for processes in (1, 2):
        text = f"the training loop on masked names, {processes} process(es), pairs a second"
        lines.append(f"| {text} | {show('loop', 'fp32', 'pairs', processes)} | - |")
    limits = "**Limits.** One run; made-up text, a document has 1,000 words; - was not measured."
    unknown = " Nothing is known of GPUs yet." if not CUDA else ""
    return "\n".join([*lines, "", limits + unknown, ""])


def cpu_name() -> str:
    """Name the kind of processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


if __name__ == "__main__":
    main()
