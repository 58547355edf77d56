# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the comparison of other projects' test runs."""

from pathlib import Path

from outcomes import compare, read

JUNIT = """<?xml version="1.0"?><testsuites><testsuite>
<testcase classname="a.B" name="good"/>
<testcase classname="a.B" name="bad"><failure message="m">text</failure></testcase>
<testcase classname="a" name="left_out"><skipped message="m"/></testcase>
<testcase classname="a" name="broken"><error message="m"/></testcase>
<testcase classname="a" name="twice"><failure message="m"/></testcase>
<testcase classname="a" name="twice"><error message="m"/></testcase>
</testsuite></testsuites>"""


def test_outcomes_of_a_run(tmp_path: Path) -> None:
    """Outcomes are by node id; a test and its tear-down have one outcome."""
    (tmp_path / "junit.xml").write_text(JUNIT)
    assert read(tmp_path / "junit.xml") == {
        "a.B::good": "passed",
        "a.B::bad": "failed",
        "a::left_out": "skipped",
        "a::broken": "error",
        "a::twice": "failed, error",
    }


def test_a_difference_is_one_that_no_bare_run_has() -> None:
    """A test that always fails is a witness; a missing one is a difference; a varying one is not a witness."""
    bare = [
        {
            "same": "passed",
            "fails": "failed",
            "breaks": "passed",
            "gone": "skipped",
            "wavers": "passed",
            "rare": "passed",
        },
        {"same": "passed", "fails": "failed", "breaks": "passed", "gone": "skipped", "wavers": "failed"},
    ]
    verdict = compare(
        bare, {"same": "passed", "fails": "failed", "breaks": "failed", "wavers": "failed", "new": "passed"}
    )
    assert verdict.witnesses == 5
    assert verdict.passed == 2
    assert verdict.unsteady == ["rare", "wavers"]
    assert verdict.differences == [
        ("breaks", "passed", "failed"),
        ("gone", "skipped", "missing"),
        ("new", "missing", "passed"),
    ]
