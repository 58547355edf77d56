// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "report/json/cursor_values.h"

namespace commtap {

/// Reads typed fields of simdjson's document. Has the functions and errors of JsonCursor. A cursor refers to the one
/// that made it, which must outlive it: so a path costs nothing unless an error names it. If an object has a name
/// twice, its last value counts, as in most JSON readers.
class DomCursor : public CursorValues<DomCursor> {
 public:
  // simdjson's `ondemand` is compiled for the oldest processor; `dom` selects its kernels at run time.
  using Element = simdjson::dom::element;
  using Object = simdjson::dom::object;

  /// Finds the fields of one object. Fields are mostly in the order of columns, so the next one is tried before a
  /// search.
  class Fields {
   public:
    explicit Fields(const DomCursor& object) : cursor_(object) {
      is_object_ = object.element_.get(object_) == simdjson::SUCCESS;
      if (is_object_) {
        next_ = object_.begin();
        end_ = object_.end();
      }
    }

    std::optional<DomCursor> find(std::string_view name) {
      if (in_order_ && is_object_ && next_ != end_ && next_.key_equals(name)) {
        const DomCursor found(next_.value(), cursor_, name);
        ++next_;
        return found;
      }
      return cursor_.find(name);
    }
    /// Returns whether a later value of a name may have been missed: the object has other fields than those found in
    /// order, and a name twice.
    bool mayHaveRepeated() const {
      return in_order_ && is_object_ && next_ != end_ && hasRepeated(object_);
    }
    /// From now on finds the last value of each name.
    void search() {
      in_order_ = false;
    }

   private:
    static bool hasRepeated(Object object) {
      std::vector<std::string_view> names;
      names.reserve(object.size());
      for (const simdjson::dom::key_value_pair field : object) {
        names.push_back(field.key);
      }
      std::sort(names.begin(), names.end());
      return std::adjacent_find(names.begin(), names.end()) != names.end();
    }

    const DomCursor& cursor_;
    Object object_;
    Object::iterator next_;
    Object::iterator end_;
    bool is_object_ = false;
    bool in_order_ = true;
  };

  /// The document itself; `name` begins each path.
  DomCursor(Element document, std::string_view name) : element_(document), name_(name) {}

  DomCursor at(std::string_view name) const& {
    const std::optional<DomCursor> found = find(name);
    if (!found) {
      throw std::runtime_error(path() + "." + std::string(name) + " is missing");
    }
    return *found;
  }
  DomCursor at(std::string_view name) const&& = delete; // the result would refer to a cursor that is gone

  bool has(std::string_view name) const {
    const std::optional<DomCursor> found = find(name);
    return found && !found->isNull();
  }
  bool isNull() const {
    return element_.is_null();
  }

  std::string string(const char* wanted = "a string") const {
    return std::string(as<std::string_view>(wanted));
  }
  bool boolean() const {
    return as<bool>("true or false");
  }
  double real() const {
    return as<double>("a number");
  }
  template <typename T>
  std::optional<T> integerIfAny() const {
    std::conditional_t<std::is_unsigned_v<T>, uint64_t, int64_t> number = 0;
    const bool fits = element_.get(number) == simdjson::SUCCESS && std::in_range<T>(number);
    return fits ? std::optional(static_cast<T>(number)) : std::nullopt;
  }
  template <typename Value>
  Value named(std::optional<Value> (*fromName)(std::string_view)) const {
    const std::optional<Value> found = fromName(as<std::string_view>("a string"));
    if (!found) {
      throw std::runtime_error(path() + " is " + excerpt() + ", which is unknown");
    }
    return *found;
  }
  std::string objectText() const {
    return simdjson::minify(element_);
  }

  std::string textOrEmpty(std::string_view name) const {
    return has(name) ? at(name).string() : std::string();
  }
  std::optional<std::string> textIfAny(std::string_view name) const {
    const std::optional<DomCursor> found = find(name);
    return found && found->element_.is_string() ? std::optional(found->string()) : std::nullopt;
  }
  template <typename T>
  T number(std::string_view name) const {
    return at(name).template integer<T>();
  }

  template <typename T, typename Read>
  std::vector<T> lastItems(size_t most, const Read& read) const {
    simdjson::dom::array list;
    if (element_.get(list) != simdjson::SUCCESS) {
      throw std::runtime_error(path() + " is not a list");
    }
    const size_t size = list.size();
    const size_t skipped = size - std::min(size, most);
    std::vector<T> items;
    items.reserve(size - skipped);
    size_t position = 0;
    for (const Element item : list) {
      if (position >= skipped) {
        items.push_back(read(DomCursor(item, *this, position)));
      }
      ++position;
    }
    return items;
  }
  template <typename T, typename Read>
  std::vector<T> items(const Read& read) const {
    return lastItems<T>(SIZE_MAX, read);
  }
  template <typename T, typename Read>
  std::vector<T> list(std::string_view name, const Read& read) const {
    return at(name).template items<T>(read);
  }
  template <typename Visit>
  void forEachField(const Visit& visit) const {
    Object object;
    if (element_.get(object) != simdjson::SUCCESS) {
      wrong("an object");
    }
    for (const simdjson::dom::key_value_pair field : object) {
      visit(field.key, DomCursor(field.value, *this, field.key));
    }
  }

  [[noreturn]] void wrong(const char* wanted) const {
    throw std::runtime_error(path() + " is " + excerpt() + ", not " + wanted);
  }

  std::string path() const {
    if (parent_ == nullptr) {
      return std::string(name_);
    }
    const bool is_item = name_.data() == nullptr;
    return parent_->path() + (is_item ? "[" + std::to_string(position_) + "]" : "." + std::string(name_));
  }

 private:
  DomCursor(Element field, const DomCursor& parent, std::string_view name)
      : element_(field), parent_(&parent), name_(name) {}
  DomCursor(Element item, const DomCursor& parent, size_t position)
      : element_(item), parent_(&parent), position_(position) {}

  /// Returns the last value of the field; nullopt if there is none.
  std::optional<DomCursor> find(std::string_view name) const {
    Object object;
    if (element_.get(object) != simdjson::SUCCESS) {
      return std::nullopt;
    }
    const Object::iterator end = object.end();
    Object::iterator last = end;
    for (Object::iterator field = object.begin(); field != end; ++field) {
      if (field.key_equals(name)) {
        last = field;
      }
    }
    return last == end ? std::nullopt : std::optional(DomCursor(last.value(), *this, name));
  }

  template <typename T>
  T as(const char* wanted) const {
    T value{};
    if (element_.get(value) != simdjson::SUCCESS) {
      wrong(wanted);
    }
    return value;
  }
  /// Returns the start of the value as JSON.
  std::string excerpt() const {
    return std::string(simdjson::minify(element_)).substr(0, 40);
  }

  Element element_;
  const DomCursor* parent_ = nullptr;
  std::string_view name_; ///< without data for an item of a list
  size_t position_ = 0;   ///< of the item
};

} // namespace commtap
