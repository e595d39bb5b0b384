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
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, Any

import numpy as np
import torch
from accelerate import PartialState
from accelerate.utils import broadcast_object_list, reduce
from torch import Tensor, nn
from tqdm import tqdm

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
    return _Loop(task, settings, out, dict(identity or {}), quiet).run()


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


@dataclass(slots=True)
class _LoggedStep:
    """A step before it is logged; `sums` [2] and `norm` [] are still on the device."""

    step: int
    epoch: int
    sums: Tensor  # of the losses, and of the items
    norm: Tensor
    rates: list[float]
    dev: float | None = None


class _Loop:
    """A training: the task, its optimizer, and its progress."""

    def __init__(
        self,
        task: Task[Any],
        settings: LoopSettings,
        out: Path,
        identity: dict[str, Any],
        quiet: bool,
    ) -> None:
        self.processes = join_processes()
        self.count = self.processes.num_processes
        self.quiet = quiet or not self.processes.is_main_process
        self.task, self.settings, self.out = task, settings, out
        self.model = task.model.to(self.processes.device)
        self.groups = task.groups()
        self.parameters: list[nn.Parameter] = [p for g in self.groups for p in g.parameters]
        self.optimizer = torch.optim.AdamW(
            [
                {"params": list(g.parameters), "lr": g.lr, "weight_decay": g.weight_decay}
                for g in self.groups
            ],
            fused=self.processes.device.type in ("cpu", "cuda"),
        )
        decides = {key: value for key, value in vars(settings).items() if key != "save_every"}
        self.resume = Resume(out, decides | identity | {"task": task.name, "processes": self.count})
        self.progress = TrainingProgress()
        self.waiting: list[_LoggedStep] = []

    def run(self) -> TrainingProgress:
        """Train until an epoch, step or patience limit; return the progress."""
        known = self.resume.check()
        if self.processes.is_main_process and not known:
            self.resume.begin()
        self.processes.wait_for_everyone()  # wait until the folder exists
        progress = self.progress = self.resume.load(self.model, self.optimizer)
        self.began = time.monotonic() - progress.seconds
        log = None
        if self.processes.is_main_process:
            log = open_log(self.out / LOG, [group.name for group in self.groups], progress.steps)
        try:
            if not progress.steps and not progress.ended_by:
                scores = self._score_development()
                score = float(scores[self.task.metric])
                progress.untrained = score if math.isfinite(score) else None
                if not self.quiet:
                    shown = f"{self.task.metric} {format_score(scores, self.task.metric)}"
                    print(f"Untrained: {shown} on the development split.", flush=True)
            bar = progress_bar(
                initial=progress.steps,
                unit=" steps",
                desc=f"Training, {self.settings.epochs} epochs",
                hidden=self.quiet or bool(progress.ended_by),
            )
            while not progress.ended_by:
                batches = self.task.batches(progress.epoch, self.settings.seed)
                if not batches:
                    raise UsageError("no words or mention pairs to learn from in the train split")
                # Steps of all epochs, if all are as long as this one.
                width = self.settings.accumulate * self.count
                left = math.ceil((len(batches) - progress.batches) / width)
                after = (self.settings.epochs - progress.epoch - 1) * math.ceil(
                    len(batches) / width
                )
                bar.total = min(progress.steps + left + after, self.settings.max_steps or math.inf)
                epoch = progress.epoch
                while progress.epoch == epoch and not progress.ended_by:
                    self._take_step(batches, log, bar)
            bar.close()
        finally:
            if log:
                log.close()
        self.processes.wait_for_everyone()
        self.resume.load_best(self.model)
        return progress

    def _take_step(self, batches: Sequence[Any], log: IO[str] | None, bar: tqdm[Any]) -> None:
        """Take a step; then evaluate, write the log and save the state, if due."""
        progress, settings, epoch = self.progress, self.settings, self.progress.epoch
        # The batches of this step; each of n processes learns from every n-th.
        mine = batches[progress.batches : progress.batches + settings.accumulate * self.count]
        rates = self._set_rates(len(batches), len(mine))
        sums, norm = self._learn(mine[self.processes.process_index :: self.count])
        progress.steps += 1
        progress.batches += len(mine)
        epoch_ended = progress.batches >= len(batches)
        if epoch_ended and epoch + 1 == settings.epochs:
            progress.ended_by = "epochs"
        elif progress.steps == settings.max_steps:
            progress.ended_by = "max_steps"
        every = settings.evaluate_every
        due = bool(progress.ended_by) or (progress.steps % every == 0 if every else epoch_ended)
        step = _LoggedStep(progress.steps, epoch, sums, norm, rates)
        self.waiting.append(step)
        if due:
            self._check_losses()
            step.dev = self._evaluate()
            _log.info("step %d, epoch %d: %s %s", step.step, epoch, self.task.metric, step.dev)
        if epoch_ended:
            progress.epoch, progress.batches = epoch + 1, 0
        # The log is written before the state that counts its steps: a resumed run cuts it back.
        save = due or progress.steps % settings.save_every == 0
        if save or len(self.waiting) == _WAITING:
            self._write_log(log, bar)
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
            with self._autocast():
                loss, count = self.task.loss(batch)
            if count:
                loss.backward()
                sums[0] += loss.detach()
                sums[1] += count
        if self.count > 1:
            # The sums and all gradients in one call; a missing gradient counts as 0.
            parts = [sums]
            for parameter in self.parameters:
                if parameter.grad is None:
                    parameter.grad = torch.zeros_like(parameter)
                parts.append(parameter.grad)
            flat: Tensor = reduce(torch.cat([part.reshape(-1) for part in parts]), "sum")
            for part, total in zip(parts, flat.split([p.numel() for p in parts]), strict=True):
                part.copy_(total.view_as(part))
        items = sums[1].clamp(min=1)
        for parameter in self.parameters:
            if parameter.grad is not None:
                parameter.grad.div_(items)
        # Without a limit nothing is clipped, but the norm is still logged.
        norm = nn.utils.clip_grad_norm_(self.parameters, self.settings.clip or math.inf)
        self.optimizer.step()
        return sums, norm

    def _autocast(self) -> AbstractContextManager[Any]:
        """Return a context for computing in bf16, if the setting `precision` asks for bf16."""
        precision, device = self.settings.precision, self.processes.device.type
        cuda = device == "cuda"
        able = cuda and torch.cuda.is_bf16_supported(including_emulation=False)
        if precision == "bf16" and cuda and not able:
            raise UsageError("the GPU cannot compute in bf16", remedy="--set precision=fp32")
        if precision == "bf16" or (precision == "auto" and able):
            return torch.autocast(device, torch.bfloat16)
        return nullcontext()

    def _set_rates(self, batches: int, now: int) -> list[float]:
        """Set the rate of each group for a step of `now` batches in an epoch of `batches`."""
        progress, settings = self.progress, self.settings
        # The middle of the step, so that neither the first nor the last step has a rate of 0.
        middle = (progress.batches + now / 2) / batches
        share = (progress.epoch + middle) / settings.epochs
        if settings.max_steps:
            share = max(share, (progress.steps + 0.5) / settings.max_steps)
        # Linearly up, then linearly down to 0.
        factor = 1.0
        if share < settings.warmup:
            factor = share / settings.warmup
        elif settings.warmup < 1:
            factor = (1 - share) / (1 - settings.warmup)
        rates = [group.lr * factor for group in self.groups]
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
        return rates

    def _check_losses(self) -> None:
        """Raise `UsageError` at a waiting step without a finite loss."""
        for step in self.waiting:
            total = step.sums[0].item()
            if not math.isfinite(total):
                raise UsageError(f"the loss is {total} at step {step.step}", remedy=_LOWER)

    def _write_log(self, log: IO[str] | None, bar: tqdm[Any]) -> None:
        """Write the waiting steps to the log and the progress bar."""
        self._check_losses()
        metric = self.task.metric
        for step in self.waiting if log else ():
            total, items = step.sums.tolist()
            loss = total / items if items else None
            # The repr of a float can be parsed back without loss.
            row = [step.step, step.epoch, int(items), loss, float(step.norm), step.dev]
            print(*("" if x is None else repr(x) for x in (*row, *step.rates)), sep=",", file=log)
            shown = {} if loss is None else {"loss": f"{loss:.4f}"}
            if self.progress.score is not None:
                shown[f"best {metric}"] = format_score(self.progress.scores, metric)
            bar.set_postfix(shown, refresh=False)
        self.waiting.clear()

    def _score_development(self) -> dict[str, float]:
        """Score the development split, the same scores in every process."""
        self.model.eval()
        with torch.no_grad(), self._autocast():
            scores: dict[str, float] = broadcast(self.task.evaluate())
        return scores

    def _evaluate(self) -> float:
        """Score the development split; save the best parameters, or count towards the patience."""
        progress, settings = self.progress, self.settings
        scores = self._score_development()
        score = float(scores[self.task.metric])
        if not math.isfinite(score):
            raise UsageError(
                f"{self.task.metric} of the development split is {score} at step {progress.steps}",
                remedy=_LOWER,
            )
        if progress.score is None or score > progress.score:
            progress.score, progress.best_step, progress.scores = score, progress.steps, scores
            progress.worse = 0
            if self.processes.is_main_process:
                self.resume.save_best(self.model)
        else:
            progress.worse += 1
            if settings.patience and progress.worse >= settings.patience:
                progress.ended_by = progress.ended_by or "patience"
        return score
