// Texts::tr("…") is to free functions and plain values what tr() is to a QObject: a text of the
// window, with its plural (gui/plurals.h).
#pragma once

#include <QCoreApplication>
#include <QString>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace rnnadvisor::gui {

// Texts of the libraries are UTF-8.
inline QString to_qt(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

inline std::string from_qt(const QString& text) { return text.toStdString(); }

class Texts {
  Q_DECLARE_TR_FUNCTIONS(rnnadvisor::gui::Texts)
};

// For the third argument of tr(), the number that decides about a plural.
template <typename Number>
int many(Number count) {
  return static_cast<int>(
      std::min<std::int64_t>(static_cast<std::int64_t>(count), std::numeric_limits<int>::max()));
}

}  // namespace rnnadvisor::gui
