#include "profiler/plugin/call_site.h"

#include <dlfcn.h>
#include <string.h>

#include <atomic>
#include <initializer_list>

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
  int (*check)();
  void* (*current_thread_state)();  // under one of two names
  int (*gc_disable)();              // may be null: since 3.10
  int (*gc_enable)();
  void* (*get_frame)();
  void* (*frame_get_back)(void*);
  void* (*frame_get_code)(void*);
  int (*frame_get_line)(void*);
  void* (*get_attribute)(void*, const char*);
  void* (*dict_get)(void*, const char*);
  const char* (*as_utf8)(void*);
  void (*decrement)(void*);
  void (*increment)(void*);
  void (*error_fetch)(void**, void**, void**);
  void (*error_restore)(void*, void*, void*);
};

bool load(Python& p) {
  const auto take = [&](auto& into, const char* name) {
    into =
        reinterpret_cast<std::remove_reference_t<decltype(into)>>(real_symbol(RTLD_DEFAULT, name));
    return into != nullptr;
  };
  if (!take(p.get_this_thread_state, "PyGILState_GetThisThreadState") ||
      !take(p.ensure, "PyGILState_Ensure") || !take(p.release, "PyGILState_Release") ||
      !take(p.check, "PyGILState_Check") || !take(p.is_initialized, "Py_IsInitialized") ||
      !take(p.get_frame, "PyEval_GetFrame") || !take(p.frame_get_back, "PyFrame_GetBack") ||
      !take(p.frame_get_code, "PyFrame_GetCode") ||
      !take(p.frame_get_line, "PyFrame_GetLineNumber") ||
      !take(p.get_attribute, "PyObject_GetAttrString") ||
      !take(p.dict_get, "PyDict_GetItemString") || !take(p.as_utf8, "PyUnicode_AsUTF8") ||
      !take(p.decrement, "Py_DecRef") || !take(p.increment, "Py_IncRef") ||
      !take(p.error_fetch, "PyErr_Fetch") || !take(p.error_restore, "PyErr_Restore"))
    return false;
  if (!take(p.is_finalizing, "Py_IsFinalizing")) take(p.is_finalizing, "_Py_IsFinalizing");
  if (!take(p.current_thread_state, "PyThreadState_GetUnchecked") &&
      !take(p.current_thread_state, "_PyThreadState_UncheckedGet"))
    return false;
  if (!take(p.gc_disable, "PyGC_Disable") || !take(p.gc_enable, "PyGC_Enable"))
    p.gc_disable = p.gc_enable = nullptr;
  return true;
}

const Python* python() {
  static std::atomic<const Python*> found{nullptr};
  if (const Python* p = found.load(std::memory_order_acquire); p != nullptr) return p;
  static std::atomic<bool> absent{false};
  if (absent.load(std::memory_order_relaxed)) return nullptr;
  // As with the driver's functions: no lock, the first of several tables counts.
  static Python tables[8];
  static std::atomic<int> next{0};
  const int mine = next.fetch_add(1, std::memory_order_relaxed);
  if (mine >= 8) return nullptr;
  if (!load(tables[mine])) {
    absent.store(true);
    return nullptr;
  }
  const Python* none = nullptr;
  return found.compare_exchange_strong(none, &tables[mine]) ? &tables[mine] : none;
}

struct Place {
  std::uint32_t file = 0, function = 0;
  int line = 0;
  bool framework = false, keras = false;
};

// By the module's name: folders are called "torch" in programs, too.
bool is_of(const char* module, std::initializer_list<const char*> packages) {
  for (const char* package : packages) {
    const std::size_t length = strlen(package);
    if (strncmp(module, package, length) == 0 && (module[length] == 0 || module[length] == '.'))
      return true;
  }
  return false;
}
bool is_framework(const char* module) {
  return is_of(module,
               {"torch", "jax", "jaxlib", "tensorflow", "keras", "tf_keras", "flax", "lightning",
                "pytorch_lightning", "accelerate", "importlib", "contextlib", "rnnadvisor_torch"});
}

// Keras, wherever it is installed, stands above TensorFlow, JAX or PyTorch: it is whose layer it
// is.
bool is_keras(const char* module) {
  return is_of(
      module, {"keras.src", "keras.layers", "keras.engine", "tf_keras", "tensorflow.python.keras"});
}

Place place_of(const Python& p, void* frame) {
  Place place;
  place.line = p.frame_get_line(frame);
  void* code = p.frame_get_code(frame);
  if (code == nullptr) return place;
  const auto text = [&](const char* name) -> std::uint32_t {
    void* object = p.get_attribute(code, name);
    if (object == nullptr) return 0;
    const char* utf8 = p.as_utf8(object);
    const std::uint32_t id = utf8 == nullptr ? 0 : writer().intern(utf8);
    p.decrement(object);
    return id;
  };
  place.file = text("co_filename");
  place.function = text("co_name");
  p.decrement(code);
  void* globals = p.get_attribute(frame, "f_globals");
  if (globals == nullptr) return place;
  void* name = p.dict_get(globals, "__name__");  // borrowed
  if (const char* module = name == nullptr ? nullptr : p.as_utf8(name); module != nullptr) {
    place.framework = is_framework(module);
    place.keras = is_keras(module);
  }
  p.decrement(globals);
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
    if (first || (place.keras && !innermost.keras)) innermost = place;
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
    if (there == hash) return static_cast<std::uint32_t>(slot + 1);
    if (there != 0) continue;
    const Undisturbed undisturbed;  // who takes the slot writes the call site
    if (known[slot].compare_exchange_strong(there, hash)) {
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

// With the interpreter's lock held.
std::uint32_t site(const Python& p) {
  void *type = nullptr, *value = nullptr, *trace = nullptr;
  p.error_fetch(&type, &value, &trace);  // what the program was about to raise stays its own
  // Until 3.11 the collector runs where objects are made, and with it whatever the program does
  // when its own are destroyed: not in the middle of a call.
  const bool collects = p.gc_disable != nullptr && p.gc_disable() != 0;
  Place user, innermost;
  const bool found = walk(p, user, innermost);
  if (collects) p.gc_enable();
  p.error_restore(type, value, trace);
  return found && user.file != 0 ? intern(user, innermost) : 0;
}

}  // namespace

void call_sites_forget() {
  for (auto& slot : known) slot.store(0, std::memory_order_relaxed);
}

std::uint32_t call_site(std::uint32_t configuration) {
  if (!settings().call_sites) return 0;
  const Python* p = python();
  if (p == nullptr || p->is_initialized() == 0) return 0;
  if (p->is_finalizing != nullptr && p->is_finalizing() != 0) return 0;
  // Threads that never ran Python (autograd's, an executor's) have no state, and no frame to find.
  const void* mine = p->get_this_thread_state();
  if (mine == nullptr) return 0;
  const unsigned count = asked[configuration % 1024].fetch_add(1, std::memory_order_relaxed);
  if (count >= always && count % then_every != 0) return 0;
  if (p->check() != 0) {
    // The lock is this thread's already; or sub-interpreters are in use, which this interface knows
    // nothing of: asking for the lock could wait for ourselves.
    return p->current_thread_state() == mine ? site(*p) : 0;
  }
  const int state = p->ensure();
  const std::uint32_t id = site(*p);
  p->release(state);
  return id;
}

}  // namespace rnnadvisor::plugin
