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
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from benchmarks.training import Plain
from benchmarks.training import rows as padded_rows
from corefmill.coref_model.encoder import load
from corefmill.coref_model.training.config import resolve
from corefmill.coref_model.training.loop import train
from corefmill.coref_model.training.task import load_kind
from corefmill.corpora import records as r
from corefmill.corpora.card_parts import table
from corefmill.corpora.files.errors import CorefmillError

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
    parser.add_argument("--seconds", type=float, default=470, help="end a row after so many")
    parser.add_argument("--row", nargs=2, metavar=("NAME", "PRECISION"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.row:
        name, precision = options.row
        torch.set_num_threads(torch.get_num_threads() if CUDA else 1)
        try:
            rate = ROWS[name][0](options.encoder, precision, options.steps, options.out)
        except CorefmillError as error:  # a GPU without bf16
            sys.exit(str(error))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
        if CUDA:
            peak = torch.cuda.max_memory_allocated() / 2**20
        if os.environ.get("RANK", "0") == "0":
            print(json.dumps((rate, peak)))
        return
    began, measured = time.monotonic(), {}
    several = torch.cuda.device_count() > 1 or (not CUDA and (os.cpu_count() or 1) > 1)
    for precision in ("fp32", "bf16"):
        for name in ROWS:
            left = options.seconds - (time.monotonic() - began)
            if left > 0 and (several or name != "two"):
                measured[name, precision] = run_row(options, name, precision, left)
    options.out.write_text(page(options, measured, time.monotonic() - began), "utf-8")
    print(options.out.read_text("utf-8"))


def run_row(
    options: argparse.Namespace, name: str, precision: str, seconds: float
) -> tuple[float, float] | None:
    """Measure a row in a process of its own: the rate, and the peak of memory in MiB."""
    command = [sys.executable]
    if name == "two":
        command += ["-m", "accelerate.commands.launch", "--num_processes", "2"]
        command += [] if CUDA else ["--cpu"]
    command += ["-m", "benchmarks.gpu", "--row", name, precision]
    command += ["--steps", str(options.steps), "--encoder", options.encoder]
    print(f"{name}, {precision}", file=sys.stderr, flush=True)
    with TemporaryDirectory() as scratch:
        command += ["--out", scratch]
        try:
            done = subprocess.run(
                command, stdout=subprocess.PIPE, text=True, check=False, timeout=seconds
            )
        except subprocess.TimeoutExpired:
            print("  its time was over", file=sys.stderr)
            return None
    if done.returncode:
        print(f"  it ended with {done.returncode}", file=sys.stderr)
        return None
    rate, peak = json.loads(done.stdout.splitlines()[-1])
    return rate, peak


def make_task(name: str, encoder_name: str, train_records: list[Any], dev: list[Any]) -> Any:
    """Make a task on the device, of the encoder with its own settings."""
    kind = load_kind(name)
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
    loss: Callable[[Any], tuple[torch.Tensor, int]],
    batches: Sequence[Any],
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
            total, count = loss(batch)
        total.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        items += count
    return items / (clock() - began)


def measure_masked(
    encoder: str, precision: str, steps: int, _: Path, *, plain: bool = False
) -> float:
    """Measure pairs of a right and a wrong candidate learnt a second."""
    examples = [make_example(number) for number in range(16 * steps)]
    task = make_task("masked", encoder, examples, examples[:2])
    batches = task.batches(0, 0)[:steps]
    if not plain:
        return take_steps(task.model, task.loss, batches, precision)
    other = Plain(task, at_masks=False)
    ready = {id(batch): padded_rows(task, batch) for batch in batches}  # made beforehand

    def loss(batch: Any) -> tuple[torch.Tensor, int]:
        right, wrong = ready[id(batch)]
        return other.loss((right, wrong)), len(right)

    return take_steps(other, loss, batches, precision)


def measure_documents(encoder: str, precision: str, steps: int, _: Path) -> float:
    """Measure the words of documents learnt a second."""
    documents = [make_document(number) for number in range(steps)]
    task = make_task("documents", encoder, documents, documents[:1])

    def loss(batch: Any) -> tuple[torch.Tensor, int]:
        return task.loss(batch)[0], 1000 * len(batch)

    return take_steps(task.model, loss, task.batches(0, 0), precision)


def measure_pairs(encoder: str, precision: str, steps: int, _: Path) -> float:
    """Measure the pairs of event mentions scored a second, encoding and clustering included."""
    mentions = [make_mention(number) for number in range(10 * steps)]
    task = make_task("events", encoder, mentions, mentions[:8])
    task.model.eval()
    predict = load_kind("events").predict
    with torch.no_grad(), autocast(precision):
        list(predict(task.model, task.settings, mentions[:8]))
        began = clock()
        list(predict(task.model, task.settings, mentions))
        return len(mentions) * (len(mentions) - 1) / 2 / (clock() - began)


def measure_loop(encoder: str, precision: str, steps: int, out: Path) -> float:
    """Measure the pairs that the training loop itself learns a second, by the wall clock."""
    examples = [make_example(number) for number in range(32 * steps)]
    task = make_task("masked", encoder, examples, examples[:2])
    task.model.cpu()  # the loop chooses the device of each process
    sets = [f'encoder="{encoder}"', *SETS["masked"], f"max_steps={steps}", f"precision={precision}"]
    settings = resolve(load_kind("masked").Settings, "masked", sets=[*sets, "evaluate_every=0"])
    done = train(task, settings, out, quiet=True)
    rows = csv.DictReader((out / "log.csv").read_text("utf-8").splitlines())
    return sum(int(row["items"]) for row in rows) / done.seconds


ROWS: dict[str, tuple[Callable[[str, str, int, Path], float], str]] = {
    "masked": (measure_masked, "masked names learnt, pairs a second"),
    "plain": (partial(measure_masked, plain=True), "the same by transformers' own, padded"),
    "documents": (measure_documents, "documents learnt, words a second"),
    "pairs": (measure_pairs, "event mentions, pairs scored a second"),
    "one": (measure_loop, "the training loop on masked names, one process, pairs a second"),
    "two": (measure_loop, "the same, two processes"),
}


def make_passage(number: int, word: str, most: int) -> tuple[str, int]:
    """Make a passage of 30 to `most` words with `word` in it, and tell where that begins."""
    draw = random.Random(number)
    words = draw.choices(WORDS, k=draw.randint(30, most))
    before = " ".join(words[:15]) + " "
    return before + " ".join([word, *words[15:]]), len(before)


def make_example(number: int) -> r.MaskedExample:
    """Make a masked passage with three candidates."""
    names = tuple(random.Random(number).sample(NAMES, 3))
    text, start = make_passage(number, names[0], 150)
    span, source = (start, start + len(names[0])), r.Source("made up", number)
    return r.MaskedExample(str(number), "en", text, ((0, len(text)),), span, names, (), 0, source)


def make_mention(number: int) -> r.EventMention:
    """Make a passage around a mention of one of twenty events."""
    text, start = make_passage(number, "quake", 80)
    event, source = f"event {number % 20}", r.Source("made up", number)
    return r.EventMention(
        str(number), "en", text, start, start + 5, event, event, "DISASTER", "quake", source
    )


def make_document(number: int) -> r.Document:
    """Make a document of 40 sentences of 25 words, two names in each."""
    draw = random.Random(number)
    sentences, clusters = [], [list[r.Mention]() for _ in NAMES]
    for index in range(40):
        words = draw.choices(WORDS, k=25)
        for place in (0, 12):
            who = draw.randrange(len(NAMES))
            words[place] = NAMES[who]
            clusters[who].append(r.Mention(index, place, place + 1))
        sentences.append(r.Sentence(tuple(map(r.Token, words))))
    found = tuple(tuple(one) for one in clusters if len(one) > 1)
    return r.Document(str(number), 0, "en", tuple(sentences), found)


def page(
    options: argparse.Namespace,
    measured: dict[tuple[str, str], tuple[float, float] | None],
    seconds: float,
) -> str:
    """Write the page of results."""
    info = Path("/proc/cpuinfo")
    kinds = re.findall(r"model name\s*: (.+)", info.read_text()) if info.exists() else []
    processor = (kinds or [platform.machine()])[0]
    machine = torch.cuda.get_device_name() if CUDA else f"no GPU: {processor}, one thread"
    versions = ", ".join(f"{name} {version(name)}" for name in ("torch", "transformers"))
    clocked = "wall clock" if CUDA else "processor time (the training loop's by the wall clock)"
    cells = [[text, name, 0] for name, (_, text) in ROWS.items()]
    cells.insert(3, ["peak memory of that, MiB", "documents", 1])
    body = []
    for text, name, which in cells:
        found = [measured.get((name, precision)) for precision in ("fp32", "bf16")]
        body.append((text, *("-" if one is None else f"{one[which]:,.0f}" for one in found)))
    lines = [
        "# How fast on a GPU?\n",
        f"{machine}; {versions}; encoder {options.encoder}; {options.steps} steps a row, {clocked};"
        f" {datetime.now(UTC):%Y-%m-%d}, {seconds:,.0f} s in all.\n",
        f'    make gpu GPU="--encoder {options.encoder} --steps {options.steps}"\n',
        *table(("what", "fp32", "bf16"), body),
        "",
        "**Limits.** One run; made-up text, a document has 1,000 words; - was not measured."
        + ("" if CUDA else " Nothing is known of GPUs yet."),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
