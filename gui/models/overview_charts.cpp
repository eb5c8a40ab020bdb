#include "gui/models/overview_charts.h"

#include <QRegularExpression>
#include <algorithm>

#include "advisor/report/words.h"
#include "gui/texts.h"
#include "profiler/kernels/classify.h"

namespace rnnadvisor::gui {
namespace {

double time_of(const advisor::ConfigurationReport& report) {
  double ms = 0;
  for (const auto& row : report.phases) {
    if (row.timing != nullptr) {
      ms += row.timing->ms.median;
    } else if (row.kernel_ms > 0) {
      ms += row.kernel_ms;
    }
  }
  return ms;
}

}  // namespace

std::vector<int> longest_configurations(const Document& document, std::size_t most) {
  std::vector<std::pair<double, int>> order;
  for (const auto& report : document.report().configurations) {
    if (report.tried) continue;  // no configuration of the program's
    if (const double ms = time_of(report); ms > 0) order.emplace_back(-ms, report.index);
  }
  std::sort(order.begin(), order.end());
  std::vector<int> chosen;
  for (const auto& [ms, index] : order) {
    if (chosen.size() == most) break;
    chosen.push_back(index);
  }
  return chosen;
}

QString kernel_functor(std::string_view name) {
  // Between the brackets that follow the kernel's own name: functors, and functions whose lambda it
  // is.
  const auto begin = name.find('<');
  if (begin == std::string_view::npos) return {};
  std::size_t end = begin;
  for (int depth = 0; end < name.size(); ++end) {
    depth += name[end] == '<' ? 1 : name[end] == '>' ? -1 : 0;
    if (depth == 0) break;
  }
  static const QRegularExpression word(
      QStringLiteral("\\b(?:CUDAFunctor_(\\w+)|(\\w+?)(?:Functor|_functor)|"
                     "(\\w+?)_kernel(?:_cuda|_impl))\\b"));
  QStringList words;
  auto found = word.globalMatch(to_qt(name.substr(begin, end - begin)));
  while (found.hasNext()) {
    const auto match = found.next();
    for (int group = 1; group <= 3; ++group) {
      const QString text = match.captured(group);
      if (!text.isEmpty() && !words.contains(text)) words << text;
    }
  }
  return words.join(QLatin1Char(' '));
}

// Kernels of one template are told apart by what they were made for, then by numbers.
static void tell_apart(const Profile& profile, std::vector<KernelTime>& kernels) {
  std::map<QString, int> with_name;
  for (const auto& kernel : kernels) ++with_name[kernel.name];
  std::map<QString, int> seen;
  for (auto& kernel : kernels) {
    if (with_name[kernel.name] > 1) {
      const auto row = static_cast<std::size_t>(kernel.first);
      const QString functor = kernel_functor(profile.text(profile.kernels.name[row]));
      const QString own = kernel.name.mid(kernel.name.lastIndexOf(QStringLiteral("::")) + 1)
                              .remove(QLatin1Char(':'));
      // First, for it is the end and the middle that are cut.
      if (!functor.isEmpty()) kernel.name = functor + QStringLiteral(" · ") + own;
    }
    if (const int before = seen[kernel.name]++; before > 0)
      kernel.name += QStringLiteral(" (%1)").arg(before + 1);
  }
}

std::vector<KernelTime> longest_kernels(const Document& document, std::size_t most) {
  const auto& kernels = document.profile().kernels;
  std::map<int, KernelTime> by_name;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    auto& sum = by_name[kernels.name[i]];
    if (sum.count++ == 0) {
      sum.first = static_cast<int>(i);
      sum.role = kernels.role[i];
    }
    sum.ms += static_cast<double>(kernels.end_ns[i] - kernels.start_ns[i]) / 1e6;
  }
  std::vector<KernelTime> sums;
  for (auto& [name, sum] : by_name) {
    sum.name = to_qt(advisor::words::clean(short_kernel_name(document.profile().text(name))));
    sums.push_back(std::move(sum));
  }
  std::stable_sort(sums.begin(), sums.end(),
                   [](const auto& a, const auto& b) { return a.ms > b.ms; });
  if (sums.size() > most) sums.resize(most);
  tell_apart(document.profile(), sums);
  return sums;
}

QString role_word(KernelRole role) {
  switch (role) {
    case KernelRole::recurrent_gemm:
      return Texts::tr("recurrent products");
    case KernelRole::layer_gemm:
      return Texts::tr("layer products");
    case KernelRole::weight_gemm:
      return Texts::tr("weight gradient products");
    case KernelRole::gemm:
      return Texts::tr("other products");
    case KernelRole::pointwise:
      return Texts::tr("pointwise");
    case KernelRole::persistent:
      return Texts::tr("persistent kernel");
    case KernelRole::reduction:
      return Texts::tr("reduction");
    case KernelRole::layout_change:
      return Texts::tr("layout change");
    case KernelRole::conversion:
      return Texts::tr("conversion");
    case KernelRole::initialisation:
      return Texts::tr("initialisation");
    case KernelRole::copy:
      return Texts::tr("copy");
    case KernelRole::other:
      return Texts::tr("other");
    case KernelRole::algorithm_search:
      return Texts::tr("algorithm search");
    case KernelRole::unknown:
      break;
  }
  return Texts::tr("unknown");
}

}  // namespace rnnadvisor::gui
