// An audit hook in C: Python raises the event "sys.excepthook" with (hook, type, value, traceback)
// before it calls the hook, whatever program has put there
// (https://docs.python.org/3/library/sys.html#sys.excepthook). It can be added before the
// interpreter is initialised (https://docs.python.org/3/c-api/sys.html#c.PySys_AddAuditHook).
#include "profiler/plugin/python_exception.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <atomic>

#include "profiler/plugin/device_memory.h"
#include "profiler/plugin/plugin.h"
#include "profiler/plugin/symbols.h"

namespace rnnadvisor::plugin {
namespace {

// Functions of the stable C interface, found in the program.
struct ExceptionApi {
  int (*add_audit_hook)(int (*)(const char*, void*, void*), void*);
  int (*is_initialized)();
  void* (*tuple_item)(void*, intptr_t);
  int (*matches)(void*, void*);
  void* (*import)(const char*);
  void* (*call_method)(void*, const char*, const char*, ...);
  void* (*from_string)(const char*);
  void* (*join)(void*, void*);
  void* (*encoded)(void*, const char*, const char*);
  const char* (*bytes)(void*);
  intptr_t (*size)(void*);
  void (*error_fetch)(void**, void**, void**);
  void (*error_restore)(void*, void*, void*);
  void (*error_clear)();
  void (*decrement)(void*);
  void** keyboard_interrupt;
  void** system_exit;
};
ExceptionApi api;

bool load_api(ExceptionApi& p) {
  return Symbols(RTLD_DEFAULT)
      .need("PySys_AddAuditHook", p.add_audit_hook)
      .need("Py_IsInitialized", p.is_initialized)
      .need("PyTuple_GetItem", p.tuple_item)
      .need("PyErr_GivenExceptionMatches", p.matches)
      .need("PyImport_ImportModule", p.import)
      .need("PyObject_CallMethod", p.call_method)
      .need("PyUnicode_FromString", p.from_string)
      .need("PyUnicode_Join", p.join)
      .need("PyUnicode_AsEncodedString", p.encoded)
      .need("PyBytes_AsString", p.bytes)
      .need("PyBytes_Size", p.size)
      .need("PyErr_Fetch", p.error_fetch)
      .need("PyErr_Restore", p.error_restore)
      .need("PyErr_Clear", p.error_clear)
      .need("Py_DecRef", p.decrement)
      .need("PyExc_KeyboardInterrupt", p.keyboard_interrupt)
      .need("PyExc_SystemExit", p.system_exit)
      .complete();
}

// A reference of ours; null: what should have made it failed.
class OwnedObject {
 public:
  explicit OwnedObject(void* object) : object_(object) {}
  ~OwnedObject() {
    if (object_ != nullptr) api.decrement(object_);
  }
  OwnedObject(const OwnedObject&) = delete;
  OwnedObject& operator=(const OwnedObject&) = delete;
  void* get() const { return object_; }
  bool is_null() const { return object_ == nullptr; }

 private:
  void* object_;
};

bool is_within_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

// The end of the text, from the beginning of a line where there is one in its first half.
void keep_end(const char* text, std::size_t size) {
  char kept[spool::exception_bytes + 1];
  const bool cut = size > spool::exception_bytes;
  const char* begin = cut ? text + (size - spool::exception_bytes) : text;
  const char* end = text + size;
  if (cut) {
    while (begin < end && is_within_character(*begin)) ++begin;
    const void* line = memchr(begin, '\n', spool::exception_bytes / 2);
    if (line != nullptr) begin = static_cast<const char*>(line) + 1;
  }
  const auto length = static_cast<std::size_t>(end - begin);
  memcpy(kept, begin, length);
  kept[length] = 0;
  for (std::size_t i = 0; i < length; ++i)
    if (kept[i] == 0) kept[i] = ' ';
  note(spool::program_exception, kept);
}

// As Python prints it, with the innermost frames: it reads the lines of the program, and takes care
// of exceptions that cannot be printed.
void describe_exception(void* type, void* value, void* traceback) {
  constexpr int most_frames = 20;
  const OwnedObject module(api.import("traceback"));
  if (module.is_null()) return;
  const OwnedObject lines(api.call_method(module.get(), "format_exception", "OOOi", type, value,
                                          traceback, -most_frames));
  if (lines.is_null()) return;
  const OwnedObject nothing(api.from_string(""));
  if (nothing.is_null()) return;
  const OwnedObject text(api.join(nothing.get(), lines.get()));
  if (text.is_null()) return;
  const OwnedObject utf8(api.encoded(text.get(), "utf-8", "backslashreplace"));
  if (utf8.is_null()) return;
  const char* bytes = api.bytes(utf8.get());
  const intptr_t size = api.size(utf8.get());
  if (bytes != nullptr && size > 0) keep_end(bytes, static_cast<std::size_t>(size));
}

// What an exception may not tell: cuDNN's own allocations fail with statuses that do not say so,
// and so does what follows a kernel that failed.
void note_state_of_gpu() {
  CUresult answer = CUDA_SUCCESS;
  const std::uint64_t free = free_memory(&answer);
  if (answer == CUDA_ERROR_NOT_INITIALIZED || answer == CUDA_ERROR_DEINITIALIZED ||
      answer == CUDA_ERROR_INVALID_CONTEXT || (free == 0 && answer == CUDA_SUCCESS))
    return;  // this thread uses no GPU
  char text[40];
  snprintf(text, sizeof text, "%llu %d", static_cast<unsigned long long>(free),
           static_cast<int>(answer));
  note(spool::gpu_at_exception, text);
}

// One that an interactive interpreter shows ends nothing: of many the last counts.
constexpr int most_exceptions = 64;
std::atomic<int> exceptions_seen{0};

// With the interpreter's lock held. 0: what was to happen does.
int on_audit_event(const char* event, void* arguments, void*) {
  if (event[0] != 's' || strcmp(event, "sys.excepthook") != 0) return 0;
  const Scope scope;
  if (!scope.outermost() ||
      exceptions_seen.fetch_add(1, std::memory_order_relaxed) >= most_exceptions)
    return 0;
  void *error_type = nullptr, *error = nullptr, *error_traceback = nullptr;
  api.error_fetch(&error_type, &error, &error_traceback);
  void* type = api.tuple_item(arguments, 1);  // borrowed, as the others
  void* value = api.tuple_item(arguments, 2);
  void* traceback = api.tuple_item(arguments, 3);
  // Its user ended the program, or it ended itself.
  if (type != nullptr && value != nullptr && traceback != nullptr &&
      api.matches(type, *api.keyboard_interrupt) == 0 && api.matches(type, *api.system_exit) == 0) {
    describe_exception(type, value, traceback);
    note_state_of_gpu();
  }
  api.error_clear();
  api.error_restore(error_type, error, error_traceback);
  return 0;
}

}  // namespace

void watch_exceptions() {
  const char* asked = variable("RNNADVISOR_EXCEPTIONS");
  if (asked != nullptr && strcmp(asked, "off") == 0) return;
  // An interpreter that runs would ask for its lock, which may not be this thread's.
  if (load_api(api) && api.is_initialized() == 0) api.add_audit_hook(&on_audit_event, nullptr);
}

}  // namespace rnnadvisor::plugin
