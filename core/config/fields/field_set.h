// A set of the fields of one table, by their number in fields.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rnnadvisor::fields {

class FieldSet {
 public:
  constexpr bool has(std::size_t index) const { return ((bits_ >> index) & 1U) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  // False when the field was in the set already.
  constexpr bool insert(std::size_t index) {
    const bool is_new = !has(index);
    bits_ |= std::uint64_t{1} << index;
    return is_new;
  }
  constexpr void erase(std::size_t index) { bits_ &= ~(std::uint64_t{1} << index); }

  bool operator==(const FieldSet&) const = default;

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace rnnadvisor::fields
