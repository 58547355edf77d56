# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Trains with DDP in two ranks: `launched.py [WAY STORE]`.

Without WAY a launcher has started this process as a rank. Else the script starts the ranks itself, by the package that
WAY names, or is a rank of mpirun. They meet by the file STORE. At the end the script exits with LAUNCHED_STATUS.
"""

import gc
import os
import sys
import tempfile
from typing import Any

import torch
import torch.distributed as dist
from torch import nn

RANKS = 2
STEPS = 5

kept: list[torch.Tensor] = []


def train(**where: Any) -> None:
    """Makes one all_reduce per step, of the only bucket of gradients."""
    dist.init_process_group("gloo", **where)
    model = nn.parallel.DistributedDataParallel(nn.Linear(8, 8))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(STEPS):
        model(torch.ones(2, 8)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    # What is kept prevents pytorch/pytorch#190489, as in tests/jobs/common.py.
    kept.extend(each for each in gc.get_objects() if issubclass(type(each), torch.Tensor))
    dist.destroy_process_group()


def train_rank(rank: int, store: str) -> None:
    train(init_method=f"file://{store}", rank=rank, world_size=RANKS)


def by_mpirun(store: str) -> None:
    train_rank(int(os.environ["OMPI_COMM_WORLD_RANK"]), store)


def by_spawn(store: str) -> None:
    torch.multiprocessing.spawn(train_rank, (store,), nprocs=RANKS)


def by_ray(store: str) -> None:
    """Ray ends its workers when the driver ends, by a signal or as they see that Ray has ended."""
    import ray

    class Worker:
        def train(self, rank: int) -> None:
            train_rank(rank, store)

    variables = {"env_vars": {"OMP_NUM_THREADS": "1"}}
    ray.init(num_cpus=RANKS, include_dashboard=False, runtime_env=variables, _temp_dir=tempfile.mkdtemp())
    workers = [ray.remote(num_cpus=1)(Worker).remote() for _ in range(RANKS)]
    ray.get([worker.train.remote(rank) for rank, worker in enumerate(workers)])


def by_submitit(store: str) -> None:
    import submitit

    executor = submitit.LocalExecutor(folder=tempfile.mkdtemp())
    executor.update_parameters(tasks_per_node=RANKS, timeout_min=5)
    executor.submit(lambda: train_rank(submitit.JobEnvironment().global_rank, store)).results()


def by_hydra(store: str) -> None:
    """Two jobs of a multirun, in processes of joblib, are the ranks."""
    import hydra

    @hydra.main(version_base=None)
    def job(config: Any) -> None:
        train_rank(config.rank, store)

    of_launcher = ["hydra/launcher=joblib", f"hydra.launcher.n_jobs={RANKS}", f"hydra.sweep.dir={store}.hydra"]
    sys.argv[1:] = ["--multirun", f"+rank={','.join(map(str, range(RANKS)))}", *of_launcher]
    job()


def by_lightning(_store: str) -> None:
    import lightning

    class Model(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(8, 8)

        def training_step(self, batch: torch.Tensor) -> torch.Tensor:
            return self.layer(batch).sum()

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.SGD(self.parameters(), 0.1)

    quiet = {name: False for name in ("logger", "enable_checkpointing", "enable_progress_bar", "enable_model_summary")}
    trainer = lightning.Trainer(accelerator="cpu", devices=RANKS, strategy="ddp", max_steps=STEPS, **quiet)
    trainer.fit(Model(), torch.utils.data.DataLoader(torch.ones(2 * RANKS * STEPS, 8), batch_size=2))


if __name__ == "__main__":
    if len(sys.argv) == 1:
        train()
    else:
        globals()[f"by_{sys.argv[1]}"](sys.argv[2])
    sys.exit(int(os.environ.get("LAUNCHED_STATUS", "0")))
