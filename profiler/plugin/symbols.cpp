#include "profiler/plugin/symbols.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/auxv.h>

// JAX and TensorFlow take cuDNN's functions from a handle with dlsym(), which no preloaded
// definition changes. So dlsym() itself is ours: what it finds under the name of a hooked function
// is answered with the hook. Everything else must be found as if we were not there, RTLD_NEXT
// included, which depends on who asks: the C library gets such calls by a jump, with the caller's
// own return address. Nothing here may be built with sanitizers or call what they watch: they look
// up their own functions with dlsym() before they are ready.

extern "C" {
struct RnnadvisorAnswer {
  void* symbol;
  long answered;  // 0: the caller goes on to the C library's dlsym()
};
__attribute__((visibility("hidden"))) void* rnnadvisor_real_dlsym = nullptr;
__attribute__((visibility("hidden"), used)) RnnadvisorAnswer rnnadvisor_lookup(void* library,
                                                                               const char* name,
                                                                               const void* caller);
}

namespace rnnadvisor::plugin {
namespace {

using Dlsym = void* (*)(void*, const char*);

Dlsym real_dlsym() {
  auto* found = __atomic_load_n(&rnnadvisor_real_dlsym, __ATOMIC_ACQUIRE);
  if (found == nullptr) {
    // dlvsym() is not ours. The first version is that of glibc 2.34 and later, the others older
    // ones.
    for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"}) {
      found = dlvsym(RTLD_NEXT, "dlsym", version);
      if (found != nullptr) break;
    }
    __atomic_store_n(&rnnadvisor_real_dlsym, found, __ATOMIC_RELEASE);
  }
  return reinterpret_cast<Dlsym>(found);
}

bool is_ours(const void* symbol) {
  static const void* base = nullptr;
  Dl_info info{};
  const void* known = __atomic_load_n(&base, __ATOMIC_RELAXED);
  if (known == nullptr) {
    if (dladdr(reinterpret_cast<void*>(&real_symbol), &info) == 0) return false;
    known = info.dli_fbase;
    __atomic_store_n(&base, known, __ATOMIC_RELAXED);
  }
  return symbol != nullptr && dladdr(symbol, &info) != 0 && info.dli_fbase == known;
}

bool is_program(const void* caller) {
  Dl_info entry{}, info{};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives it as a number
  const auto* start = reinterpret_cast<const void*>(getauxval(AT_ENTRY));
  return dladdr(start, &entry) != 0 && dladdr(caller, &info) != 0 &&
         info.dli_fbase == entry.dli_fbase;
}

}  // namespace

void* real_symbol(void* library, const char* name) {
  const auto find = real_dlsym();
  return find == nullptr ? nullptr : find(library, name);
}

void* symbol_behind_us(const void* caller, const char* name) {
  // The global scope comes first for everybody; what stands in it before us would not let us be
  // called.
  if (void* found = real_symbol(RTLD_NEXT, name); found != nullptr) return found;
  // Then the caller's own: itself and what it depends on, as with everything that was loaded with
  // RTLD_LOCAL, Python's extension modules for one.
  Dl_info info{};
  if (caller == nullptr || dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return nullptr;
  void* library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* found = real_symbol(library, name);
  dlclose(library);
  return is_ours(found) ? nullptr : found;
}

void* linked_symbol(const void* caller, const char* name,
                    std::initializer_list<const char*> libraries) {
  if (void* found = symbol_behind_us(caller, name); found != nullptr) return found;
  for (const char* file : libraries) {
    void* library = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    void* found = real_symbol(library, name);
    dlclose(library);
    if (found != nullptr) return found;
  }
  return nullptr;
}

}  // namespace rnnadvisor::plugin

RnnadvisorAnswer rnnadvisor_lookup(void* library, const char* name, const void* caller) {
  using namespace rnnadvisor::plugin;
  const auto find = real_dlsym();
  if (name == nullptr || find == nullptr) return {nullptr, 0};
  if (name[0] != 'c' || name[1] != 'u' || hook_for(name, nullptr, caller) == nullptr)
    return {nullptr, 0};
  if (library == RTLD_NEXT) {
    // The program itself stands in front of us and would find us where there is nothing behind.
    if (!is_program(caller)) return {nullptr, 0};
    void* next = find(RTLD_NEXT, name);  // leaves its message for dlerror()
    return {nullptr, next == nullptr ? 1 : 0};
  }
  const int saved = errno;
  void* real = find(library, name);
  if (real == nullptr) return {nullptr, 0};  // the C library says why, in its words
  // In the global scope it is our own export that is found first.
  if (is_ours(real)) {
    real = symbol_behind_us(library == RTLD_DEFAULT ? caller : nullptr, name);
    if (real == nullptr) return {find(RTLD_NEXT, name), 1};  // leaves its message for dlerror()
  }
  void* hook = hook_for(name, real, caller);
  // The program's lookup succeeded; what we looked up for ourselves may not have, and would be what
  // dlerror() tells.
  dlerror();
  errno = saved;
  return {hook != nullptr ? hook : real, 1};
}

#if defined(__x86_64__)
asm(R"(
  .text
  .globl dlsym
  .type dlsym, @function
  .p2align 4
dlsym:
  .cfi_startproc
  endbr64
  movq (%rsp), %rdx
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call rnnadvisor_lookup
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  testq %rdx, %rdx
  jne 1f
  jmp *rnnadvisor_real_dlsym(%rip)
1:
  ret
  .cfi_endproc
  .size dlsym, .-dlsym
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .globl dlsym
  .type dlsym, %function
  .p2align 4
dlsym:
  .cfi_startproc
  stp x29, x30, [sp, #-32]!
  .cfi_def_cfa_offset 32
  .cfi_offset 29, -32
  .cfi_offset 30, -24
  stp x0, x1, [sp, #16]
  mov x2, x30
  bl rnnadvisor_lookup
  mov x9, x0
  mov x10, x1
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #32
  .cfi_def_cfa_offset 0
  cbnz x10, 1f
  adrp x9, rnnadvisor_real_dlsym
  ldr x9, [x9, :lo12:rnnadvisor_real_dlsym]
  br x9
1:
  mov x0, x9
  ret
  .cfi_endproc
  .size dlsym, .-dlsym
)");
#endif
