// NVTX ranges, domains and names, taken from the program's own NVTX without CUPTI. Each library
// with NVTX in it has tables of its own and asks InitializeInjectionNvtx2 to fill them.
#define NVTX_NO_IMPL
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <atomic>

#include "profiler/plugin/plugin.h"

namespace rnnadvisor::plugin {
namespace {

// The functions that another tool had put in before us, by module and callback.
NvtxFunctionPointer previous_core[NVTX_CBID_CORE_SIZE];
NvtxFunctionPointer previous_core2[NVTX_CBID_CORE2_SIZE];
bool chained = false;

template <typename Function>
Function core(int id) {
  return reinterpret_cast<Function>(previous_core[id]);
}
template <typename Function>
Function core2(int id) {
  return reinterpret_cast<Function>(previous_core2[id]);
}

// Handles of another tool (domains, registered strings) and what they name. Ours need no table: our
// handle is the id of the text itself.
struct Handle {
  std::atomic<const void*> handle;
  std::atomic<std::uint32_t> name;
};
constexpr std::size_t handle_slots = 1 << 14;
Handle handles[handle_slots];

void* remember(void* handle, std::uint32_t name) {
  if (!chained || handle == nullptr)
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(name));
  std::size_t slot = spool::hash_bytes(&handle, sizeof handle) & (handle_slots - 1);
  for (std::size_t probes = 0; probes < handle_slots;
       ++probes, slot = (slot + 1) & (handle_slots - 1)) {
    const void* there = handles[slot].handle.load();
    if (there == handle ||
        (there == nullptr && handles[slot].handle.compare_exchange_strong(there, handle))) {
      handles[slot].name.store(name);
      break;
    }
  }
  return handle;
}

std::uint32_t name_of(const void* handle) {
  if (handle == nullptr) return 0;
  if (!chained) return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(handle));
  std::size_t slot = spool::hash_bytes(&handle, sizeof handle) & (handle_slots - 1);
  for (std::size_t probes = 0; probes < handle_slots;
       ++probes, slot = (slot + 1) & (handle_slots - 1)) {
    const void* there = handles[slot].handle.load();
    if (there == handle) return handles[slot].name.load();
    if (there == nullptr) break;
  }
  return 0;
}

std::uint32_t intern(const char* text) { return ready() ? writer().intern(text) : 0; }

