// Each library with NVTX in it has tables of its own and asks InitializeInjectionNvtx2 to fill
// them.
#define NVTX_NO_IMPL
#include "profiler/plugin/nvtx.h"

#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>

#include "profiler/plugin/capture_range.h"
#include "profiler/plugin/nvtx_names.h"
#include "profiler/plugin/nvtx_resources.h"
#include "profiler/plugin/nvtx_tables.h"
#include "profiler/plugin/places.h"
#include "profiler/plugin/plugin.h"
#include "profiler/plugin/symbols.h"

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get);

namespace rnnadvisor::plugin {
namespace {

// The functions that another tool had put in before us, by module and callback.
std::atomic<NvtxFunctionPointer> core[NVTX_CBID_CORE_SIZE];
std::atomic<NvtxFunctionPointer> core2[NVTX_CBID_CORE2_SIZE];

// Names of categories, by domain and number.
struct Category {
  std::atomic<std::uint64_t> key;
  std::atomic<std::uint32_t> name;
};
Category categories[1024];

std::uint64_t category_key(std::uint32_t domain, std::uint32_t category) {
  return (static_cast<std::uint64_t>(domain) << 32) | category;
}

void name_category(std::uint32_t domain, std::uint32_t category, std::uint32_t name) {
  if (category == 0) return;
  if (const auto found = find_place(categories, category_key(domain, category), true);
      found.place != nullptr)
    found.place->name.store(name);
}

std::uint32_t category_name(std::uint32_t domain, std::uint32_t category) {
  if (category == 0) return 0;
  const auto found = find_place(categories, category_key(domain, category), false);
  return found.place == nullptr ? 0 : found.place->name.load();
}

spool::Nvtx attributes(std::uint32_t domain, const nvtxEventAttributes_t* from) {
  spool::Nvtx out{};
  out.domain = domain;
  if (from == nullptr) return out;
  switch (from->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      out.name = nvtx_text(from->message.ascii);
      break;
    case NVTX_MESSAGE_TYPE_UNICODE:
      out.name = nvtx_text(from->message.unicode);
      break;
    case NVTX_MESSAGE_TYPE_REGISTERED:
      out.name = nvtx_name_of(from->message.registered);
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

// Nesting, by thread and domain: the level that the interface answers with. A thread that is in
// more domains than this has them share the last place.
constexpr int max_domains = 8;
struct Levels {
  const void* domain[max_domains];
  int depth[max_domains];
  int used;
  // The range of this thread that opened the capture, by domain and level; level 0: none.
  const void* captured_domain;
  int captured_level;
};
thread_local Levels levels;
std::atomic<std::uint64_t> next_range{1}, captured_start{0};

int& depth_in(const void* domain) {
  auto& l = levels;
  for (int i = 0; i < l.used; ++i)
    if (l.domain[i] == domain) return l.depth[i];
  if (l.used < max_domains) l.domain[l.used++] = domain;
  return l.depth[l.used - 1];
}

int push(const void* domain, const spool::Nvtx& record) {
  const int level = depth_in(domain)++;
  if (!ready()) return level;
  // The range belongs to the thread that opened it: the end of another one of its name does not
  // close it.
  if (is_captured_range(record.name, record.domain) && begin_range()) {
    levels.captured_domain = domain;
    levels.captured_level = level + 1;
  }
  if (in_range()) write(spool::Type::nvtx_push, record, 0);
  return level;
}

// As documented: the level of the range that ends, negative where there was none.
int pop(const void* domain) {
  int& depth = depth_in(domain);
  if (depth == 0) return -1;
  const int level = --depth;
  if (!ready()) return level;
  // Written outside the range too: the range may have ended in between, and a push wants its pop.
  writer().add(spool::NvtxPop{{}, now_ns(), thread_id(), nvtx_name_of(domain)}, spool::Loss::nvtx);
  if (levels.captured_level == level + 1 && levels.captured_domain == domain) {
    levels.captured_level = 0;
    end_range();
  }
  return level;
}

std::uint64_t start(const spool::Nvtx& record, std::uint64_t theirs) {
  const std::uint64_t id = theirs != 0 ? theirs : next_range.fetch_add(1);
  if (!ready()) return id;
  if (is_captured_range(record.name, record.domain) && begin_range()) captured_start.store(id);
  if (in_range()) write(spool::Type::nvtx_start, record, id);
  return id;
}

void end(std::uint32_t domain, std::uint64_t id) {
  if (!ready()) return;
  spool::Nvtx record{};
  record.domain = domain;
  write(spool::Type::nvtx_end, record, id);
  std::uint64_t captured = id;
  if (id != 0 && captured_start.compare_exchange_strong(captured, 0)) end_range();
}

void mark(const spool::Nvtx& record) {
  if (!ready()) return;
  if (in_range()) write(spool::Type::nvtx_mark, record, 0);
}

template <typename Text>
spool::Nvtx named(Text text) {
  spool::Nvtx record{};
  record.name = nvtx_text(text);
  return record;
}

// The functions for the tables. Each serves the tool before us first: the program gets its answers.
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
  const auto before = tool_before<nvtxRangeStartEx_impl_fntype>(core, NVTX_CBID_CORE_RangeStartEx);
  if (before == nullptr) return start(attributes(0, a), 0);
  const nvtxRangeId_t theirs = before(a);
  start(attributes(0, a), theirs);
  return theirs;
}
nvtxRangeId_t NVTX_API start_a(const char* text) {
  const auto before = tool_before<nvtxRangeStartA_impl_fntype>(core, NVTX_CBID_CORE_RangeStartA);
  if (before == nullptr) return start(named(text), 0);
  const nvtxRangeId_t theirs = before(text);
  start(named(text), theirs);
  return theirs;
}
nvtxRangeId_t NVTX_API start_w(const wchar_t* text) {
  const auto before = tool_before<nvtxRangeStartW_impl_fntype>(core, NVTX_CBID_CORE_RangeStartW);
  if (before == nullptr) return start(named(text), 0);
  const nvtxRangeId_t theirs = before(text);
  start(named(text), theirs);
  return theirs;
}
void NVTX_API range_end(nvtxRangeId_t id) {
  RNNADVISOR_BEFORE(core, NVTX_CBID_CORE_RangeEnd, nvtxRangeEnd_impl_fntype, id);
  end(0, id);
}
int NVTX_API push_ex(const nvtxEventAttributes_t* a) {
  const auto before = tool_before<nvtxRangePushEx_impl_fntype>(core, NVTX_CBID_CORE_RangePushEx);
  const int level = before != nullptr ? before(a) : -1;
  const int own = push(nullptr, attributes(0, a));
  return before != nullptr ? level : own;
}
int NVTX_API push_a(const char* text) {
  const auto before = tool_before<nvtxRangePushA_impl_fntype>(core, NVTX_CBID_CORE_RangePushA);
  const int level = before != nullptr ? before(text) : -1;
  const int own = push(nullptr, named(text));
  return before != nullptr ? level : own;
}
int NVTX_API push_w(const wchar_t* text) {
  const auto before = tool_before<nvtxRangePushW_impl_fntype>(core, NVTX_CBID_CORE_RangePushW);
  const int level = before != nullptr ? before(text) : -1;
  const int own = push(nullptr, named(text));
  return before != nullptr ? level : own;
}
int NVTX_API range_pop() {
  const auto before = tool_before<nvtxRangePop_impl_fntype>(core, NVTX_CBID_CORE_RangePop);
  const int level = before != nullptr ? before() : -1;
  const int own = pop(nullptr);
  return before != nullptr ? level : own;
}
void NVTX_API category_a(std::uint32_t id, const char* name) {
  RNNADVISOR_BEFORE(core, NVTX_CBID_CORE_NameCategoryA, nvtxNameCategoryA_impl_fntype, id, name);
  name_category(0, id, nvtx_text(name));
}
void NVTX_API category_w(std::uint32_t id, const wchar_t* name) {
  RNNADVISOR_BEFORE(core, NVTX_CBID_CORE_NameCategoryW, nvtxNameCategoryW_impl_fntype, id, name);
  name_category(0, id, nvtx_text(name));
}
void NVTX_API thread_a(std::uint32_t thread, const char* name) {
  RNNADVISOR_BEFORE(core, NVTX_CBID_CORE_NameOsThreadA, nvtxNameOsThreadA_impl_fntype, thread,
                    name);
  nvtx_name_thread(thread, nvtx_text(name));
}
void NVTX_API thread_w(std::uint32_t thread, const wchar_t* name) {
  RNNADVISOR_BEFORE(core, NVTX_CBID_CORE_NameOsThreadW, nvtxNameOsThreadW_impl_fntype, thread,
                    name);
  nvtx_name_thread(thread, nvtx_text(name));
}
void NVTX_API domain_mark(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) {
  RNNADVISOR_BEFORE(core2, NVTX_CBID_CORE2_DomainMarkEx, nvtxDomainMarkEx_impl_fntype, d, a);
  mark(attributes(nvtx_name_of(d), a));
}
nvtxRangeId_t NVTX_API domain_start(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) {
  const auto before =
      tool_before<nvtxDomainRangeStartEx_impl_fntype>(core2, NVTX_CBID_CORE2_DomainRangeStartEx);
  if (before == nullptr) return start(attributes(nvtx_name_of(d), a), 0);
  const nvtxRangeId_t theirs = before(d, a);
  start(attributes(nvtx_name_of(d), a), theirs);
  return theirs;
}
void NVTX_API domain_end(nvtxDomainHandle_t d, nvtxRangeId_t id) {
  RNNADVISOR_BEFORE(core2, NVTX_CBID_CORE2_DomainRangeEnd, nvtxDomainRangeEnd_impl_fntype, d, id);
  end(nvtx_name_of(d), id);
}
int NVTX_API domain_push(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) {
  const auto before =
      tool_before<nvtxDomainRangePushEx_impl_fntype>(core2, NVTX_CBID_CORE2_DomainRangePushEx);
  const int level = before != nullptr ? before(d, a) : -1;
  const int own = push(d, attributes(nvtx_name_of(d), a));
  return before != nullptr ? level : own;
}
int NVTX_API domain_pop(nvtxDomainHandle_t d) {
  const auto before =
      tool_before<nvtxDomainRangePop_impl_fntype>(core2, NVTX_CBID_CORE2_DomainRangePop);
  const int level = before != nullptr ? before(d) : -1;
  const int own = pop(d);
  return before != nullptr ? level : own;
}
void NVTX_API domain_category_a(nvtxDomainHandle_t d, std::uint32_t id, const char* name) {
  RNNADVISOR_BEFORE(core2, NVTX_CBID_CORE2_DomainNameCategoryA, nvtxDomainNameCategoryA_impl_fntype,
                    d, id, name);
  name_category(nvtx_name_of(d), id, nvtx_text(name));
}
void NVTX_API domain_category_w(nvtxDomainHandle_t d, std::uint32_t id, const wchar_t* name) {
  RNNADVISOR_BEFORE(core2, NVTX_CBID_CORE2_DomainNameCategoryW, nvtxDomainNameCategoryW_impl_fntype,
                    d, id, name);
  name_category(nvtx_name_of(d), id, nvtx_text(name));
}
nvtxStringHandle_t NVTX_API string_a(nvtxDomainHandle_t d, const char* text) {
  const auto before = tool_before<nvtxDomainRegisterStringA_impl_fntype>(
      core2, NVTX_CBID_CORE2_DomainRegisterStringA);
  return static_cast<nvtxStringHandle_t>(
      nvtx_handle(before != nullptr ? before(d, text) : nullptr, text));
}
nvtxStringHandle_t NVTX_API string_w(nvtxDomainHandle_t d, const wchar_t* text) {
  const auto before = tool_before<nvtxDomainRegisterStringW_impl_fntype>(
      core2, NVTX_CBID_CORE2_DomainRegisterStringW);
  return static_cast<nvtxStringHandle_t>(
      nvtx_handle(before != nullptr ? before(d, text) : nullptr, text));
}
nvtxDomainHandle_t NVTX_API domain_create_a(const char* name) {
  const auto before =
      tool_before<nvtxDomainCreateA_impl_fntype>(core2, NVTX_CBID_CORE2_DomainCreateA);
  return static_cast<nvtxDomainHandle_t>(
      nvtx_handle(before != nullptr ? before(name) : nullptr, name));
}
nvtxDomainHandle_t NVTX_API domain_create_w(const wchar_t* name) {
  const auto before =
      tool_before<nvtxDomainCreateW_impl_fntype>(core2, NVTX_CBID_CORE2_DomainCreateW);
  return static_cast<nvtxDomainHandle_t>(
      nvtx_handle(before != nullptr ? before(name) : nullptr, name));
}
void NVTX_API domain_destroy(nvtxDomainHandle_t d) {
  RNNADVISOR_BEFORE(core2, NVTX_CBID_CORE2_DomainDestroy, nvtxDomainDestroy_impl_fntype, d);
}

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
                           RNNADVISOR_SLOT(NVTX_CBID_CORE_NameCategoryW, category_w),
                           RNNADVISOR_SLOT(NVTX_CBID_CORE_NameOsThreadA, thread_a),
                           RNNADVISOR_SLOT(NVTX_CBID_CORE_NameOsThreadW, thread_w)};
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

// The tool that NVTX_INJECTION64_PATH named before ours.
NvtxInitializeInjectionNvtxFunc_t other_tool(bool& cannot_be_loaded) {
  const char* path = getenv("RNNADVISOR_CHAIN_NVTX_INJECTION");
  if (path == nullptr || *path == 0) return nullptr;
  void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  cannot_be_loaded = library == nullptr;
  if (cannot_be_loaded) return nullptr;
  const auto start = reinterpret_cast<NvtxInitializeInjectionNvtxFunc_t>(
      real_symbol(library, "InitializeInjectionNvtx2"));
  // A launcher under a launcher names us.
  return start == &InitializeInjectionNvtx2 ? nullptr : start;
}

// Puts our functions into the tables that `get` gives, behind those of the tool before us.
int take_over(NvtxGetExportTableFunc_t get, NvtxInitializeInjectionNvtxFunc_t theirs) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(get(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof *callbacks)
    return theirs != nullptr ? theirs(get) : 0;
  const Module first(*callbacks, NVTX_CB_MODULE_CORE), second(*callbacks, NVTX_CB_MODULE_CORE2);
  const Module driver(*callbacks, NVTX_CB_MODULE_CUDA), runtime(*callbacks, NVTX_CB_MODULE_CUDART);
  const bool there = theirs != nullptr && theirs(get) != 0;
  // Whose handles the program holds is settled by the first library with NVTX in it; one where the
  // tool decides otherwise is the tool's alone.
  static std::atomic<int> settled{-1};
  int before = -1;
  if (settled.compare_exchange_strong(before, there ? 1 : 0)) {
    nvtx_chained(there);
  } else if (before != (there ? 1 : 0)) {
    return there ? 1 : 0;
  }
  const Undisturbed undisturbed;
  install(first, core_slots, core);
  install(second, core2_slots, core2);
  install_resource_names(second, driver, runtime);
  return 1;
}

}  // namespace

void nvtx_forget() {
  captured_start.store(0);
  for (auto& category : categories) {
    category.key.store(0);
    category.name.store(0);
  }
}

}  // namespace rnnadvisor::plugin

// NVTX calls this in the middle of its initialisation. Until our functions are in its tables, a
// signal handler that annotates on this thread waits for the end of that initialisation, which is
// for ever. So signals are held back until they are in, and the recording starts with the first
// annotation instead of here: that takes long enough for a timer's signal to come.
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get) {
  using namespace rnnadvisor::plugin;
  bool cannot_be_loaded = false;
  const auto theirs = other_tool(cannot_be_loaded);
  // Not undisturbed as a whole: threads that the other tool starts would never get a signal.
  if (theirs != nullptr) return is_off() ? theirs(get) : take_over(get, theirs);
  if (is_off()) return 0;
  int taken = 0;
  {
    const Undisturbed undisturbed;
    taken = take_over(get, nullptr);
  }
  // Last, because it starts the recording.
  if (cannot_be_loaded)
    note("nvtx-chain", "the library that NVTX_INJECTION64_PATH named before cannot be loaded");
  return taken;
}
