# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads OpenMetrics with the strict parser of Prometheus's own Python client."""

from prometheus_client import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families


def families(text: str) -> dict[str, Metric]:
    """The metric families by name; raises if the text breaks a rule."""
    return {family.name: family for family in text_string_to_metric_families(text)}
