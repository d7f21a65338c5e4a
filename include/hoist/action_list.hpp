// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "hoist/action.hpp"

namespace hoist {

/// A std::vector of actions whose copies share one array until one of them changes: most of a
/// switch's rules have one of few lists. Members are those of a constant std::vector; what changes
/// the list makes it its own first. Threads may read copies of one list side by side.
class ActionList {
 public:
  using value_type = Action;
  using const_iterator = const Action*;

  ActionList() = default;
  ActionList(std::initializer_list<Action> actions) : ActionList(std::vector<Action>(actions)) {}
  ActionList(std::vector<Action> actions) {  // NOLINT(google-explicit-constructor): is a list
    if (!actions.empty()) list_ = std::make_shared<std::vector<Action>>(std::move(actions));
  }

  [[nodiscard]] std::size_t size() const noexcept { return list_ == nullptr ? 0 : list_->size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] const Action* data() const noexcept {
    return list_ == nullptr ? nullptr : list_->data();
  }
  [[nodiscard]] const_iterator begin() const noexcept { return data(); }
  [[nodiscard]] const_iterator end() const noexcept { return data() + size(); }
  [[nodiscard]] const Action& front() const noexcept { return list_->front(); }
  [[nodiscard]] const Action& back() const noexcept { return list_->back(); }
  [[nodiscard]] const Action& operator[](std::size_t i) const noexcept { return (*list_)[i]; }
  /// The actions, to change them in place.
  [[nodiscard]] std::span<Action> edit() { return own(); }

  void push_back(Action action) { own().push_back(std::move(action)); }
  template <class... Arguments>
  Action& emplace_back(Arguments&&... arguments) {
    return own().emplace_back(std::forward<Arguments>(arguments)...);
  }
  void append(std::span<const Action> actions) {
    own().insert(own().end(), actions.begin(), actions.end());
  }
  void erase(const_iterator at) {
    const auto index = at - begin();
    own().erase(own().begin() + index);
  }
  void resize(std::size_t size, const Action& action) { own().resize(size, action); }
  void clear() noexcept { list_.reset(); }

  bool operator==(const ActionList& other) const {
    return list_ == other.list_ || std::ranges::equal(*this, other);
  }
  /// Says whether another list shares the array.
  [[nodiscard]] bool is_shared() const noexcept { return list_.use_count() > 1; }

 private:
  std::vector<Action>& own() {
    if (list_ == nullptr) {
      list_ = std::make_shared<std::vector<Action>>();
    } else if (is_shared()) {
      list_ = std::make_shared<std::vector<Action>>(*list_);
    }
    return *list_;
  }

  std::shared_ptr<std::vector<Action>> list_;  ///< Null: no actions.
};

}  // namespace hoist
