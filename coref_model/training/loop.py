"""The training loop, the same for every task, in one process or in several.

`accelerate launch` or torchrun start several processes. A task calls parts of its model and not
`forward`. So gradients are summed here and not by torch's DDP, which would wait for parameters that
a batch does not reach.
"""

from __future__ import annotations

import atexit
import logging
import math
import os
import random
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import numpy as np
import torch
from accelerate import PartialState
from accelerate.utils import broadcast_object_list, reduce
from torch import Tensor, nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters
from tqdm import tqdm

from corefmill.coref_model.encoder import tensors as tensor_files
from corefmill.coref_model.training.checkpoint import restore, saved_parameters
from corefmill.coref_model.training.config import LoopSettings
from corefmill.coref_model.training.resume import LOG, Resume, TrainingProgress, open_log
from corefmill.coref_model.training.task import Task
from corefmill.coref_model.training.trained_model import format_score
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.files.terminal import progress_bar

_log = logging.getLogger(__name__)

# Steps whose losses are read together, since a GPU idles during the reading.
_WAITING = 16

_LOWER = "lower the learning rates: --set lr=..., --set lr_encoder=..."


def train(
    task: Task[Any],
    settings: LoopSettings,
    out: Path,
    *,
    identity: Mapping[str, Any] | None = None,
    quiet: bool = False,
) -> TrainingProgress:
    """Train a task's model, and leave it with the parameters of the best evaluation.

    Writes `out/log.csv`, and `out/resume` until `checkpoint.save` removes it: a call with the same
    `identity` (everything that determines the result besides the settings) resumes the training.
    Raises `UsageError` if the folder holds another training, if there is nothing to train on, or if
    the loss is not a number any more.
    """
    return _Loop(task, settings, out, identity or {}, quiet).run()


def seed_all(*seeds: int) -> None:
    """Seed torch, numpy and random with a mix of the seeds."""
    torch_seed, other = np.random.SeedSequence(seeds).generate_state(2, np.uint64)
    torch.manual_seed(int(torch_seed))
    np.random.seed(int(other) % 2**32)
    random.seed(int(other))


def join_processes() -> PartialState:
    """Join this training's other processes; the state has the device, rank and first process."""
    several = int(os.environ.get("WORLD_SIZE", 1)) > 1
    if several:
        # Imported before the group exists: as a default argument of the module's functions, the
        # group would keep its threads alive after it is destroyed.
        import_module("torch.distributed.nn.functional")
    # accelerate does not choose the CPU by itself for several processes without a GPU.
    state = PartialState(cpu=several and not torch.cuda.is_available())
    if several:
        # The group's threads, left running at the end, can abort the interpreter.
        atexit.register(state.destroy_process_group)
    return state


def broadcast(value: Any) -> Any:
    """Send the first process's value to all processes, and return this value."""
    return value if PartialState().num_processes == 1 else broadcast_object_list([value])[0]


class _LoggedStep(NamedTuple):
    """A step before it is logged; `sums` [2] and `norm` [] are still on the device."""

    step: int
    epoch: int
    sums: Tensor  # of the losses, and of the items
    norm: Tensor
    rates: list[float]


