#include "profiler/plugin/symbols.h"

#include <dlfcn.h>
#include <string.h>

#include <atomic>

// JAX and TensorFlow take cuDNN's functions from a handle with dlsym(), which no preloaded
// definition changes. So dlsym() itself is ours: what it finds under the name of a hooked function
// is answered with the hook. Everything else must be found as if we were not there, RTLD_NEXT
// included, which depends on who asks: the C library gets such calls by a jump, with the caller's
// own return address.

extern "C" {
__attribute__((visibility("hidden"))) void* rnnadvisor_real_dlsym = nullptr;
__attribute__((visibility("hidden"), used)) void* rnnadvisor_lookup(void* library,
                                                                    const char* name);
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

}  // namespace

void* real_symbol(void* library, const char* name) {
  const auto find = real_dlsym();
  return find == nullptr ? nullptr : find(library, name);
}

}  // namespace rnnadvisor::plugin

// Null: the caller goes on to the C library's dlsym().
void* rnnadvisor_lookup(void* library, const char* name) {
  using namespace rnnadvisor::plugin;
  const auto find = real_dlsym();
  if (name == nullptr || find == nullptr || library == RTLD_NEXT) return nullptr;
  if (strncmp(name, "cu", 2) != 0) return nullptr;
  void* dummy = hook_for(name, nullptr);  // is it one of ours at all?
  if (dummy == nullptr) return nullptr;
  void* real = find(library, name);
  return real == nullptr ? nullptr : hook_for(name, real);
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
  testq %rax, %rax
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
  bl rnnadvisor_lookup
  mov x9, x0
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #32
  .cfi_def_cfa_offset 0
  cbnz x9, 1f
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
