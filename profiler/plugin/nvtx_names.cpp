#include "profiler/plugin/nvtx_names.h"

#include <stdlib.h>
#include <string.h>

#include <atomic>

#include "profiler/plugin/places.h"
#include "profiler/plugin/plugin.h"

namespace rnnadvisor::plugin {
namespace {

std::atomic<bool> chained{false};

// Wide characters as UTF-8, cut off where `out` ends; the length. What is no character, a surrogate
// among them, stands there as U+FFFD.
std::size_t to_utf8(const wchar_t* text, char* out, std::size_t size) {
  std::size_t at = 0;
  for (; *text != 0 && at + 4 < size; ++text) {
    auto c = static_cast<char32_t>(*text);
    if (c >= 0x110000 || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;
    if (c < 0x80) {
      out[at++] = static_cast<char>(c);
    } else if (c < 0x800) {
      out[at++] = static_cast<char>(0xc0 | (c >> 6));
      out[at++] = static_cast<char>(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
      out[at++] = static_cast<char>(0xe0 | (c >> 12));
      out[at++] = static_cast<char>(0x80 | ((c >> 6) & 0x3f));
      out[at++] = static_cast<char>(0x80 | (c & 0x3f));
    } else {
      out[at++] = static_cast<char>(0xf0 | (c >> 18));
      out[at++] = static_cast<char>(0x80 | ((c >> 12) & 0x3f));
      out[at++] = static_cast<char>(0x80 | ((c >> 6) & 0x3f));
      out[at++] = static_cast<char>(0x80 | (c & 0x3f));
    }
  }
  return at;
}

constexpr std::size_t longest_wide = 1024;

// The text of a domain or a registered string, which is what our handles point to. It outlives a
// fork, while its id is one spool's.
struct Registered {
  std::atomic<std::uint64_t> id;  // with the generation above it
  std::uint64_t hash;
  std::size_t length;
  char text[1];
};

// Equal texts share one, as far as there is room to find them again.
constexpr std::size_t registered_slots = 1 << 12, most_probes = 64;
std::atomic<Registered*> all_registered[registered_slots];

Registered* registered(const char* text, std::size_t length) {
  constexpr std::size_t longest = 16384;
  if (length > longest) length = longest;
  const std::uint64_t hash = spool::hash_bytes(text, length);
  Registered* made = nullptr;
  std::size_t slot = hash & (registered_slots - 1);
  for (std::size_t probes = 0; probes < most_probes; ++probes) {
    auto& here = all_registered[slot];
    Registered* there = here.load(std::memory_order_acquire);
    if (there == nullptr && made == nullptr) {
      made = static_cast<Registered*>(malloc(sizeof *made + length));
      if (made == nullptr) return nullptr;
      made->id.store(0);
      made->hash = hash;
      made->length = length;
      memcpy(made->text, text, length);
      made->text[length] = 0;
    }
    if (there == nullptr && here.compare_exchange_strong(there, made)) return made;
    if (there->hash == hash && there->length == length && memcmp(there->text, text, length) == 0) {
      free(made);
      return there;
    }
    slot = (slot + 1) & (registered_slots - 1);
  }
  return made;
}

// Another tool's handles, and what they name.
struct Handle {
  std::atomic<std::uint64_t> key;  // its address
  std::atomic<Registered*> text;
};
Handle handles[1 << 14];

// What the program gets as handle: the other tool's, also where that gives none, because its
// functions will be asked what it means.
void* handle_for(void* theirs, Registered* text) {
  if (!chained.load(std::memory_order_relaxed)) return text;
  if (theirs == nullptr) return nullptr;
  if (const auto found =
          find_place(handles, reinterpret_cast<std::uintptr_t>(theirs), true, most_probes);
      found.place != nullptr)
    found.place->text.store(text);
  return theirs;
}

std::uint32_t id_of(Registered* text) {
  if (text == nullptr || !ready()) return 0;
  const std::uint64_t here = static_cast<std::uint64_t>(generation()) << 32;
  const std::uint64_t known = text->id.load(std::memory_order_relaxed);
  if ((known & ~std::uint64_t{0xffffffff}) == here) return static_cast<std::uint32_t>(known);
  const std::uint32_t id = writer().intern(text->text, text->length);
  text->id.store(here | id, std::memory_order_relaxed);
  return id;
}

}  // namespace

std::uint32_t nvtx_text(const char* text, std::size_t length) {
  return ready() ? writer().intern(text, length, spool::Writer::Kind::many) : 0;
}
std::uint32_t nvtx_text(const char* text) {
  return text == nullptr ? 0 : nvtx_text(text, strlen(text));
}
std::uint32_t nvtx_text(const wchar_t* text) {
  if (text == nullptr) return 0;
  char out[longest_wide];
  const std::size_t length = to_utf8(text, out, sizeof out);
  return nvtx_text(out, length);
}

void nvtx_chained(bool there) { chained.store(there); }

void* nvtx_handle(void* theirs, const char* text) {
  return handle_for(theirs, text == nullptr ? nullptr : registered(text, strlen(text)));
}
void* nvtx_handle(void* theirs, const wchar_t* text) {
  if (text == nullptr) return handle_for(theirs, nullptr);
  char out[longest_wide];
  return handle_for(theirs, registered(out, to_utf8(text, out, sizeof out)));
}

std::uint32_t nvtx_name_of(const void* handle) {
  if (handle == nullptr) return 0;
  if (!chained.load(std::memory_order_relaxed))
    return id_of(static_cast<Registered*>(const_cast<void*>(handle)));
  const auto found =
      find_place(handles, reinterpret_cast<std::uintptr_t>(handle), false, most_probes);
  return found.place == nullptr ? 0 : id_of(found.place->text.load());
}

// Outside the capture range, too: a thread is named once, at its beginning.
void nvtx_name_thread(std::uint32_t thread, std::uint32_t name) {
  if (name == 0 || !ready()) return;
  writer().add(spool::ThreadName{{}, thread, name}, spool::Loss::nvtx);
}

}  // namespace rnnadvisor::plugin