class _Loop:
    """A training: the task, its optimizer, and its progress."""

    def __init__(
        self,
        task: Task[Any],
        settings: LoopSettings,
        out: Path,
        identity: Mapping[str, Any],
        quiet: bool,
    ) -> None:
        self.processes = join_processes()
        self.count, device = self.processes.num_processes, self.processes.device
        self.quiet = quiet or not self.processes.is_main_process
        self.task, self.settings, self.out = task, settings, out
        self.model = task.model.to(device)
        self.groups = task.groups()
        self.parameters: list[nn.Parameter] = [p for g in self.groups for p in g.parameters]
        self.optimizer = torch.optim.AdamW(
            [
                {"params": list(g.parameters), "lr": g.lr, "weight_decay": g.weight_decay}
                for g in self.groups
            ],
            fused=device.type in ("cpu", "cuda"),
        )
        cuda, precision = device.type == "cuda", settings.precision
        able = cuda and torch.cuda.is_bf16_supported(including_emulation=False)
        if precision == "bf16" and cuda and not able:
            raise UsageError("the GPU cannot compute in bf16", remedy="--set precision=fp32")
        self.autocast = torch.autocast(
            device.type,
            torch.bfloat16,
            enabled=precision == "bf16" or (precision == "auto" and able),
        )
        decides = {key: value for key, value in vars(settings).items() if key != "save_every"}
        self.resume = Resume(
            out, decides | dict(identity) | {"task": task.name, "processes": self.count}
        )
        self.waiting: list[_LoggedStep] = []

    def run(self) -> TrainingProgress:
        """Train until an epoch, step or patience limit; return the progress."""
        settings, first = self.settings, self.processes.is_main_process
        progress = self.progress = self.resume.load(self.model, self.optimizer)
        self.began = time.monotonic() - progress.seconds
        self.processes.wait_for_everyone()  # until all have read the state
        if not progress.steps:
            scores = self._score_development()
            score = float(scores[self.task.metric])
            progress.untrained = score if math.isfinite(score) else None
            if not self.quiet:
                shown = f"{self.task.metric} {format_score(scores, self.task.metric)}"
                print(f"Untrained: {shown} on the development split.", flush=True)
            if first:
                self.resume.save(progress, self.model, self.optimizer)
        names = [group.name for group in self.groups]
        with (
            open_log(self.out / LOG, names, progress.steps) if first else nullcontext() as log,
            progress_bar(
                initial=progress.steps,
                unit=" steps",
                desc=f"Training, {settings.epochs} epochs",
                hidden=self.quiet or bool(progress.ended_by),
            ) as bar,
        ):
            while not progress.ended_by:
                batches = self.task.batches(progress.epoch, settings.seed)
                if not batches:
                    raise UsageError("no words or mention pairs to learn from in the train split")
                # Steps of all epochs, if all are as long as this one.
                width, epoch = settings.accumulate * self.count, progress.epoch
                before = progress.steps - progress.batches // width
                total = before + (settings.epochs - epoch) * math.ceil(len(batches) / width)
                bar.total = min(total, settings.max_steps or total)
                while progress.epoch == epoch and not progress.ended_by:
                    self._take_step(batches, log, bar)
        self.processes.wait_for_everyone()
        restore(self.model, tensor_files.read(self.resume.best)[0], self.resume.best)
        return progress

    def _take_step(self, batches: Sequence[Any], log: IO[str] | None, bar: tqdm[Any]) -> None:
        """Take a step; then evaluate, write the log and save the state, if due."""
        progress, settings, epoch = self.progress, self.settings, self.progress.epoch
        # The batches of this step; each of n processes learns from every n-th.
        mine = batches[progress.batches : progress.batches + settings.accumulate * self.count]
        rates = self._set_rates((progress.steps + 0.5) / cast(int, bar.total))
        sums, norm = self._learn(mine[self.processes.process_index :: self.count])
        progress.steps += 1
        progress.batches += len(mine)
        self.waiting.append(_LoggedStep(progress.steps, epoch, sums, norm, rates))
        epoch_ended = progress.batches >= len(batches)
        if epoch_ended and epoch + 1 == settings.epochs:
            progress.ended_by = "epochs"
        elif progress.steps == settings.max_steps:
            progress.ended_by = "max_steps"
        every = settings.evaluate_every
        due = bool(progress.ended_by) or (progress.steps % every == 0 if every else epoch_ended)
        save = due or progress.steps % settings.save_every == 0
        # The log is written before the state that counts its steps: a resumed run cuts it back.
        if save or len(self.waiting) == _WAITING:
            self._write_log(log, bar, due)
        if epoch_ended:
            progress.epoch, progress.batches = epoch + 1, 0
        if save and log:
            progress.seconds = time.monotonic() - self.began
            log.flush()
            os.fsync(log.fileno())
            self.resume.save(progress, self.model, self.optimizer)
        bar.update()

    def _learn(self, batches: Sequence[Any]) -> tuple[Tensor, Tensor]:
        """Update the parameters by some batches; return sums of losses and items [2], norm []."""
        # Seeded at each step, so that a resumed run does not need the generators' state.
        seed_all(self.settings.seed, self.progress.steps, self.processes.process_index)
        self.model.train()
        self.optimizer.zero_grad(set_to_none=True)
        sums = torch.zeros(2, device=self.processes.device)
        for batch in batches:
            with self.autocast:
                loss, count = self.task.loss(batch)
            if count:
                loss.backward()
                sums[0] += loss.detach()
                sums[1] += count
        if self.count > 1:
            # The sums and all gradients in one call; a missing gradient counts as 0.
            for parameter in self.parameters:
                if parameter.grad is None:
                    parameter.grad = torch.zeros_like(parameter)
            parts = [sums, *(cast(Tensor, parameter.grad) for parameter in self.parameters)]
            vector_to_parameters(reduce(parameters_to_vector(parts), "sum"), parts)
        items = sums[1].clamp(min=1)
        for parameter in self.parameters:
            if parameter.grad is not None:
                parameter.grad.div_(items)
        # Without a limit nothing is clipped, but the norm is still logged.
        norm = nn.utils.clip_grad_norm_(self.parameters, self.settings.clip or math.inf)
        self.optimizer.step()
        return sums, norm

    def _set_rates(self, share: float) -> list[float]:
        """Set the rate of each group for a step in the middle of this share of all steps."""
        # Linearly up, then linearly down to 0.
        warmup = self.settings.warmup
        factor = min(share / (warmup or share), (1 - share) / (1 - warmup or 1 - share))
        for group, known in zip(self.optimizer.param_groups, self.groups, strict=True):
            group["lr"] = known.lr * factor
        return [group["lr"] for group in self.optimizer.param_groups]

    def _write_log(self, log: IO[str] | None, bar: tqdm[Any], due: bool) -> None:
        """Check the losses of the waiting steps, evaluate if due, and write log and progress bar.

        Raises `UsageError` for a loss that is not finite, before anything is evaluated or saved.
        """
        metric, dev = self.task.metric, None
        counted = torch.stack([step.sums for step in self.waiting]).tolist()
        for step, (total, _) in zip(self.waiting, counted, strict=True):
            if not math.isfinite(total):
                raise UsageError(f"the loss is {total} at step {step.step}", remedy=_LOWER)
        if due:
            dev = self._evaluate()
        for step, (total, items) in zip(self.waiting, counted, strict=True) if log else ():
            loss = total / items if items else None
            last = dev if step is self.waiting[-1] else None
            # The repr of a float can be parsed back without loss.
            row = [step.step, step.epoch, int(items), loss, float(step.norm), last, *step.rates]
            print(*("" if x is None else repr(x) for x in row), sep=",", file=log)
            shown = {} if loss is None else {"loss": f"{loss:.4f}"}
            if self.progress.score is not None:
                shown[f"best {metric}"] = format_score(self.progress.scores, metric)
            bar.set_postfix(shown, refresh=False)
        self.waiting.clear()

    def _score_development(self) -> dict[str, float]:
        """Score the development split, the same scores in every process."""
        self.model.eval()
        with torch.no_grad(), self.autocast:
            scores: dict[str, float] = broadcast(self.task.evaluate())
        return scores

    def _evaluate(self) -> float:
        """Score the development split; save the best parameters, or count towards the patience."""
        progress, settings, metric = self.progress, self.settings, self.task.metric
        scores = self._score_development()
        score = float(scores[metric])
        _log.info("step %d, epoch %d: %s %s", progress.steps, progress.epoch, metric, score)
        if not math.isfinite(score):
            raise UsageError(
                f"{metric} of the development split is {score} at step {progress.steps}",
                remedy=_LOWER,
            )
        if progress.score is None or score > progress.score:
            progress.score, progress.best_step, progress.scores = score, progress.steps, scores
            progress.worse = 0
            if self.processes.is_main_process:
                tensor_files.save(saved_parameters(self.model), self.resume.best)
        else:
            progress.worse += 1
            if settings.patience and progress.worse >= settings.patience:
                progress.ended_by = progress.ended_by or "patience"
        return score
