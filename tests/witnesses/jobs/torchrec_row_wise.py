# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""torchrec: an embedding collection under DistributedModelParallel, one table split by rows.

With `top_not_wrapped`, the layer above the tables is not in a DistributedDataParallel.
"""

import sys

import torch
import torch.distributed as dist
from outcome import BATCH, STEPS, WIDTH, print_outcome
from torch import nn
from torchrec import EmbeddingBagCollection, EmbeddingBagConfig, KeyedJaggedTensor
from torchrec.distributed import DistributedModelParallel
from torchrec.distributed.embeddingbag import EmbeddingBagCollectionSharder
from torchrec.distributed.sharding_plan import construct_module_sharding_plan, row_wise, table_wise
from torchrec.distributed.types import ShardingEnv, ShardingPlan

ROWS = 100
FEATURES = ("user", "item")


class Ranker(nn.Module):
    """Pooled embeddings, then a layer over them."""

    def __init__(self) -> None:
        super().__init__()
        tables = [
            EmbeddingBagConfig(name=f"t_{name}", embedding_dim=WIDTH, num_embeddings=ROWS, feature_names=[name])
            for name in FEATURES
        ]
        self.tables = EmbeddingBagCollection(tables, device=torch.device("cpu"))
        self.top = nn.Linear(WIDTH * len(FEATURES), 1)

    def forward(self, features: KeyedJaggedTensor) -> torch.Tensor:
        """Returns one score per sample."""
        return self.top(self.tables(features).values())


def features(generator: torch.Generator) -> KeyedJaggedTensor:
    """Returns a batch of this rank."""
    lengths = torch.randint(1, 4, (len(FEATURES) * BATCH,), generator=generator)
    values = torch.randint(0, ROWS, (int(lengths.sum()),), generator=generator)
    return KeyedJaggedTensor.from_lengths_sync(keys=list(FEATURES), values=values, lengths=lengths)


dist.init_process_group("gloo")
torch.manual_seed(0)
ranker = Ranker()
sharder = EmbeddingBagCollectionSharder()
# The planner offers no sharding by rows on CPUs, where it works if a plan names it.
per_table = {"t_user": row_wise(), "t_item": table_wise(rank=1)}
plan = construct_module_sharding_plan(
    ranker.tables, per_table, sharder, local_size=dist.get_world_size(), device_type="cpu"
)
model = DistributedModelParallel(
    ranker,
    env=ShardingEnv.from_process_group(dist.group.WORLD),
    device=torch.device("cpu"),
    plan=ShardingPlan({"tables": plan}),
    sharders=[sharder],
    init_data_parallel=sys.argv[1:] != ["top_not_wrapped"],
)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
generator = torch.Generator().manual_seed(dist.get_rank())
losses = []
for _ in range(STEPS):
    optimizer.zero_grad()
    loss = (model(features(generator)) - 1).square().mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print_outcome(losses, model.module.top.parameters())
dist.destroy_process_group()
