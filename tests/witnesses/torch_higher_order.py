# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch's own samples of its higher-order operators, in eager code and compiled."""

import pytest
import torch
from torch.testing._internal.hop_db import hop_db


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("info", hop_db, ids=lambda info: f"{info.name}-{info.variant_test_name}")
def test_sample(info: object, compiled: bool) -> None:
    """The sample runs, or raises as it does without commtap."""
    torch._dynamo.reset()
    op = torch.compile(info.op, backend="aot_eager") if compiled else info.op
    for sample in info.sample_inputs("cpu", torch.float32, requires_grad=False):
        op(sample.input, *sample.args, **sample.kwargs)
