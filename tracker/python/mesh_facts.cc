// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/parameter_facts.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "tracker/cpython/py_ref.h"
#include "tracker/torch/module_names.h"

namespace commtap {
namespace {

using Integers = std::vector<int64_t>;

constexpr size_t kMostRanks = 1U << 20U; ///< of a mesh

std::optional<int64_t> integerOf(PyObject* value) {
  if (value == nullptr || !PyLong_Check(value)) {
    return std::nullopt;
  }
  const long long number = PyLong_AsLongLong(value);
  const bool failed = PyErr_Occurred() != nullptr;
  PyErr_Clear();
  return failed ? std::nullopt : std::optional<int64_t>(number);
}

std::optional<Integers> integersOf(PyObject* sequence) {
  Integers numbers;
  if (sequence == nullptr || (!PyTuple_Check(sequence) && !PyList_Check(sequence))) {
    return std::nullopt;
  }
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i) {
    const std::optional<int64_t> number = integerOf(PySequence_Fast_GET_ITEM(sequence, i));
    if (!number) {
      return std::nullopt;
    }
    numbers.push_back(*number);
  }
  return numbers;
}

/// Returns each of the sums of two numbers, by the first one, then by the second.
Integers sumsOf(const Integers& first, const Integers& second) {
  Integers sums;
  for (const int64_t number : first) {
    for (size_t i = 0; i < second.size() && sums.size() < kMostRanks; ++i) {
      sums.push_back(number + second[i]);
    }
  }
  return sums;
}

/// Returns the offsets of a dimension's places in the root mesh, in order; empty if they cannot be read. Shape and
/// stride are integers, or tuples that are nested alike: a dimension that was flattened.
Integers offsetsOf(PyObject* shape, PyObject* stride, int depth = 0) {
  constexpr int kMostNesting = 8;
  if (shape == nullptr || stride == nullptr || depth == kMostNesting) {
    return {};
  }
  if (const std::optional<int64_t> size = integerOf(shape)) {
    const std::optional<int64_t> step = integerOf(stride);
    Integers offsets;
    for (int64_t i = 0; step && i < *size && offsets.size() < kMostRanks; ++i) {
      offsets.push_back(i * *step);
    }
    return offsets;
  }
  if (!PyTuple_Check(shape) || !PyTuple_Check(stride) || PyTuple_GET_SIZE(shape) != PyTuple_GET_SIZE(stride)) {
    return {};
  }
  Integers offsets = {0}; // of a dimension of one place, whose shape may be ()
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shape); ++i) {
    offsets = sumsOf(offsets, offsetsOf(PyTuple_GET_ITEM(shape, i), PyTuple_GET_ITEM(stride, i), depth + 1));
  }
  return offsets;
}

/// Returns the offsets of each dimension of a mesh.
std::vector<Integers> dimensionsOf(PyObject* mesh) {
  const PyRef layout = attribute(mesh, torch_names::kMeshLayout);
  const PyRef axes = attribute(layout.get(), torch_names::kLayoutAxes);
  PyErr_Clear();
  std::vector<Integers> dimensions;
  if (axes && PyTuple_Check(axes.get())) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(axes.get()); ++i) {
      PyObject* axis = PyTuple_GET_ITEM(axes.get(), i);
      const PyRef shape = attribute(axis, torch_names::kShape);
      const PyRef stride = attribute(axis, torch_names::kLayoutStride);
      PyErr_Clear();
      dimensions.push_back(offsetsOf(shape.get(), stride.get()));
    }
    return dimensions;
  }
  const PyRef shape = attribute(layout.get(), torch_names::kShape);
  const PyRef stride = attribute(layout.get(), torch_names::kLayoutStride);
  PyErr_Clear();
  if (shape && stride && PyTuple_Check(shape.get()) && PyTuple_Check(stride.get())) {
    const Py_ssize_t count = std::min(PyTuple_GET_SIZE(shape.get()), PyTuple_GET_SIZE(stride.get()));
    for (Py_ssize_t i = 0; i < count; ++i) {
      dimensions.push_back(offsetsOf(PyTuple_GET_ITEM(shape.get(), i), PyTuple_GET_ITEM(stride.get(), i)));
    }
  } else {
    dimensions.push_back(offsetsOf(shape.get(), stride.get()));
  }
  return dimensions;
}

