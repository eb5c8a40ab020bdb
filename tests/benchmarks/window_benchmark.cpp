// How the whole window bears ten million kernels: from the file to a verdict on the screen, how
// long it does not answer meanwhile, and how soon it stops when it is closed.
//
//   window_benchmark FILE.rnnprof     writes JSON to stdout; timeline_benchmark --file makes such a
//   file
//   window_benchmark --explorer       how soon a changed parameter is on the screen with all that
//   follows from it; needs no file
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QSettings>
#include <QSpinBox>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/model/time_for_device.h"
#include "gui/timeline/timeline_widget.h"
#include "gui/views/compare_view.h"
#include "gui/views/explorer_view.h"
#include "gui/views/flat_style.h"
#include "gui/views/main_window.h"
#include "gui/views/summary_panel.h"
#include "gui/views/trace_view.h"

namespace rnnadvisor::gui {
namespace {

using Json = nlohmann::ordered_json;

// The longest time in which no event was looked at: a person sees a window that does not answer.
class Stalls : public QObject {
 public:
  Stalls() {
    clock_.start();
    timer_.start(2);
    connect(&timer_, &QTimer::timeout, this, [this] {
      const double ms = static_cast<double>(clock_.nsecsElapsed()) / 1e6;
      longest_ = std::max(longest_, ms - last_);
      over_100_ += ms - last_ > 100 ? 1 : 0;
      last_ = ms;
    });
  }
  Json take() {
    const Json told = {{"longest_ms", longest_}, {"longer_than_100_ms", over_100_}};
    longest_ = 0;
    over_100_ = 0;
    last_ = static_cast<double>(clock_.nsecsElapsed()) / 1e6;
    return told;
  }

 private:
  QTimer timer_;
  QElapsedTimer clock_;
  double last_ = 0, longest_ = 0;
  int over_100_ = 0;
};

double seconds(const QElapsedTimer& timer) {
  return static_cast<double>(timer.nsecsElapsed()) / 1e9;
}

double status_mib(const char* key) {
  std::ifstream file("/proc/self/status");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with(key)) return std::stod(line.substr(line.find(':') + 1)) / 1024;
  }
  return 0;
}

// What is held now, and the most since the last call.
Json take_memory() {
  const Json told = {{"resident_mib", status_mib("VmRSS")}, {"peak_mib", status_mib("VmHWM")}};
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak begins anew
  return told;
}

double load() {
  double value = 0;
  std::ifstream("/proc/loadavg") >> value;
  return value;
}

// What this thread has had of a processor: what others compile meanwhile takes none of it.
double thread_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

// A parameter of the explorer moved step by step, as a slider does: what each step takes until it
// is painted, with everything that is shown of it and the product's predicted times.
Json explorer_changes(MainWindow& window) {
  auto* explorer = window.findChild<ExplorerView*>();
  auto* tabs = explorer->findChild<QTabWidget*>();
  window.go(QStringLiteral("explorer"));
  Json out;
  const auto measure = [&](const char* name, int tab, bool held) {
    tabs->setCurrentIndex(tab);
    explorer->release();
    if (held) explorer->hold();
    QTest::qWait(300);
    std::vector<double> ms, own;
    double first = 0;
    constexpr int steps = 400, begin = 600;
    for (int i = 0; i < steps; ++i) {
      QElapsedTimer step;
      step.start();
      const double before = thread_ms();
      explorer->set_parameter(QStringLiteral("hidden_size"), QString::number(begin + i));
      QCoreApplication::processEvents();  // layouts, then what they have moved is painted
      QCoreApplication::processEvents();
      const double took = seconds(step) * 1e3;
      own.push_back(thread_ms() - before);
      if (i == 0) first = took;
      ms.push_back(took);
    }
    const auto at = [](std::vector<double>& of, double share) {
      std::sort(of.begin(), of.end());
      return of[static_cast<std::size_t>(share * static_cast<double>(of.size() - 1))];
    };
    out[name] = {{"changes", steps},
                 {"first_ms", first},
                 {"median_ms", at(ms, 0.5)},
                 {"p99_ms", at(ms, 0.99)},
                 {"longest_ms", at(ms, 1)},
                 {"processor_median_ms", at(own, 0.5)},
                 {"processor_p99_ms", at(own, 0.99)}};
  };
  for (int tab = 0; tab < tabs->count(); ++tab)
    measure(tabs->tabText(tab).toUtf8().constData(), tab, false);
  measure("Verdict, beside one that is held", 0, true);
  return out;
}

