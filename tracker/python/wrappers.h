// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <string>

namespace commtap {

/// The known facts about the classes by which libraries wrap a user's module. The caller holds the GIL.

/// Wrappers around one module, and swaps of one class, that are looked through.
inline constexpr int kMaxWrapperNesting = 16;

/// Returns whether a type of this name is among the object's bases, itself included.
bool inheritsFrom(PyObject* object, const char* name);

/// Returns the dict from name to child, borrowed; nullptr if there is none. A scripted module has its Python children
/// in `_modules._python_modules`. Never calls the job's __getattr__.
PyObject* childrenOf(PyObject* module);

/// Returns the dict from name to the module's own parameter, borrowed; nullptr if there is none.
PyObject* parametersOf(PyObject* module);

/// Returns whether an object is a torch.nn.Module that has been initialized.
bool isModule(PyObject* object);

/// Returns the instance's own dictionary, borrowed. Never calls the job's __getattr__.
PyObject* dictOf(PyObject* module);

/// Returns whether `parent` is a wrapper that registers the module that it wraps as `component`. Such a component is in
/// raw names only.
bool isWrapperComponent(PyObject* parent, const char* component);

/// Returns the module that `module` wraps, borrowed; nullptr if it wraps none.
PyObject* directlyWrappedBy(PyObject* module);

/// Returns the innermost module that `module` wraps, borrowed; `module` itself if it wraps none.
PyObject* wrappedBy(PyObject* module);

/// Returns the class's name.
std::string className(PyObject* module);

/// Returns the name of the class that the user wrote. A library may have swapped the class of the instance for one that
/// inherits from it: `fully_shard` makes `FSDPNet` of `Net`.
std::string userClassName(PyObject* module);

/// Returns userClassName(), after the classes by which libraries swapped it: "FSDPModule/Net".
std::string classChain(PyObject* module);

} // namespace commtap
