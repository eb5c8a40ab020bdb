// The device code that compares two tensors, as PTX: the driver translates it for the GPU that it
// finds, so no CUDA compiler is needed to build the plugin.
#pragma once

namespace rnnadvisor::plugin {

inline constexpr char comparison_kernel_name[] = "rnnadvisor_compare";
enum class ComparedType : unsigned { float32 = 0, bfloat16 = 1, half = 2 };

// rnnadvisor_compare(const void* a, const void* b, u64 count, u32 type, double out[3]): adds the
// sum of (a - b)^2 and of a^2 over the elements that are finite in both, and the number of elements
// that are finite in one only. Differences of half's smallest step, 2^-24, are none. Any grid;
// sm_60 (atomic addition of doubles).
inline constexpr char comparison_kernel[] = R"(
.version 6.3
.target sm_60
.address_size 64
.visible .entry rnnadvisor_compare(
  .param .u64 first, .param .u64 second, .param .u64 count, .param .u32 type, .param .u64 out)
{
  .reg .pred %done, %is_float, %is_half, %finite_a, %finite_b, %both, %one, %leads;
  .reg .b16 %wa, %wb;
  .reg .b32 %ra, %rb, %type, %thread, %block, %blocks, %threads, %slot;
  .reg .f32 %a, %b, %absolute;
  .reg .f64 %da, %db, %difference, %reference, %elsewhere, %sum;
  .reg .b64 %first, %second, %count, %out, %i, %stride, %offset, %at;
  .shared .align 8 .f64 sums[3];

  ld.param.u64 %first, [first];
  ld.param.u64 %second, [second];
  ld.param.u64 %count, [count];
  ld.param.u32 %type, [type];
  ld.param.u64 %out, [out];
  cvta.to.global.u64 %first, %first;
  cvta.to.global.u64 %second, %second;
  cvta.to.global.u64 %out, %out;
  mov.u32 %thread, %tid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %blocks, %nctaid.x;
  setp.lt.u32 %leads, %thread, 3;
  mov.u32 %slot, sums;
  mad.lo.u32 %slot, %thread, 8, %slot;
  mov.f64 %sum, 0d0000000000000000;
  @%leads st.shared.f64 [%slot], %sum;
  bar.sync 0;

  mul.wide.u32 %i, %block, %threads;
  cvt.u64.u32 %offset, %thread;
  add.u64 %i, %i, %offset;
  mul.wide.u32 %stride, %blocks, %threads;
  mov.f64 %difference, 0d0000000000000000;
  mov.f64 %reference, 0d0000000000000000;
  mov.f64 %elsewhere, 0d0000000000000000;
  setp.eq.u32 %is_float, %type, 0;
  setp.eq.u32 %is_half, %type, 2;

next:
  setp.ge.u64 %done, %i, %count;
  @%done bra sum_up;
  @%is_float bra load_float;
  shl.b64 %offset, %i, 1;
  add.u64 %at, %first, %offset;
  ld.global.b16 %wa, [%at];
  add.u64 %at, %second, %offset;
  ld.global.b16 %wb, [%at];
  @%is_half bra convert_half;
  mov.b32 %ra, {0, %wa};
  mov.b32 %rb, {0, %wb};
  mov.b32 %a, %ra;
  mov.b32 %b, %rb;
  bra compare;
convert_half:
  cvt.f32.f16 %a, %wa;
  cvt.f32.f16 %b, %wb;
  bra compare;
load_float:
  shl.b64 %offset, %i, 2;
  add.u64 %at, %first, %offset;
  ld.global.f32 %a, [%at];
  add.u64 %at, %second, %offset;
  ld.global.f32 %b, [%at];
compare:
  abs.f32 %absolute, %a;
  setp.le.f32 %finite_a, %absolute, 0f7F7FFFFF;
  abs.f32 %absolute, %b;
  setp.le.f32 %finite_b, %absolute, 0f7F7FFFFF;
  and.pred %both, %finite_a, %finite_b;
  xor.pred %one, %finite_a, %finite_b;
  cvt.f64.f32 %da, %a;
  cvt.f64.f32 %db, %b;
  sub.f64 %db, %da, %db;
  @%both fma.rn.f64 %difference, %db, %db, %difference;
  @%both fma.rn.f64 %reference, %da, %da, %reference;
  @%one add.f64 %elsewhere, %elsewhere, 0d3FF0000000000000;
  add.u64 %i, %i, %stride;
  bra next;

sum_up:
  red.shared.add.f64 [sums], %difference;
  red.shared.add.f64 [sums+8], %reference;
  red.shared.add.f64 [sums+16], %elsewhere;
  bar.sync 0;
  @!%leads bra finish;
  ld.shared.f64 %sum, [%slot];
  mul.wide.u32 %offset, %thread, 8;
  add.u64 %at, %out, %offset;
  red.global.add.f64 [%at], %sum;
finish:
  ret;
}
)";

}  // namespace rnnadvisor::plugin