// A person moves through the timeline, with the summary of what is visible behind a tab, then in
// front of it: from the key to the finished picture.
Json moving(MainWindow& window, Stalls& stalls) {
  auto* trace = window.findChild<TraceView*>();
  auto* timeline = trace->timeline();
  window.go(QStringLiteral("timeline"));
  const auto show = [&](const char* name) {
    for (auto* dock : trace->docks())
      if (dock->objectName() == QLatin1String(name)) dock->raise();
    timeline->show_all();
    QTest::qWait(500);
  };
  Json out;
  for (const char* name : {"recurrence", "summary"}) {
    show(name);
    stalls.take();
    take_memory();
    std::vector<double> ms;
    const auto frame = [&](auto act) {
      QElapsedTimer timer;
      timer.start();
      act();
      timeline->viewport()->repaint();
      ms.push_back(seconds(timer) * 1e3);
      QTest::qWait(4);
    };
    for (int round = 0; round < 12; ++round) {
      for (int i = 0; i < 25; ++i) frame([&] { timeline->zoom(0.8); });
      for (int i = 0; i < 10; ++i) frame([&] { timeline->pan(i % 3 == 2 ? -300 : 200); });
      for (int i = 0; i < 25; ++i) frame([&] { timeline->zoom(1.25); });
    }
    std::sort(ms.begin(), ms.end());
    const auto at = [&](double share) {
      return ms[static_cast<std::size_t>(share * static_cast<double>(ms.size() - 1))];
    };
    out[name] = {{"frames", ms.size()}, {"p50_ms", at(0.5)},      {"p99_ms", at(0.99)},
                 {"max_ms", ms.back()}, {"stall", stalls.take()}, {"memory", take_memory()}};
  }
  timeline->show_all();
  QTest::qWait(50);
  auto* summary = trace->summary();
  while (summary->busy()) QTest::qWait(1);
  for (int by = 0; by < summary->chooser()->count(); ++by) {
    summary->chooser()->setCurrentIndex((by + 1) % summary->chooser()->count());
    QElapsedTimer counting;
    counting.start();
    while (summary->busy()) QTest::qWait(1);
    out["everything_counted_s"][summary->chooser()->currentText().toStdString()] =
        seconds(counting);
  }
  out["everything_counted_stall"] = stalls.take();
  out["everything_counted_memory"] = take_memory();
  show("recurrence");
  return out;
}

