#include "profiler/plugin/call_site.h"

#include <dlfcn.h>
#include <string.h>

#include <atomic>

#include "profiler/plugin/plugin.h"
#include "profiler/plugin/symbols.h"

namespace rnnadvisor::plugin {
namespace {

// Functions of the stable C interface, found in the program; nothing of Python is linked or
// imported.
struct Python {
  void* (*get_this_thread_state)();
  int (*ensure)();
  void (*release)(int);
  int (*is_initialized)();
  int (*is_finalizing)();  // may be null: a private name until 3.13
  void* (*get_frame)();
  void* (*frame_get_back)(void*);
  void* (*frame_get_code)(void*);
  int (*frame_get_line)(void*);
  void* (*get_attribute)(void*, const char*);
  const char* (*as_utf8)(void*);
  void (*decrement)(void*);
  void (*increment)(void*);
  void (*error_fetch)(void**, void**, void**);
  void (*error_restore)(void*, void*, void*);
};

const Python* python() {
  static std::atomic<int> state{0};
  static Python table;
  const int now = state.load(std::memory_order_acquire);
  if (now == 1) return &table;
  if (now == 2) return nullptr;
  Python p{};
  bool ok = true;
  const auto take = [&](auto& into, const char* name) {
    into =
        reinterpret_cast<std::remove_reference_t<decltype(into)>>(real_symbol(RTLD_DEFAULT, name));
    return into != nullptr;
  };
  ok = take(p.get_this_thread_state, "PyGILState_GetThisThreadState") &&
       take(p.ensure, "PyGILState_Ensure") && take(p.release, "PyGILState_Release") &&
       take(p.is_initialized, "Py_IsInitialized") && take(p.get_frame, "PyEval_GetFrame") &&
       take(p.frame_get_back, "PyFrame_GetBack") && take(p.frame_get_code, "PyFrame_GetCode") &&
       take(p.frame_get_line, "PyFrame_GetLineNumber") &&
       take(p.get_attribute, "PyObject_GetAttrString") && take(p.as_utf8, "PyUnicode_AsUTF8") &&
       take(p.decrement, "Py_DecRef") && take(p.increment, "Py_IncRef") &&
       take(p.error_fetch, "PyErr_Fetch") && take(p.error_restore, "PyErr_Restore");
  if (ok && !take(p.is_finalizing, "Py_IsFinalizing")) take(p.is_finalizing, "_Py_IsFinalizing");
  table = p;
  state.store(ok ? 1 : 2, std::memory_order_release);
  return ok ? &table : nullptr;
}

struct Place {
  std::uint32_t file = 0, function = 0;
  int line = 0;
  bool framework = false;
};

bool is_framework(const char* file) {
  for (const char* part :
       {"/torch/", "/jax/", "/jaxlib/", "/tensorflow/", "/keras/", "/tf_keras/", "/flax/",
        "<frozen", "/contextlib.py", "/lightning/", "/pytorch_lightning/", "/accelerate/"})
    if (strstr(file, part) != nullptr) return true;
  return false;
}

Place place_of(const Python& p, void* frame) {
  Place place;
  place.line = p.frame_get_line(frame);
  void* code = p.frame_get_code(frame);
  if (code == nullptr) return place;
  const auto text = [&](const char* name, bool is_file) -> std::uint32_t {
    void* object = p.get_attribute(code, name);
    if (object == nullptr) return 0;
    const char* utf8 = p.as_utf8(object);
    std::uint32_t id = 0;
    if (utf8 != nullptr) {
      id = writer().intern(utf8);
      if (is_file) place.framework = is_framework(utf8);
    }
    p.decrement(object);
    return id;
  };
  place.file = text("co_filename", true);
  place.function = text("co_name", false);
  p.decrement(code);
  return place;
}

// With the interpreter's lock held.
bool walk(const Python& p, Place& user, Place& innermost) {
  void* frame = p.get_frame();  // borrowed
  if (frame == nullptr) return false;
  p.increment(frame);
  bool first = true, found = false;
  for (int depth = 0; frame != nullptr && depth < 64; ++depth) {
    const Place place = place_of(p, frame);
    if (first) innermost = place;
    first = false;
    if (!place.framework) {
      user = place;
      found = true;
      break;
    }
    void* back = p.frame_get_back(frame);
    p.decrement(frame);
    frame = back;
  }
  if (frame != nullptr) p.decrement(frame);
  if (!found) user = innermost;
  return true;
}

constexpr std::size_t slots = 1 << 13;
std::atomic<std::uint64_t> known[slots];

std::uint32_t intern(const Place& user, const Place& innermost) {
  const std::uint32_t key[6] = {
      user.file,      user.function,      static_cast<std::uint32_t>(user.line),
      innermost.file, innermost.function, static_cast<std::uint32_t>(innermost.line)};
  const std::uint64_t hash = spool::hash_bytes(key, sizeof key);
  std::size_t slot = hash & (slots - 1);
  for (std::size_t probes = 0; probes < slots; ++probes, slot = (slot + 1) & (slots - 1)) {
    std::uint64_t there = known[slot].load();
    if (there == 0 && known[slot].compare_exchange_strong(there, hash)) {
      writer().add(spool::CallSite{{},
                                   static_cast<std::uint32_t>(slot + 1),
                                   user.file,
                                   user.function,
                                   user.line,
                                   innermost.file,
                                   innermost.function,
                                   innermost.line,
                                   0},
                   spool::Loss::other);
      return static_cast<std::uint32_t>(slot + 1);
    }
    if (there == hash) return static_cast<std::uint32_t>(slot + 1);
  }
  return 0;
}

constexpr unsigned always = 256, then_every = 64;
std::atomic<unsigned> asked[1024];

}  // namespace

std::uint32_t call_site(std::uint32_t configuration) {
  if (!settings().call_sites) return 0;
  const Python* p = python();
  // Threads that never ran Python (autograd's, an executor's) have no state, and no frame to find.
  if (p == nullptr || p->is_initialized() == 0 || p->get_this_thread_state() == nullptr) return 0;
  if (p->is_finalizing != nullptr && p->is_finalizing() != 0) return 0;
  const unsigned count = asked[configuration % 1024].fetch_add(1, std::memory_order_relaxed);
  if (count >= always && count % then_every != 0) return 0;
  const int state = p->ensure();
  void *type = nullptr, *value = nullptr, *trace = nullptr;
  p->error_fetch(&type, &value, &trace);  // what the program was about to raise stays its own
  Place user, innermost;
  const bool found = walk(*p, user, innermost);
  p->error_restore(type, value, trace);
  const std::uint32_t id = found && user.file != 0 ? intern(user, innermost) : 0;
  p->release(state);
  return id;
}

}  // namespace rnnadvisor::plugin