// Names in wide characters as UTF-8.
std::uint32_t intern(const wchar_t* text) {
  if (text == nullptr || !ready()) return 0;
  char out[1024];
  std::size_t at = 0;
  for (; *text != 0 && at + 4 < sizeof out; ++text) {
    const auto c = static_cast<std::uint32_t>(*text);
    if (c < 0x80) {
      out[at++] = static_cast<char>(c);
    } else if (c < 0x800) {
      out[at++] = static_cast<char>(0xc0 | (c >> 6));
      out[at++] = static_cast<char>(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
      out[at++] = static_cast<char>(0xe0 | (c >> 12));
      out[at++] = static_cast<char>(0x80 | ((c >> 6) & 0x3f));
      out[at++] = static_cast<char>(0x80 | (c & 0x3f));
    } else if (c < 0x110000) {
      out[at++] = static_cast<char>(0xf0 | (c >> 18));
      out[at++] = static_cast<char>(0x80 | ((c >> 12) & 0x3f));
      out[at++] = static_cast<char>(0x80 | ((c >> 6) & 0x3f));
      out[at++] = static_cast<char>(0x80 | (c & 0x3f));
    }
  }
  return writer().intern(out, at);
}

// Names of categories, by domain and number.
constexpr std::size_t category_slots = 1024;
struct Category {
  std::atomic<std::uint64_t> key;
  std::atomic<std::uint32_t> name;
};
Category categories[category_slots];

void name_category(std::uint32_t domain, std::uint32_t category, std::uint32_t name) {
  const std::uint64_t key = (static_cast<std::uint64_t>(domain) << 32) | category;
  if (key == 0) return;
  std::size_t slot = spool::hash_bytes(&key, sizeof key) % category_slots;
  for (std::size_t probes = 0; probes < category_slots;
       ++probes, slot = (slot + 1) % category_slots) {
    std::uint64_t there = categories[slot].key.load();
    if (there == key || (there == 0 && categories[slot].key.compare_exchange_strong(there, key)) ||
        there == key) {
      categories[slot].name.store(name);
      return;
    }
  }
}

std::uint32_t category_name(std::uint32_t domain, std::uint32_t category) {
  if (category == 0) return 0;
  const std::uint64_t key = (static_cast<std::uint64_t>(domain) << 32) | category;
  std::size_t slot = spool::hash_bytes(&key, sizeof key) % category_slots;
  for (std::size_t probes = 0; probes < category_slots;
       ++probes, slot = (slot + 1) % category_slots) {
    const std::uint64_t there = categories[slot].key.load();
    if (there == key) return categories[slot].name.load();
    if (there == 0) break;
  }
  return 0;
}

spool::Nvtx attributes(std::uint32_t domain, const nvtxEventAttributes_t* from) {
  spool::Nvtx out{};
  out.domain = domain;
  if (from == nullptr) return out;
  switch (from->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      out.name = intern(from->message.ascii);
      break;
    case NVTX_MESSAGE_TYPE_UNICODE:
      out.name = intern(from->message.unicode);
      break;
    case NVTX_MESSAGE_TYPE_REGISTERED:
      out.name = name_of(from->message.registered);
      break;
    default:
      break;
  }
  if (from->colorType == NVTX_COLOR_ARGB) out.color = from->color;
  out.category = category_name(domain, from->category);
  switch (from->payloadType) {
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
      out.payload_type = spool::Payload::unsigned64;
      out.payload = from->payload.ullValue;
      break;
    case NVTX_PAYLOAD_TYPE_INT64:
      out.payload_type = spool::Payload::signed64;
      out.payload = static_cast<std::uint64_t>(from->payload.llValue);
      break;
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
      out.payload_type = spool::Payload::unsigned64;
      out.payload = from->payload.uiValue;
      break;
    case NVTX_PAYLOAD_TYPE_INT32:
      out.payload_type = spool::Payload::signed64;
      out.payload = static_cast<std::uint64_t>(static_cast<std::int64_t>(from->payload.iValue));
      break;
    case NVTX_PAYLOAD_TYPE_DOUBLE:
    case NVTX_PAYLOAD_TYPE_FLOAT: {
      const double value = from->payloadType == NVTX_PAYLOAD_TYPE_DOUBLE
                               ? from->payload.dValue
                               : static_cast<double>(from->payload.fValue);
      out.payload_type = spool::Payload::real;
      memcpy(&out.payload, &value, sizeof value);
      break;
    }
    default:
      break;
  }
  return out;
}

void write(spool::Type type, spool::Nvtx record, std::uint64_t range) {
  record.header = {type, 0};
  record.time_ns = now_ns();
  record.range = range;
  record.thread = thread_id();
  writer().append(&record, sizeof record, spool::Loss::nvtx);
}

// Nesting per thread: the level that the interface answers with, and the range that is captured.
constexpr int max_depth = 64;
struct Stack {
  int depth;
  int captured_at;  // depth + 1 of the range that opened the capture; 0: none
};
thread_local Stack stack;
std::atomic<std::uint64_t> next_range{1};

bool is_captured_range(const spool::Nvtx& record) {
  const auto& s = settings();
  if (s.capture != Settings::Capture::nvtx) return false;
  static std::uint32_t name = 0, domain = 0;
  if (name == 0) {
    domain = s.domain[0] == 0 ? 0 : writer().intern(s.domain);
    name = writer().intern(s.range);
  }
  return record.name == name && record.domain == domain;
}

int push(const spool::Nvtx& record) {
  if (!ready()) return stack.depth++;
  const Scope scope;
  if (stack.captured_at == 0 && is_captured_range(record)) {
    stack.captured_at = stack.depth + 1;
    begin_range();
  }
  if (in_range()) write(spool::Type::nvtx_push, record, 0);
  return stack.depth++;
}

int pop(std::uint32_t domain) {
  const int level = stack.depth > 0 ? --stack.depth : 0;
  if (!ready()) return level;
  const Scope scope;
  // Written outside the range too: the range may have ended in between, and a push wants its pop.
  writer().add(spool::NvtxPop{{}, now_ns(), thread_id(), domain}, spool::Loss::nvtx);
  if (stack.captured_at == level + 1) {
    stack.captured_at = 0;
    end_range();
  }
  return level;
}

std::uint64_t start(const spool::Nvtx& record, std::uint64_t theirs) {
  const std::uint64_t id = theirs != 0 ? theirs : next_range.fetch_add(1);
  if (!ready()) return id;
  const Scope scope;
  if (is_captured_range(record)) begin_range();
  if (in_range()) write(spool::Type::nvtx_start, record, id);
  return id;
}

void end(std::uint32_t domain, std::uint64_t id) {
  if (!ready()) return;
  const Scope scope;
  spool::Nvtx record{};
  record.domain = domain;
  write(spool::Type::nvtx_end, record, id);
}

void mark(const spool::Nvtx& record) {
  if (!ready()) return;
  const Scope scope;
  if (in_range()) write(spool::Type::nvtx_mark, record, 0);
}

template <typename Text>
spool::Nvtx named(Text text) {
  spool::Nvtx record{};
  record.name = intern(text);
  return record;
}

// The functions for the tables. Each serves the tool before us first: the program gets its answers.
#define RNNADVISOR_BEFORE(table, id, type, ...)                   \
  do {                                                            \
    if (const auto before = table<type>(id)) before(__VA_ARGS__); \
  } while (false)

void NVTX_API mark_ex(const nvtxEventAttributes_t* a) {
  RNNADVISOR_BEFORE(core, NVTX_CBID_CORE_MarkEx, nvtxMarkEx_impl_fntype, a);
  mark(attributes(0, a));
}
void NVTX_API mark_a(const char* text) {
  RNNADVISOR_BEFORE(core, NVTX_CBID_CORE_MarkA, nvtxMarkA_impl_fntype, text);
  mark(named(text));
}
void NVTX_API mark_w(const wchar_t* text) {
  RNNADVISOR_BEFORE(core, NVTX_CBID_CORE_MarkW, nvtxMarkW_impl_fntype, text);
  mark(named(text));
}
nvtxRangeId_t NVTX_API start_ex(const nvtxEventAttributes_t* a) {
  const auto before = core<nvtxRangeStartEx_impl_fntype>(NVTX_CBID_CORE_RangeStartEx);
  return start(attributes(0, a), before != nullptr ? before(a) : 0);
}
nvtxRangeId_t NVTX_API start_a(const char* text) {
  const auto before = core<nvtxRangeStartA_impl_fntype>(NVTX_CBID_CORE_RangeStartA);
  return start(named(text), before != nullptr ? before(text) : 0);
}
nvtxRangeId_t NVTX_API start_w(const wchar_t* text) {
  const auto before = core<nvtxRangeStartW_impl_fntype>(NVTX_CBID_CORE_RangeStartW);
  return start(named(text), before != nullptr ? before(text) : 0);
}
void NVTX_API range_end(nvtxRangeId_t id) {
  RNNADVISOR_BEFORE(core, NVTX_CBID_CORE_RangeEnd, nvtxRangeEnd_impl_fntype, id);
  end(0, id);
}
int NVTX_API push_ex(const nvtxEventAttributes_t* a) {
  const auto before = core<nvtxRangePushEx_impl_fntype>(NVTX_CBID_CORE_RangePushEx);
  const int level = before != nullptr ? before(a) : -1;
  const int own = push(attributes(0, a));
  return before != nullptr ? level : own;
}
int NVTX_API push_a(const char* text) {
  const auto before = core<nvtxRangePushA_impl_fntype>(NVTX_CBID_CORE_RangePushA);
  const int level = before != nullptr ? before(text) : -1;
  const int own = push(named(text));
  return before != nullptr ? level : own;
}
int NVTX_API push_w(const wchar_t* text) {
  const auto before = core<nvtxRangePushW_impl_fntype>(NVTX_CBID_CORE_RangePushW);
  const int level = before != nullptr ? before(text) : -1;
  const int own = push(named(text));
  return before != nullptr ? level : own;
}
int NVTX_API range_pop() {
  const auto before = core<nvtxRangePop_impl_fntype>(NVTX_CBID_CORE_RangePop);
  const int level = before != nullptr ? before() : -1;
  const int own = pop(0);
  return before != nullptr ? level : own;
}
void NVTX_API category_a(std::uint32_t id, const char* name) {
  RNNADVISOR_BEFORE(core, NVTX_CBID_CORE_NameCategoryA, nvtxNameCategoryA_impl_fntype, id, name);
  name_category(0, id, intern(name));
}
void NVTX_API category_w(std::uint32_t id, const wchar_t* name) {
  RNNADVISOR_BEFORE(core, NVTX_CBID_CORE_NameCategoryW, nvtxNameCategoryW_impl_fntype, id, name);
  name_category(0, id, intern(name));
}
void NVTX_API domain_mark(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) {
  RNNADVISOR_BEFORE(core2, NVTX_CBID_CORE2_DomainMarkEx, nvtxDomainMarkEx_impl_fntype, d, a);
  mark(attributes(name_of(d), a));
}
nvtxRangeId_t NVTX_API domain_start(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) {
  const auto before = core2<nvtxDomainRangeStartEx_impl_fntype>(NVTX_CBID_CORE2_DomainRangeStartEx);
  return start(attributes(name_of(d), a), before != nullptr ? before(d, a) : 0);
}
void NVTX_API domain_end(nvtxDomainHandle_t d, nvtxRangeId_t id) {
  RNNADVISOR_BEFORE(core2, NVTX_CBID_CORE2_DomainRangeEnd, nvtxDomainRangeEnd_impl_fntype, d, id);
  end(name_of(d), id);
}
int NVTX_API domain_push(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) {
  const auto before = core2<nvtxDomainRangePushEx_impl_fntype>(NVTX_CBID_CORE2_DomainRangePushEx);
  const int level = before != nullptr ? before(d, a) : -1;
  const int own = push(attributes(name_of(d), a));
  return before != nullptr ? level : own;
}
int NVTX_API domain_pop(nvtxDomainHandle_t d) {
  const auto before = core2<nvtxDomainRangePop_impl_fntype>(NVTX_CBID_CORE2_DomainRangePop);
  const int level = before != nullptr ? before(d) : -1;
  const int own = pop(name_of(d));
  return before != nullptr ? level : own;
}
void NVTX_API domain_category_a(nvtxDomainHandle_t d, std::uint32_t id, const char* name) {
  RNNADVISOR_BEFORE(core2, NVTX_CBID_CORE2_DomainNameCategoryA, nvtxDomainNameCategoryA_impl_fntype,
                    d, id, name);
  name_category(name_of(d), id, intern(name));
}
void NVTX_API domain_category_w(nvtxDomainHandle_t d, std::uint32_t id, const wchar_t* name) {
  RNNADVISOR_BEFORE(core2, NVTX_CBID_CORE2_DomainNameCategoryW, nvtxDomainNameCategoryW_impl_fntype,
                    d, id, name);
  name_category(name_of(d), id, intern(name));
}
nvtxStringHandle_t NVTX_API string_a(nvtxDomainHandle_t d, const char* text) {
  const auto before =
      core2<nvtxDomainRegisterStringA_impl_fntype>(NVTX_CBID_CORE2_DomainRegisterStringA);
  return static_cast<nvtxStringHandle_t>(
      remember(before != nullptr ? before(d, text) : nullptr, intern(text)));
}
nvtxStringHandle_t NVTX_API string_w(nvtxDomainHandle_t d, const wchar_t* text) {
  const auto before =
      core2<nvtxDomainRegisterStringW_impl_fntype>(NVTX_CBID_CORE2_DomainRegisterStringW);
  return static_cast<nvtxStringHandle_t>(
      remember(before != nullptr ? before(d, text) : nullptr, intern(text)));
}
nvtxDomainHandle_t NVTX_API domain_create_a(const char* name) {
  const auto before = core2<nvtxDomainCreateA_impl_fntype>(NVTX_CBID_CORE2_DomainCreateA);
  return static_cast<nvtxDomainHandle_t>(
      remember(before != nullptr ? before(name) : nullptr, intern(name)));
}
nvtxDomainHandle_t NVTX_API domain_create_w(const wchar_t* name) {
  const auto before = core2<nvtxDomainCreateW_impl_fntype>(NVTX_CBID_CORE2_DomainCreateW);
  return static_cast<nvtxDomainHandle_t>(
      remember(before != nullptr ? before(name) : nullptr, intern(name)));
}
void NVTX_API domain_destroy(nvtxDomainHandle_t d) {
  RNNADVISOR_BEFORE(core2, NVTX_CBID_CORE2_DomainDestroy, nvtxDomainDestroy_impl_fntype, d);
}

struct Slot {
  int id;
  NvtxFunctionPointer function;
};
#define RNNADVISOR_SLOT(id, function) {id, reinterpret_cast<NvtxFunctionPointer>(&function)}
const Slot core_slots[] = {RNNADVISOR_SLOT(NVTX_CBID_CORE_MarkEx, mark_ex),
                           RNNADVISOR_SLOT(NVTX_CBID_CORE_MarkA, mark_a),
                           RNNADVISOR_SLOT(NVTX_CBID_CORE_MarkW, mark_w),
                           RNNADVISOR_SLOT(NVTX_CBID_CORE_RangeStartEx, start_ex),
                           RNNADVISOR_SLOT(NVTX_CBID_CORE_RangeStartA, start_a),
                           RNNADVISOR_SLOT(NVTX_CBID_CORE_RangeStartW, start_w),
                           RNNADVISOR_SLOT(NVTX_CBID_CORE_RangeEnd, range_end),
                           RNNADVISOR_SLOT(NVTX_CBID_CORE_RangePushEx, push_ex),
                           RNNADVISOR_SLOT(NVTX_CBID_CORE_RangePushA, push_a),
                           RNNADVISOR_SLOT(NVTX_CBID_CORE_RangePushW, push_w),
                           RNNADVISOR_SLOT(NVTX_CBID_CORE_RangePop, range_pop),
                           RNNADVISOR_SLOT(NVTX_CBID_CORE_NameCategoryA, category_a),
                           RNNADVISOR_SLOT(NVTX_CBID_CORE_NameCategoryW, category_w)};
const Slot core2_slots[] = {RNNADVISOR_SLOT(NVTX_CBID_CORE2_DomainMarkEx, domain_mark),
                            RNNADVISOR_SLOT(NVTX_CBID_CORE2_DomainRangeStartEx, domain_start),
                            RNNADVISOR_SLOT(NVTX_CBID_CORE2_DomainRangeEnd, domain_end),
                            RNNADVISOR_SLOT(NVTX_CBID_CORE2_DomainRangePushEx, domain_push),
                            RNNADVISOR_SLOT(NVTX_CBID_CORE2_DomainRangePop, domain_pop),
                            RNNADVISOR_SLOT(NVTX_CBID_CORE2_DomainNameCategoryA, domain_category_a),
                            RNNADVISOR_SLOT(NVTX_CBID_CORE2_DomainNameCategoryW, domain_category_w),
                            RNNADVISOR_SLOT(NVTX_CBID_CORE2_DomainRegisterStringA, string_a),
                            RNNADVISOR_SLOT(NVTX_CBID_CORE2_DomainRegisterStringW, string_w),
                            RNNADVISOR_SLOT(NVTX_CBID_CORE2_DomainCreateA, domain_create_a),
                            RNNADVISOR_SLOT(NVTX_CBID_CORE2_DomainCreateW, domain_create_w),
                            RNNADVISOR_SLOT(NVTX_CBID_CORE2_DomainDestroy, domain_destroy)};

template <std::size_t count>
void install(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module,
             const Slot (&slots)[count], NvtxFunctionPointer* before) {
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks.GetModuleFunctionTable(module, &table, &size) == 0 || table == nullptr) return;
  for (const auto& slot : slots) {
    if (static_cast<unsigned>(slot.id) >= size || table[slot.id] == nullptr) continue;
    // Without a tool before us the slot holds NVTX's own stub, which only asks for the tool: not to
    // be called.
    if (chained && *table[slot.id] != slot.function) before[slot.id] = *table[slot.id];
    *table[slot.id] = slot.function;
  }
}

// The tool that NVTX_INJECTION64_PATH named before ours.
NvtxInitializeInjectionNvtxFunc_t other_tool() {
  const char* path = getenv("RNNADVISOR_CHAIN_NVTX_INJECTION");
  if (path == nullptr || *path == 0) return nullptr;
  void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    note("nvtx-chain", "the library that NVTX_INJECTION64_PATH named before cannot be loaded");
    return nullptr;
  }
  return reinterpret_cast<NvtxInitializeInjectionNvtxFunc_t>(
      dlsym(library, "InitializeInjectionNvtx2"));
}

}  // namespace
}  // namespace rnnadvisor::plugin

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get) {
  using namespace rnnadvisor::plugin;
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(get(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof *callbacks) return 0;
  if (const auto theirs = other_tool(); theirs != nullptr && theirs(get) != 0) chained = true;
  install(*callbacks, NVTX_CB_MODULE_CORE, core_slots, previous_core);
  install(*callbacks, NVTX_CB_MODULE_CORE2, core2_slots, previous_core2);
  return 1;
}
