// How long ten million kernels take from the file to the screen, and a frame while a user moves
// through them: the real widget, offscreen, driven by the events a person makes.
//
//   timeline_benchmark [--spans N] [--file PATH] [--frames N]     writes JSON to stdout
//
// Targets (issue 4): first picture within 1 s of opening, everything within 5 s on 2 cores, p99 of
// a frame at most 16 ms, at most 100 bytes a span.
#include <sys/resource.h>
#include <unistd.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QTest>
#include <QThread>
#include <QWheelEvent>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <random>

#include "gui/timeline/timeline_widget.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::gui {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::int64_t begin_ns = 1'790'000'000'000'000'000;

struct Shape {
  const char* name;
  int streams;       // tracks of kernels
  bool overlapping;  // streams run at the same time
};

// What a program with layers run step by step leaves behind: calls of 512 kernels, alternately
// matrix products and pointwise kernels of some microseconds with gaps between them, for hours.
Profile generated(std::int64_t spans, const Shape& shape) {
  Profile p;
  DeviceSpec device;
  device.id = "generated";
  device.name = "generated GPU";
  p.devices.push_back(device);
  Configuration configuration;
  configuration.origin = Origin::captured;
  configuration.config.seq_length = 256;
  p.configurations.push_back(configuration);
  Process process;
  process.pid = 1;
  process.host = "here";
  process.start_ns = begin_ns;
  p.processes.push_back(process);
  p.strings = {"void elemWiseRNNcell<__half, __half, float, (cudnnRNNMode_t)2>()",
               "nvjet_sm90_hsh_64x8_64x16_4x1_v_bz_NTN", "step"};
  std::mt19937 random(1);
  auto& k = p.kernels;
  const auto n = static_cast<std::size_t>(spans);
  const auto reserve = [n](auto&... column) { (column.reserve(n), ...); };
  reserve(k.start_ns, k.end_ns, k.name, k.call, k.device, k.stream, k.process, k.correlation,
          k.grid, k.block, k.registers, k.shared_static, k.shared_dynamic, k.family, k.role);
  std::int64_t time = begin_ns;
  for (std::int64_t i = 0; i < spans; ++i) {
    const int call = static_cast<int>(i / 512);
    if (i % 512 == 0) {
      time += 200'000;
      RnnCall made;
      made.configuration = 0;
      made.process = 0;
      made.host_start_ns = time - 100'000;
      made.host_end_ns = time;
      p.calls.push_back(made);
      auto& x = p.nvtx;
      x.start_ns.push_back(time - 110'000);
      x.end_ns.push_back(time + 50'000);
      x.thread.push_back(1);
      x.name.push_back(2);
      x.domain.push_back(-1);
      x.category.push_back(-1);
      x.color.push_back(static_cast<int>(0xff000000U | (random() & 0xffffffU)));
      x.payload.emplace_back();
      x.depth.push_back(0);
      x.process.push_back(0);
    }
    const std::int64_t duration = 1500 + static_cast<std::int64_t>(random() % 4096);
    const bool product = i % 2 == 0;
    k.start_ns.push_back(time);
    k.end_ns.push_back(time + duration);
    time += shape.overlapping ? duration / 3
                              : duration + 300 + static_cast<std::int64_t>(random() % 2048);
    k.name.push_back(product ? 1 : 0);
    k.call.push_back(call);
    k.device.push_back(0);
    k.stream.push_back(static_cast<int>(i % shape.streams));
    k.process.push_back(0);
    k.correlation.push_back(i + 1);
    k.grid.push_back({64, 1, 1});
    k.block.push_back({128, 1, 1});
    k.registers.push_back(32);
    k.shared_static.push_back(0);
    k.shared_dynamic.push_back(0);
    k.family.push_back(model::Implementation::standard);
    k.role.push_back(product ? KernelRole::recurrent_gemm : KernelRole::pointwise);
  }
  return p;
}

template <class... Columns>
std::size_t capacity(const Columns&... column) {
  return ((column.capacity() * sizeof(column[0])) + ...);
}

std::size_t bytes_of_kernels(const KernelTable& k) {
  return capacity(k.start_ns, k.end_ns, k.name, k.call, k.device, k.stream, k.process,
                  k.correlation, k.grid, k.block, k.registers, k.shared_static, k.shared_dynamic,
                  k.family, k.role);
}

double seconds(const QElapsedTimer& timer) {
  return static_cast<double>(timer.nsecsElapsed()) / 1e9;
}

double resident_mib() {
  std::ifstream statm("/proc/self/statm");
  long total = 0, resident = 0;
  statm >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1048576;
}

Json percentiles(std::vector<double> ms) {
  std::sort(ms.begin(), ms.end());
  const auto at = [&](double share) {
    return ms[static_cast<std::size_t>(share * static_cast<double>(ms.size() - 1))];
  };
  return {{"frames", ms.size()}, {"p50_ms", at(0.5)}, {"p99_ms", at(0.99)}, {"max_ms", ms.back()}};
}

void wheel(TimelineWidget& widget, double x, double y, int angle, Qt::KeyboardModifiers modifiers) {
  QWheelEvent event({x, y}, widget.viewport()->mapToGlobal(QPointF(x, y)), {}, {0, angle},
                    Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(widget.viewport(), &event);
}

// A person looks for something: in, along, down the tracks, out, elsewhere. Time from the event to
// the finished picture in the backing store.
Json frames(TimelineWidget& widget, int count) {
  std::mt19937 random(7);
  std::vector<double> zooming, panning, scrolling;
  const auto frame = [&](std::vector<double>& into, auto act) {
    QElapsedTimer timer;
    timer.start();
    act();
    widget.viewport()->repaint();
    into.push_back(seconds(timer) * 1e3);
    QCoreApplication::processEvents();
  };
  const double left = widget.scene().header_width;
  const double width = widget.scene().spans_width();
  while (static_cast<int>(zooming.size() + panning.size() + scrolling.size()) < count) {
    const double x = left + width * static_cast<double>(random() % 1000) / 1000.0;
    for (int i = 0; i < 45; ++i)
      frame(zooming, [&] { wheel(widget, x, 400, 120, Qt::ControlModifier); });
    for (int i = 0; i < 12; ++i)
      frame(panning, [&] { QTest::keyClick(&widget, i % 5 == 4 ? Qt::Key_A : Qt::Key_D); });
    for (int i = 0; i < 30; ++i)
      frame(zooming,
            [&] { wheel(widget, left + width - (x - left), 400, -120, Qt::ControlModifier); });
    for (int i = 0; i < 12; ++i)
      frame(panning, [&] { wheel(widget, x, 400, i % 2 == 0 ? 120 : -240, Qt::ShiftModifier); });
    for (int i = 0; i < 20; ++i)
      frame(scrolling, [&] { wheel(widget, x, 400, i < 14 ? -120 : 240, Qt::NoModifier); });
    for (int i = 0; i < 20; ++i)
      frame(zooming, [&] { wheel(widget, x, 400, -120, Qt::ControlModifier); });
  }
  std::vector<double> all = zooming;
  all.insert(all.end(), panning.begin(), panning.end());
  all.insert(all.end(), scrolling.begin(), scrolling.end());
  return {{"all", percentiles(all)},
          {"zooming", percentiles(zooming)},
          {"panning", percentiles(panning)},
          {"scrolling", percentiles(scrolling)}};
}

Json show(DocumentPointer document, int frame_count) {
  Json out;
  const auto spans = static_cast<double>(document->profile().kernels.size());
  ViewState state;
  state.reset(document->extent());
  TimelineWidget widget;
  widget.resize(1920, 1080);
  widget.show();
  widget.viewport()->repaint();
  QElapsedTimer timer;
  timer.start();
  widget.set_document(document, &state);
  while (!widget.ready()) {
    QCoreApplication::processEvents();
    QThread::usleep(200);
  }
  out["tracks_s"] = seconds(timer);
  widget.show_all();
  widget.viewport()->repaint();
  out["picture_s"] = seconds(timer);
  out["tracks"] = widget.scene().timeline->tracks.size();
  const auto of_profile = static_cast<double>(bytes_of_kernels(document->profile().kernels));
  const auto of_timeline = static_cast<double>(widget.scene().timeline->bytes());
  out["bytes_a_span"] = {{"profile", of_profile / spans},
                         {"timeline", of_timeline / spans},
                         {"together", (of_profile + of_timeline) / spans}};
  out["frame"] = frames(widget, frame_count);
  QElapsedTimer search_timer;
  search_timer.start();
  widget.search_for(QStringLiteral("elemwise"), false);
  while (widget.searching()) {
    QCoreApplication::processEvents();
    QThread::usleep(200);
  }
  out["search_s"] = seconds(search_timer);
  return out;
}

// Since `opening` began, until the picture is there.
double first_picture(DocumentPointer document, const QElapsedTimer& opening) {
  ViewState state;
  state.reset(document->extent());
  TimelineWidget widget;
  widget.resize(1920, 1080);
  widget.show();
  widget.set_document(std::move(document), &state);
  while (!widget.ready()) {
    QCoreApplication::processEvents();
    QThread::usleep(200);
  }
  widget.viewport()->repaint();
  return seconds(opening);
}

Json machine() {
  Json out;
  std::ifstream cpu("/proc/cpuinfo");
  for (std::string line; std::getline(cpu, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    out["cpu"] = line.substr(line.find(':') + 2);
    break;
  }
  out["cores"] = QThread::idealThreadCount();
  out["memory_gib"] = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                      static_cast<double>(sysconf(_SC_PAGESIZE)) / 1073741824.0;
  out["system"] = QSysInfo::prettyProductName().toStdString();
  out["kernel"] = QSysInfo::kernelVersion().toStdString();
  out["qt"] = qVersion();
  out["platform"] = QGuiApplication::platformName().toStdString();
  out["window"] = "1920 x 1080, one device pixel per pixel";
#ifdef NDEBUG
  out["build"] = "release";
#else
  out["build"] = "with assertions";
#endif
  double load = 0;
  std::ifstream("/proc/loadavg") >> load;
  out["load_average_before"] = load;
  return out;
}

std::string argument(int argc, char** argv, std::string_view name, std::string otherwise) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (argv[i] == name) return argv[i + 1];
  }
  return otherwise;
}

int run(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  const std::int64_t spans = std::stoll(argument(argc, argv, "--spans", "10000000"));
  const int frame_count = std::stoi(argument(argc, argv, "--frames", "2000"));
  const std::string path =
      argument(argc, argv, "--file",
               (std::filesystem::temp_directory_path() / "timeline_benchmark.rnnprof").string());
  Json out = {{"benchmark", "timeline"}, {"kernels", spans}, {"machine", machine()}};
  const auto rules = load_rules();
  if (!rules) return 1;
  {
    const Profile profile = generated(spans, {"one stream", 1, false});
    if (const auto written = write_profile(profile, path, true); !written) {
      qWarning("%s", written.error().message.c_str());
      return 1;
    }
    out["file_mib"] = static_cast<double>(std::filesystem::file_size(path)) / 1048576;
  }
  {
    Json open;
    QElapsedTimer timer;
    timer.start();
    // As the window does it: a worker reads, the calls are shown as soon as they are known.
    std::promise<DocumentPointer> outlined;
    auto outline = outlined.get_future();
    auto reading = std::async(std::launch::async, [&] {
      ProfileReadOptions options;
      options.outline = [&](const Profile& calls) {
        outlined.set_value(
            std::make_shared<const Document>(calls, *rules, QStringLiteral("outline")));
      };
      return read_profile(path, options);
    });
    open["first_picture_s"] = first_picture(outline.get(), timer);
    auto profile = reading.get();
    if (!profile) {
      qWarning("%s", profile.error().message.c_str());
      return 1;
    }
    open["read_s"] = seconds(timer);
    QElapsedTimer judging;
    judging.start();
    const auto document =
        std::make_shared<const Document>(std::move(*profile), *rules, QString::fromStdString(path));
    open["judge_s"] = seconds(judging);
    open["complete_s"] = first_picture(document, timer);
    open["one_track"] = show(document, frame_count);
    open["resident_mib"] = resident_mib();
    out["from_the_file"] = std::move(open);
  }
  if (argument(argc, argv, "--file", "").empty()) std::filesystem::remove(path);
  for (const Shape& shape :
       {Shape{"eight_streams_at_once", 8, true}, Shape{"ten_thousand_tracks", 10'000, false}}) {
    const auto document = std::make_shared<const Document>(generated(spans, shape), *rules,
                                                           QStringLiteral("generated"));
    out[shape.name] = show(document, frame_count);
  }
  puts(out.dump(2).c_str());
  return 0;
}

}  // namespace
}  // namespace rnnadvisor::gui

int main(int argc, char** argv) { return rnnadvisor::gui::run(argc, argv); }
