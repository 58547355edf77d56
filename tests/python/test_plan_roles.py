# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The ranks of a job that `commtap plan` takes for alike."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "plan"))

from commtap_plan import roles


def test_one_rank_stands_for_all_if_no_dimension_differs() -> None:
    plan = roles.Roles(roles.regular((8, 4), ("dp", "tp")), frozenset())
    plan.compare(lambda one, other: True)
    assert plan.standing() == {0: list(range(32))}


def test_the_first_and_the_last_of_a_dimension_stand_for_themselves_if_it_differs() -> None:
    plan = roles.Roles(roles.regular((2, 4), ("dp", "tp")), frozenset())
    plan.compare(lambda one, other: one % 4 == other % 4)
    assert plan.differs == {1}
    assert plan.standing() == {0: [0, 4], 2: [1, 2, 5, 6], 3: [3, 7]}


def test_each_pipeline_stage_is_planned() -> None:
    plan = roles.Roles(roles.regular((4, 16, 8), ("pp", "dp", "tp")), frozenset({0}))
    assert [plan.mesh.rank(base) for base in plan.bases()] == [0, 128, 256, 384]
    # Per stage, the middle and the last place of two dimensions.
    assert len(list(plan.neighbours())) == 4 * 4
    assert list(plan.standing()) == [0, 128, 256, 384]
    assert plan.base_of(511) == 384


def test_the_corners_show_a_difference_in_any_dimension() -> None:
    plan = roles.Roles(roles.regular((4, 16, 8), ("pp", "dp", "tp")), frozenset({0}))
    corners = list(plan.corners())
    assert len(corners) == 4 * 2  # per stage, the middle and the last place of both dimensions
    assert corners[:2] == [((0, 8, 4), (0, 0, 0)), ((0, 15, 7), (0, 0, 0))]
    assert list(roles.Roles(roles.regular((2, 2), ("dp", "tp")), frozenset()).corners()) == [((1, 1), (0, 0))]
    assert list(roles.Roles(roles.regular((1,), ("world",)), frozenset()).corners()) == []


def test_a_dimension_of_two_has_no_middle() -> None:
    plan = roles.Roles(roles.regular((2,), ("dp",)), frozenset())
    assert [place for place, _, _ in plan.neighbours()] == [(1,)]


def test_ranks_that_are_not_in_order_keep_their_places() -> None:
    mesh = roles.mesh_of([[0, 2], [1, 3]], ["dp", "tp"])
    assert mesh.rank((0, 1)) == 2
    assert mesh.coordinates[1] == (1, 0)


def test_a_mesh_is_made_of_groups() -> None:
    groups = [("tp", [0, 1, 2, 3]), ("dp", list(range(0, 64, 4))), ("all", list(range(256)))]
    mesh = roles.mesh_of_groups(groups, 256)
    assert (mesh.names, mesh.shape) == (("others", "dp", "tp"), (4, 16, 4))


def test_groups_that_fit_no_mesh_make_none() -> None:
    assert roles.mesh_of_groups([("odd", [0, 1, 2])], 8).shape == (8,)
    assert roles.mesh_of_groups([("some", [0, 5, 7])], 8).shape == (8,)


def test_the_mesh_with_the_most_dimensions_that_holds_all_ranks_is_taken() -> None:
    meshes = [
        {"names": ["world"], "ranks": list(range(8))},
        {"names": ["dp", "tp"], "ranks": [[0, 1], [2, 3], [4, 5], [6, 7]]},
        {"names": ["a", "b", "c"], "ranks": [[[0], [1]]]},
    ]
    assert roles.chosen_mesh(meshes, [], 8).names == ("dp", "tp")


def test_ranks_whose_groups_differ_are_parts() -> None:
    groups = [("train", [0, 1, 2, 3, 4, 5]), ("rollout", [6, 7])]
    patterns = roles.patterns_by_rank(groups)
    assert roles.parts([1, 2, 3, 4, 5, 6], patterns) == [[1, 2, 3, 4, 5], [6]]
    assert roles.parts([9, 8], patterns) == [[8, 9]]


def test_groups_of_a_mesh_are_alike_on_all_ranks() -> None:
    tensor = [(f"tp_{first // 2}", [first, first + 1]) for first in range(0, 8, 2)]
    data = [("dp", list(range(first, 8, 2))) for first in (0, 1)]
    patterns = roles.patterns_by_rank([*tensor, *data])
    assert roles.parts(list(range(8)), patterns) == [list(range(8))]
    assert roles.parts(list(range(8)), roles.patterns_by_rank([*tensor, *data, ("leaders", [0, 4])])) == [
        [0, 4],
        [1, 2, 3, 5, 6, 7],
    ]


def test_ranks_are_written_as_ranges() -> None:
    assert roles.ranges([0, 1, 2, 8, 10, 11]) == "0-2,8,10-11"


def test_a_job_of_one_rank_has_a_mesh() -> None:
    assert roles.chosen_mesh([], [], 1) == roles.regular((1,), ("world",))