int run(int argc, char** argv) {
  if (argc != 2) {
    qWarning("window_benchmark FILE.rnnprof | --explorer");
    return 2;
  }
  qputenv("QT_QPA_PLATFORM", "offscreen");
  const QTemporaryDir settings;
  QSettings::setDefaultFormat(QSettings::IniFormat);
  QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
  QApplication application(argc, argv);
  QApplication::setStyle(new FlatStyle);
  const QString path = QString::fromLocal8Bit(argv[1]);
  Json out = {{"benchmark", "window"}, {"load_average_before", load()}};
  out["cores"] = QThread::idealThreadCount();
#ifdef NDEBUG
  out["build"] = "release";
#else
  out["build"] = "with assertions";
#endif
  MainWindow window;
  window.resize(1920, 1080);
  window.show();
  window.set_predict_for(model::predict_time_for);
  if (path == QLatin1String("--explorer")) {
    out["explorer_changes"] = explorer_changes(window);
    out["load_average_after"] = load();
    std::printf("%s\n", out.dump(2).c_str());
    return 0;
  }
  Stalls stalls;
  QTest::qWait(200);
  stalls.take();
  {
    // Given up while the records are read, and while they are judged.
    QElapsedTimer timer;
    timer.start();
    window.open(path);
    while (window.document() == nullptr) QTest::qWait(2);
    out["outline_s"] = seconds(timer);
    QTest::qWait(500);
    timer.start();
    window.cancel_opening();
    out["cancel_s"] = seconds(timer);
    QTest::qWait(200);
    out["cancelled"] = !window.loading();
  }
  stalls.take();
  QElapsedTimer timer;
  timer.start();
  bool complete = false;
  QObject::connect(&window, &MainWindow::opened, [&] { complete = true; });
  window.open(path);
  while (!complete) QTest::qWait(5);
  out["complete_s"] = seconds(timer);
  QTest::qWait(100);
  out["opening"] = stalls.take();
  out["opening"]["memory"] = take_memory();
  out["kernels"] = window.document()->profile().kernels.size();
  out["findings"] = window.document()->judgement().findings.size();
  for (const auto& view : MainWindow::view_names()) {
    QElapsedTimer going;
    going.start();
    window.go(view);
    window.grab();
    const double first = seconds(going);
    // The timeline lays its tracks out on a thread.
    QTest::qWait(view == QLatin1String("timeline") ? 3000 : 50);
    out["views"][view.toStdString()] = {{"first_s", first}, {"stall", stalls.take()}};
  }
  out["views_memory"] = take_memory();
  out["moving"] = moving(window, stalls);
  stalls.take();
  {
    // Every kernel is looked at; the answer is on the screen once the count is.
    auto* timeline = window.findChild<TraceView*>()->timeline();
    window.go(QStringLiteral("timeline"));
    QElapsedTimer searching;
    searching.start();
    timeline->search_for(QStringLiteral("gemm|elem"), true);
    while (timeline->searching()) QTest::qWait(1);
    out["search"] = {{"s", seconds(searching)},
                     {"hits", timeline->hits_text().toStdString()},
                     {"stall", stalls.take()}};
    timeline->search_for({}, false);
    // The whole recording is measured: counts at once, names when they are summed up.
    window.state()->measure(timeline->scene().timeline->range);
    QTest::qWait(1500);
    out["measure_everything"] = {{"stall", stalls.take()}};
    window.state()->measure(std::nullopt);
  }
  {
    // Another profile of that size takes the place of one: what was open is freed.
    complete = false;
    QElapsedTimer again;
    again.start();
    window.open(path);
    while (!complete) QTest::qWait(5);
    out["opening_another"] = {{"complete_s", seconds(again)}};
    QTest::qWait(2000);  // the tracks are laid out
    out["opening_another"]["stall"] = stalls.take();
    out["opening_another"]["memory"] = take_memory();
  }
  {
    const QString file = settings.filePath(QStringLiteral("trace.json"));
    QElapsedTimer exporting;
    exporting.start();
    window.exporter()->start(window.document(), ExportFormat::perfetto, file);
    while (window.exporter()->busy()) QTest::qWait(5);
    out["export_perfetto"] = {{"s", seconds(exporting)},
                              {"mib", static_cast<double>(QFileInfo(file).size()) / 1048576},
                              {"stall", stalls.take()},
                              {"memory", take_memory()}};
  }
  {
    auto* compare = window.findChild<CompareView*>();
    QElapsedTimer comparing;
    comparing.start();
    window.go(QStringLiteral("compare"));
    compare->compare_with(path);
    while (compare->comparing()) QTest::qWait(5);
    const double compared = seconds(comparing);
    auto* timelines = compare->timelines();
    while (timelines->has_pairs() && !timelines->ready()) QTest::qWait(5);
    out["compare_with_itself"] = {{"s", compared},
                                  {"timelines_s", seconds(comparing)},
                                  {"stall", stalls.take()},
                                  {"memory", take_memory()}};
    if (timelines->ready()) {
      for (int round = 0; round < 5; ++round) {
        for (int i = 0; i < 20; ++i) {
          timelines->before()->zoom(i < 10 ? 2 : 0.5);
          QTest::qWait(4);
        }
        timelines->chooser()->stepUp();
        QTest::qWait(20);
      }
      timelines->before()->show_all();
      QTest::qWait(500);
      out["compare_with_itself"]["moving_stall"] = stalls.take();
    }
  }
  out["load_average_after"] = load();
  puts(out.dump(2).c_str());
  return 0;
}

}  // namespace
}  // namespace rnnadvisor::gui

int main(int argc, char** argv) { return rnnadvisor::gui::run(argc, argv); }
