# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads OpenMetrics with the strict parser of Prometheus's own Python client."""

from prometheus_client import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families


def families(text: str) -> dict[str, Metric]:
    """Returns the metric families by name. Raises if the text breaks a rule."""
    return {family.name: family for family in text_string_to_metric_families(text)}
