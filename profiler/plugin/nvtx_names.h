// Texts of NVTX: names as ids of the spool, and the handles that a program has for registered ones.
#pragma once

#include <wchar.h>

#include <cstddef>
#include <cstdint>

namespace rnnadvisor::plugin {

// The id of a text in the spool; 0 for null and where nothing is recorded. Wide characters become
// UTF-8.
std::uint32_t nvtx_text(const char* text, std::size_t length);
std::uint32_t nvtx_text(const char* text);
std::uint32_t nvtx_text(const wchar_t* text);

// Whether another tool's functions stand behind ours, and give the handles.
void nvtx_chained(bool there);
// What the program gets as the handle of a domain or a registered string: the other tool's, where
// there is one, also where that gives none, because its functions will be asked what it means.
void* nvtx_handle(void* theirs, const char* text);
void* nvtx_handle(void* theirs, const wchar_t* text);
// The id of what a handle names.
std::uint32_t nvtx_name_of(const void* handle);

// A thread has this name from now on.
void nvtx_name_thread(std::uint32_t thread, std::uint32_t name);

}  // namespace rnnadvisor::plugin
