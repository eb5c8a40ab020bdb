// What the open profile can be compared with: recordings that a person is likely to mean.
#pragma once

#include <QList>
#include <functional>
#include <vector>

#include "gui/models/column_model.h"
#include "gui/models/session.h"

namespace rnnadvisor::gui {

enum class PartnerKind { counterpart, same_command, recent, sample };  // in the order of the list
struct Partner {
  PartnerKind kind = PartnerKind::sample;
  QString path;  // a file, or "sample:NAME"
  QString title, about;
  bool operator==(const Partner&) const = default;
};

// Other recordings in the folder of `path` of the program of this command line, with the same
// arguments, the latest first; of more than `most` files the latest are looked at. Reads the heads
// of these files: for a thread of its own. `keep_going` is asked before each.
inline constexpr int most_looked_at = 200;
std::vector<Partner> of_same_command(const QString& path, const std::string& command_line,
                                     const std::function<bool()>& keep_going = {});

// All that is offered beside the open profile (`path`), each once: the sample from before or after
// the same change, `beside` (of_same_command()), recent files that are still there, samples.
std::vector<Partner> partners_of(const QString& path, const std::vector<Partner>& beside,
                                 const QList<SeenFile>& recent);

class PartnersModel : public ColumnModel<Partner> {
  Q_OBJECT
 public:
  explicit PartnersModel(QObject* parent = nullptr);
  void set_partners(std::vector<Partner> partners);
};

}  // namespace rnnadvisor::gui
