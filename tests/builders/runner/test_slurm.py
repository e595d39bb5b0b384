"""What Slurm is given: the script of an array, its options quoted, and what its commands say."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from corefmill.builders.runner import slurm
from corefmill.builders.runner.cluster import JobRecord, logs_of, prepare
from corefmill.builders.runner.slurm import (
    Slurm,
    refuse_impossible,
    refuse_queued,
    states,
    submit,
)
from corefmill.corpora.errors import UsageError
from tests.builders.runner.test_run import NUMBERS, lines
from tests.builders.runner.toy_task import job_of

QUEUE = Slurm(
    tasks=3,
    time="1:00:00",
    cpus_per_task=2,
    partition="cpu",
    account="me",
    qos="long",
    max_parallel=2,
    env_command="module load gcc && x='1 2'",
)
COMMAND = ["build", "wikicrem", "--lang", "en", "--text", "it's $HOME.txt"]


def program(folder: Path, name: str, body: str) -> None:
    (folder / name).write_text(f"#!/bin/bash\n{body}\n", encoding="utf-8")
    (folder / name).chmod(0o755)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of pretended programs, the first on the PATH: sbatch says 17 and keeps the script;
    squeue knows of nothing."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program(
        folder,
        "sbatch",
        f'cp "${{@: -1}}" {tmp_path}/sent.sh; echo Mind the load; echo "17;far"',
    )
    program(folder, "squeue", "echo slurm_load_jobs error: Invalid job id specified; exit 1")
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


def test_the_script_has_what_sites_ask_for() -> None:
    script = QUEUE.script("wikicrem", Path("/far/100%/logs"), COMMAND)
    for line in (
        "job-name=corefmill-wikicrem",
        "array=0-2%2",
        "nodes=1",
        "ntasks=1",
        "cpus-per-task=2",
        "mem-per-cpu=4G",
        "time=1:00:00",
        "partition=cpu",
        "account=me",
        "qos=long",
        "output=/far/100%%/logs/%A_%a.log",
        "open-mode=append",
        "requeue",
    ):
        assert f"#SBATCH --{line}\n" in script
    assert script.startswith("#!/bin/bash\n#SBATCH")
    assert "\nmodule load gcc && x='1 2'\n" in script
    assert 'export COREFMILL_TASK="$SLURM_ARRAY_TASK_ID"\n' in script
    assert script.endswith(f"exec {sys.executable} -P -m corefmill {shlex.join(COMMAND)}\n")


def test_what_is_not_asked_for_is_left_to_the_site() -> None:
    script = Slurm(tasks=1, time="10").script("wec", Path("/logs"), ["build", "wec"])
    for option in ("partition", "account", "qos", "%1"):
        assert f"--{option}" not in script
    assert "#SBATCH --array=0-0\n" in script


def test_the_shell_runs_the_command_as_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the folder and with the modules of whoever submitted, and as a task of that number."""
    fake = tmp_path / "my python"
    program(tmp_path, fake.name, 'printf "%s\\n" "$@" "$COREFMILL_TASK" "$PYTHONPATH" "$PATH"')
    monkeypatch.setattr(sys, "executable", str(fake))
    monkeypatch.setenv("PYTHONPATH", "my modules:/other")
    monkeypatch.chdir(tmp_path)
    script = Slurm(tasks=4, time="10").script("wec", tmp_path, COMMAND)
    done = subprocess.run(
        ["bash", "-c", script],
        env={"SLURM_ARRAY_TASK_ID": "3", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == [
        *("-P", "-m", "corefmill", *COMMAND, "3"),
        f"{tmp_path}/my modules:/other",
        f"{tmp_path}:/usr/bin:/bin",
    ]


def test_no_option_ends_its_line() -> None:
    with pytest.raises(UsageError, match=r"Slurm cannot be given .*account"):
        Slurm(tasks=1, time="10", account="me\nrm -r /").script("wec", Path("/logs"), ["build"])


def test_the_number_of_the_job_is_kept(tmp_path: Path, programs: Path) -> None:
    job = job_of(lines(tmp_path, NUMBERS), tmp_path / "out")
    prepare(job, overwrite=False)
    sent = submit(job, COMMAND, QUEUE)
    assert sent == JobRecord(executor="slurm", tasks=3, job="17")
    assert JobRecord.read(tmp_path / "out") == sent
    script = (tmp_path / "sent.sh").read_text()
    assert script == QUEUE.script("toy", logs_of(tmp_path / "out"), COMMAND)
    refuse_queued(tmp_path / "out")  # it has ended, as far as squeue knows
    program(programs, "squeue", 'printf "RUNNING\\nPENDING\\nRUNNING\\n"')
    assert states("17") == {"RUNNING": 2, "PENDING": 1}
    with pytest.raises(UsageError, match=r"Slurm job 17 .*: 1 pending, 2 running .*scancel 17"):
        refuse_queued(tmp_path / "out")


def test_what_slurm_refuses_is_told(tmp_path: Path, programs: Path) -> None:
    program(programs, "sbatch", "echo no such partition\nexit 1")
    job = job_of(lines(tmp_path, NUMBERS), tmp_path / "out")
    prepare(job, overwrite=False)
    with pytest.raises(UsageError, match="sbatch ended with code 1: no such partition"):
        submit(job, COMMAND, QUEUE)
    with pytest.raises(UsageError, match="--tasks 2000: Slurm's arrays have at most 1,000"):
        refuse_impossible(Slurm(tasks=2000, time="10"))


def test_a_slurm_that_does_not_answer(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(programs, "squeue", "exec sleep 60")
    monkeypatch.setattr(slurm, "_PATIENCE", 0.2)
    with pytest.raises(UsageError, match=r"squeue does not answer within 0\.2 seconds"):
        states("17")


def test_a_machine_without_slurm_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="sbatch is not on the PATH"):
        refuse_impossible(QUEUE)
    assert states("17") is None


@pytest.mark.parametrize(
    "said", ["", "{}", '{"executor": "slurm", "tasks": 1, "job": "1; rm"}', "["]
)
def test_a_record_that_is_none_calls_no_program(tmp_path: Path, said: str) -> None:
    (tmp_path / ".corefmill").mkdir()
    (tmp_path / ".corefmill/jobs.json").write_text(said)
    assert JobRecord.read(tmp_path) is None


def test_a_number_is_found_among_what_else_is_said(tmp_path: Path, programs: Path) -> None:
    program(programs, "sbatch", "echo 23; echo sbatch: warning: the queue is long >&2")
    out = tmp_path / "out"
    job = job_of(lines(tmp_path, NUMBERS), out)
    prepare(job, overwrite=False)
    assert submit(job, COMMAND, QUEUE).job == "23"
    program(programs, "sbatch", "true")
    with pytest.raises(UsageError, match="sbatch gives no number of a job"):
        submit(job, COMMAND, QUEUE)


def test_a_controller_that_does_not_answer_is_no_end(programs: Path) -> None:
    assert states("17") == {}
    program(programs, "squeue", "echo Unable to contact slurm controller; exit 1")
    assert states("17") is None
