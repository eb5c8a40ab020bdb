// Documents for tests of the window.
#pragma once

#include "gui/models/document.h"

namespace rnnadvisor::gui {

inline std::shared_ptr<const advisor::RuleSet> test_rules() {
  static const auto rules = load_rules().value();
  return rules;
}

inline DocumentPointer sample(const char* name) {
  return open_document(QStringLiteral("sample:") + QString::fromUtf8(name), test_rules()).value();
}

}  // namespace rnnadvisor::gui
