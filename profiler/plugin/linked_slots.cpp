#include "profiler/plugin/linked_slots.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "profiler/plugin/plugin.h"

namespace rnnadvisor::plugin {
namespace {

#if defined(__x86_64__)
constexpr std::uint64_t called_slot = R_X86_64_JUMP_SLOT, taken_slot = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr std::uint64_t called_slot = R_AARCH64_JUMP_SLOT, taken_slot = R_AARCH64_GLOB_DAT;
#else
constexpr std::uint64_t called_slot = ~std::uint64_t{0}, taken_slot = called_slot;  // of no entry
#endif

struct Search {
  const char* name;
  void *real, *hook;
  std::uintptr_t own;  // our base
  int led;
};

// How the memory at `address` may be used, PROT_*; -1: not known. From the kernel itself: a library
// that another thread is just loading is not read-only yet, whatever it will be.
int protection_of(std::uintptr_t address) {
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  // "7f00-7f10 r-xp …": two numbers, three letters, and a rest that is passed over.
  enum { first, second, letters, rest } at = first;
  std::uintptr_t begin = 0, end = 0;
  int protection = 0, found = -1;
  char buffer[4096];
  for (ssize_t got; found < 0 && (got = read(file, buffer, sizeof buffer)) > 0;) {
    for (ssize_t i = 0; i < got && found < 0; ++i) {
      const char c = buffer[i];
      if (c == '\n') {
        at = first;
        begin = end = 0;
        protection = 0;
      } else if (at == first || at == second) {
        std::uintptr_t& number = at == first ? begin : end;
        if (c == '-') {
          at = second;
        } else if (c == ' ') {
          at = letters;
        } else {
          const auto digit = static_cast<std::uintptr_t>(c <= '9' ? c - '0' : c - 'a' + 10);
          number = number * 16 + digit;
        }
      } else if (at == letters) {
        if (c == 'r') protection |= PROT_READ;
        if (c == 'w') protection |= PROT_WRITE;
        if (c == 'x') protection |= PROT_EXEC;
        if (c == ' ') {
          at = rest;
          if (address >= begin && address < end) found = protection;
        }
      }
    }
  }
  close(file);
  return found;
}

// ELF and mprotect() know addresses as numbers.
template <class T>
T* at_address(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

bool put(void** slot, void* hook) {
  const auto address = reinterpret_cast<std::uintptr_t>(slot);
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const int before = protection_of(address);
  if (before < 0 || (before & PROT_EXEC) != 0) return false;
  const bool locked = (before & PROT_WRITE) == 0;
  void* start = at_address<void>(address & ~(page - 1));
  if (locked && mprotect(start, page, before | PROT_WRITE) != 0) return false;
  // Another thread may be calling through it at this moment.
  __atomic_store_n(slot, hook, __ATOMIC_RELEASE);
  if (locked) mprotect(start, page, before);
  return true;
}

// Whether an address lies in the code of a library: the stub that binds at the first call.
bool in_code(const dl_phdr_info& library, std::uintptr_t address) {
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const auto& part = library.dlpi_phdr[i];
    const std::uintptr_t begin = library.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0 && address >= begin &&
        address < begin + part.p_memsz)
      return true;
  }
  return false;
}

void lead(const dl_phdr_info& library, const ElfW(Rela) * table, std::size_t bytes,
          const ElfW(Sym) * symbols, const char* strings, Search& search) {
  if (table == nullptr) return;
  for (std::size_t i = 0; i < bytes / sizeof *table; ++i) {
    const auto& entry = table[i];
    const auto type = ELF64_R_TYPE(entry.r_info);
    if (type != called_slot && type != taken_slot) continue;
    const auto& symbol = symbols[ELF64_R_SYM(entry.r_info)];
    if (strcmp(strings + symbol.st_name, search.name) != 0) continue;
    auto** slot = at_address<void*>(library.dlpi_addr + entry.r_offset);
    void* holds = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (holds != search.real &&
        !(type == called_slot && in_code(library, reinterpret_cast<std::uintptr_t>(holds))))
      continue;
    if (put(slot, search.hook)) ++search.led;
  }
}

// The loader unloads no library meanwhile.
int visit(dl_phdr_info* library, std::size_t, void* user) {
  auto& search = *static_cast<Search*>(user);
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < library->dlpi_phnum; ++i)
    if (library->dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = at_address<const ElfW(Dyn)>(library->dlpi_addr + library->dlpi_phdr[i].p_vaddr);
  if (dynamic == nullptr || library->dlpi_addr == search.own) return 0;
  const ElfW(Rela)* called = nullptr, *others = nullptr;
  const ElfW(Sym)* symbols = nullptr;
  const char* strings = nullptr;
  std::size_t called_bytes = 0, other_bytes = 0;
  bool with_addends = true;
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    // The loader has made addresses of them, but for the kernel's own library, which has none.
    const auto value = dynamic->d_un.d_ptr;
    if (dynamic->d_tag == DT_JMPREL) called = at_address<const ElfW(Rela)>(value);
    if (dynamic->d_tag == DT_PLTRELSZ) called_bytes = value;
    if (dynamic->d_tag == DT_RELA) others = at_address<const ElfW(Rela)>(value);
    if (dynamic->d_tag == DT_RELASZ) other_bytes = value;
    if (dynamic->d_tag == DT_SYMTAB) symbols = at_address<const ElfW(Sym)>(value);
    if (dynamic->d_tag == DT_STRTAB) strings = at_address<const char>(value);
    if (dynamic->d_tag == DT_PLTREL) with_addends = value == DT_RELA;
  }
  // Below the library itself: offsets that have not been made addresses.
  const auto is_address = [&](const void* value) {
    return reinterpret_cast<std::uintptr_t>(value) >= library->dlpi_addr;
  };
  if (symbols == nullptr || strings == nullptr || !is_address(symbols) || !is_address(strings) ||
      !with_addends)
    return 0;
  if (called != nullptr && is_address(called))
    lead(*library, called, called_bytes, symbols, strings, search);
  if (others != nullptr && is_address(others))
    lead(*library, others, other_bytes, symbols, strings, search);
  return 0;
}

}  // namespace

int lead_linked_calls(const char* name, void* real, void* hook) {
  const Uncancelled guard;
  Dl_info info{};
  if (real == nullptr || dladdr(hook, &info) == 0) return 0;
  Search search{name, real, hook, reinterpret_cast<std::uintptr_t>(info.dli_fbase), 0};
  dl_iterate_phdr(&visit, &search);
  return search.led;
}

}  // namespace rnnadvisor::plugin
