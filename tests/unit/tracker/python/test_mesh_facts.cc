// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/parameter_facts.h"

#include <string>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/embedded_python.h"

namespace commtap {
namespace {

/// Makes `mesh(shape, stride, rank, coordinate)`: a mesh within a root mesh of the ranks 10 to 17.
class MeshFixture {
 protected:
  MeshFacts factsOf(const char* expression) const {
    const PyRef mesh = python_[expression];
    MeshFacts facts = meshFacts(mesh.get());
    CHECK(PyErr_Occurred() == nullptr);
    return facts;
  }
  std::string meshOf(const char* expression) const {
    return factsOf(expression).mesh;
  }

  const EmbeddedPython python_{R"(
from types import SimpleNamespace as Object

def mesh(shape, stride, rank, coordinate, names=None, sizes=()):
    return Object(shape=sizes, mesh_dim_names=names, _coordinate_on_dim=coordinate, _rank=rank,
                  _flatten_rank_map=tuple(range(10, 18)), _layout=Object(shape=shape, stride=stride))

class Raising:
    def __getattr__(self, name): raise RuntimeError(name)
)"};
};

TEST_CASE_FIXTURE(MeshFixture, "a mesh has its names, its shape, its ranks, and this process's place in it") {
  const MeshFacts facts = factsOf("mesh((2, 4), (4, 1), 16, [1, 2], ('dp', 'tp'), (2, 4))");
  CHECK(facts.mesh == R"({"dim_names":["dp","tp"],"shape":[2,4],"ranks":[10,11,12,13,14,15,16,17]})");
  CHECK(facts.coordinate == "[1,2]");
}

TEST_CASE_FIXTURE(
    MeshFixture,
    "a part of a mesh has the ranks that have this process's place in the other dimensions") {
  CHECK(meshOf("mesh((2,), (4,), 16, [1])") == R"({"dim_names":null,"shape":[],"ranks":[12,16]})");
  CHECK(meshOf("mesh(2, 4, 16, [1])") == R"({"dim_names":null,"shape":[],"ranks":[12,16]})");
  CHECK(meshOf("mesh((4,), (1,), 16, [2])") == R"({"dim_names":null,"shape":[],"ranks":[14,15,16,17]})");
}

TEST_CASE_FIXTURE(MeshFixture, "a flattened dimension has the places of those that it was made of") {
  CHECK(meshOf("mesh(((2, 2),), ((4, 1),), 15, [3])") == R"({"dim_names":null,"shape":[],"ranks":[10,11,14,15]})");
  CHECK(meshOf("mesh(((), 2), ((), 1), 11, [0, 1])") == R"({"dim_names":null,"shape":[],"ranks":[10,11]})");
}

TEST_CASE_FIXTURE(MeshFixture, "the axes of a later layout are read as well") {
  python_.run(R"(
later = mesh(None, None, 16, [1, 0])
later._layout.axes = (Object(shape=2, stride=4), Object(shape=(2,), stride=(1,)))
)");
  CHECK(meshOf("later") == R"({"dim_names":null,"shape":[],"ranks":[12,13,16,17]})");
}

TEST_CASE_FIXTURE(MeshFixture, "a process outside of the mesh has no place in it") {
  const MeshFacts facts = factsOf("mesh((2,), (1,), 17, None, None, (2,))");
  CHECK(facts.mesh == R"({"dim_names":null,"shape":[2],"ranks":null})");
  CHECK(facts.coordinate.empty());
}

TEST_CASE_FIXTURE(MeshFixture, "ranks that cannot be read are null") {
  for (const char* const odd :
       {"mesh((2, 2), (4, 1), 16, [1])",        // a dimension too few
        "mesh((2,), (4,), 16, [2])",            // a place that the dimension does not have
        "mesh((2,), (4,), 16, [-1])",           //
        "mesh((2,), (4,), 30, [1])",            // a rank that the root does not have
        "mesh((2,), (4,), 2 ** 70, [1])",       //
        "mesh((4,), (4,), 16, [1])",            // longer than the root
        "mesh((2 ** 40,), (1,), 10, [0])",      //
        "mesh((2,), ((4, 1),), 16, [1])",       // nested otherwise
        "mesh(('two',), (4,), 16, [1])",        //
        "mesh((2,), (4,), 16, ['one'])",        //
        "mesh(None, None, 16, [1])",            //
        "mesh((2, 2), (-4, 1), 11, [0, 0])"}) { // before the root
    CAPTURE(std::string(odd));
    CHECK(meshOf(odd) == R"({"dim_names":null,"shape":[],"ranks":null})");
  }
}

TEST_CASE_FIXTURE(MeshFixture, "an object that is no mesh, or that raises, has no facts") {
  for (const char* const odd : {"17", "Raising()", "Object(_layout=Raising(), mesh_dim_names=None)"}) {
    CHECK(meshOf(odd) == R"({"dim_names":null,"shape":[],"ranks":null})");
    CHECK(factsOf(odd).coordinate.empty());
  }
}

} // namespace
} // namespace commtap
