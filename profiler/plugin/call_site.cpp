#include "profiler/plugin/call_site.h"

#include <dlfcn.h>
#include <string.h>

#include <atomic>
#include <initializer_list>

#include "profiler/plugin/places.h"
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
  Symbols from(RTLD_DEFAULT);
  from.need("PyGILState_GetThisThreadState", p.get_this_thread_state)
      .need("PyGILState_Ensure", p.ensure)
      .need("PyGILState_Release", p.release)
      .need("PyGILState_Check", p.check)
      .need("Py_IsInitialized", p.is_initialized)
      .need("PyEval_GetFrame", p.get_frame)
      .need("PyFrame_GetBack", p.frame_get_back)
      .need("PyFrame_GetCode", p.frame_get_code)
      .need("PyFrame_GetLineNumber", p.frame_get_line)
      .need("PyObject_GetAttrString", p.get_attribute)
      .need("PyDict_GetItemString", p.dict_get)
      .need("PyUnicode_AsUTF8", p.as_utf8)
      .need("Py_DecRef", p.decrement)
      .need("Py_IncRef", p.increment)
      .need("PyErr_Fetch", p.error_fetch)
      .need("PyErr_Restore", p.error_restore);
  for (const char* name : {"Py_IsFinalizing", "_Py_IsFinalizing"})
    if (from.find(name, p.is_finalizing)) break;
  for (const char* name : {"PyThreadState_GetUnchecked", "_PyThreadState_UncheckedGet"})
    if (from.find(name, p.current_thread_state)) break;
  if (!from.find("PyGC_Disable", p.gc_disable) || !from.find("PyGC_Enable", p.gc_enable))
    p.gc_disable = p.gc_enable = nullptr;
  return from.complete() && p.current_thread_state != nullptr;
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

struct Known {
  std::atomic<std::uint64_t> key;
};
Known known[1 << 13];

std::uint32_t intern(const Place& user, const Place& innermost) {
  const std::uint32_t parts[6] = {
      user.file,      user.function,      static_cast<std::uint32_t>(user.line),
      innermost.file, innermost.function, static_cast<std::uint32_t>(innermost.line)};
  const std::uint64_t key = spool::hash_bytes(parts, sizeof parts);
  const auto id_of = [](const Known* place) {
    return static_cast<std::uint32_t>(place - known + 1);
  };
  if (const auto found = find_place(known, key, false); found.place != nullptr)
    return id_of(found.place);
  const Undisturbed undisturbed;  // who takes the place writes the call site
  const auto found = find_place(known, key, true);
  if (found.place == nullptr) return 0;
  if (found.is_new)
    writer().add(spool::CallSite{{},
                                 id_of(found.place),
                                 user.file,
                                 user.function,
                                 user.line,
                                 innermost.file,
                                 innermost.function,
                                 innermost.line,
                                 0},
                 spool::Loss::other);
  return id_of(found.place);
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
  for (auto& place : known) place.key.store(0, std::memory_order_relaxed);
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