/// Returns this process's place in the root mesh minus its offset in the mesh: the place that the mesh begins at.
std::optional<int64_t>
beginOf(const Integers& root, int64_t rank, const Integers& coordinate, const std::vector<Integers>& dimensions) {
  const auto own = std::find(root.begin(), root.end(), rank);
  if (own == root.end() || coordinate.size() != dimensions.size()) {
    return std::nullopt;
  }
  int64_t begin = own - root.begin();
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (coordinate[i] < 0 || static_cast<size_t>(coordinate[i]) >= dimensions[i].size()) {
      return std::nullopt;
    }
    begin -= dimensions[i][static_cast<size_t>(coordinate[i])];
  }
  return begin;
}

/// Returns the ranks of a mesh in its order; empty if they cannot be read.
Integers ranksOf(const Integers& root, int64_t begin, const std::vector<Integers>& dimensions) {
  Integers places = {begin};
  for (const Integers& offsets : dimensions) {
    places = sumsOf(places, offsets);
  }
  for (int64_t& place : places) {
    if (place < 0 || static_cast<size_t>(place) >= root.size()) {
      return {};
    }
    place = root[static_cast<size_t>(place)];
  }
  return places;
}

std::string listText(const Integers& numbers) {
  std::string text;
  for (const int64_t number : numbers) {
    text += (text.empty() ? "" : ",") + std::to_string(number);
  }
  return "[" + text + "]";
}

std::string ranksText(PyObject* mesh, const std::optional<Integers>& coordinate) {
  const PyRef root_ranks = attribute(mesh, torch_names::kRootMeshRanks);
  const PyRef own_rank = attribute(mesh, torch_names::kMeshRank);
  PyErr_Clear();
  const std::optional<Integers> root = integersOf(root_ranks.get());
  const std::optional<int64_t> rank = integerOf(own_rank.get());
  if (!root || !rank || !coordinate) {
    return "null";
  }
  const std::vector<Integers> dimensions = dimensionsOf(mesh);
  const std::optional<int64_t> begin = beginOf(*root, *rank, *coordinate, dimensions);
  const Integers ranks = begin ? ranksOf(*root, *begin, dimensions) : Integers();
  return ranks.empty() ? "null" : listText(ranks);
}

} // namespace

void forEachMeshGroup(PyObject* mesh, TakeMeshGroup take) {
  const PyRef names = attribute(mesh, torch_names::kMeshDimensionNames);
  const PyRef groups = attribute(mesh, torch_names::kMeshGroupNames);
  PyErr_Clear();
  if (!names || !groups || !PyTuple_Check(names.get()) || !PyList_Check(groups.get())) {
    return;
  }
  const Py_ssize_t count = std::min(PyTuple_GET_SIZE(names.get()), PyList_GET_SIZE(groups.get()));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* name = PyTuple_GET_ITEM(names.get(), i);
    PyObject* group = PyList_GET_ITEM(groups.get(), i);
    if (PyUnicode_Check(name) && PyUnicode_Check(group)) { // None for a group without this process
      take(textOf(group).c_str(), textOf(name).c_str());
    }
  }
}

MeshFacts meshFacts(PyObject* mesh) {
  const PyRef names = attribute(mesh, torch_names::kMeshDimensionNames);
  const PyRef shape = attribute(mesh, torch_names::kShape);
  const PyRef coordinate = attribute(mesh, torch_names::kMeshCoordinate);
  PyErr_Clear();
  const std::optional<Integers> place = integersOf(coordinate.get());
  MeshFacts facts;
  facts.mesh = "{\"dim_names\":" + (names && names.get() != Py_None ? textsJson(names.get()) : "null") +
               ",\"shape\":" + integersJson(shape.get()) + ",\"ranks\":" + ranksText(mesh, place) + "}";
  facts.coordinate = place ? listText(*place) : "";
  return facts;
}

} // namespace commtap
