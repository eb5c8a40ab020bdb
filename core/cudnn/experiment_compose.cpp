// How the calls of a composition hang together.
#include "core/cudnn/experiment_builder.h"

namespace rnnadvisor::experiment {
namespace {

using Kind = Operation::Kind;
using enum Tensor;

constexpr auto input_states = {hx, cx, dhy, dcy};
constexpr auto output_states = {hy, cy, dhx, dcx};

// Slots for all states of a call, each with its transfers.
void own_states(ProgramBuilder& builder, int call) {
  for (const Tensor tensor : input_states)
    builder.state_transfer(call, tensor, builder.own(call, tensor));
  for (const Tensor tensor : output_states)
    builder.state_transfer(call, tensor, builder.own(call, tensor));
}

void forward_and_back(ProgramBuilder& builder, int calls) {
  Program& program = builder.program();
  for (int call = 0; call < calls; ++call) builder.operate(program.forward, Kind::call, call);
  if (!builder.training()) return;
  for (int call = calls; call-- > 0;) builder.operate(program.backward_data, Kind::call, call);
  for (int call = calls; call-- > 0;) builder.operate(program.backward_weights, Kind::call, call);
}

// x, y and their gradients where the whole batch or a part of it is one call.
void own_ends(ProgramBuilder& builder, int first, int last) {
  const RnnConfig bottom = builder.call(first).part.config;
  const RnnConfig top = builder.call(last).part.config;
  const int y_width = top.proj_size * top.directions();
  for (const Tensor tensor : {x, dx}) {
    builder.io_transfer(first, tensor, builder.own(first, tensor), bottom.input_size, 1,
                        builder.before().input_size);
  }
  for (const Tensor tensor : {y, dy}) {
    builder.io_transfer(last, tensor, builder.own(last, tensor), y_width, top.directions(),
                        top.proj_size);
  }
}

// Between two layers: what goes up, and its gradient down. With dropout that is two tensors each,
// without it one.
struct Joint {
  Place up_from, up_to, down_from, down_to;
};

Joint join(ProgramBuilder& builder, std::int64_t elements, bool dropout) {
  Joint joint;
  joint.up_from = builder.slot(elements);
  joint.up_to = dropout ? builder.slot(elements) : joint.up_from;
  if (!builder.training()) return joint;
  joint.down_from = builder.slot(elements);
  joint.down_to = dropout ? builder.slot(elements) : joint.down_from;
  return joint;
}

bool dropout_between_calls(const ProgramBuilder& builder) {
  return builder.training() && dropout_acts(builder.before());
}

Operation dropout(int mask, Place from, Place to, std::int64_t elements) {
  return {Kind::dropout, mask, {from, to, 1, elements, elements, elements}};
}

}  // namespace

// Also of one call: a stack of one.
void compose_layers(ProgramBuilder& builder, const std::vector<Part>& parts) {
  const int calls = static_cast<int>(parts.size());
  for (int call = 0; call < calls; ++call) {
    builder.add_call(parts[static_cast<std::size_t>(call)], call);
    own_states(builder, call);
  }
  own_ends(builder, 0, calls - 1);
  Program& program = builder.program();
  const bool between = dropout_between_calls(builder);
  std::vector<Operation> drops_back;
  for (int call = 0; call + 1 < calls; ++call) {
    const std::int64_t elements = builder.elements(call, y);
    const Joint joint = join(builder, elements, between);
    builder.set(call, y, joint.up_from);
    builder.set(call + 1, x, joint.up_to);
    builder.set(call + 1, dx, joint.down_from);
    builder.set(call, dy, joint.down_to);
    if (between) drops_back.push_back(dropout(call, joint.down_from, joint.down_to, elements));
  }
  if (!between || calls == 1) return forward_and_back(builder, calls);

  program.dropouts = calls - 1;
  for (int call = 0; call < calls; ++call) {
    if (call > 0) {
      program.forward.push_back(dropout(call - 1, builder.call(call - 1).at(y),
                                        builder.call(call).at(x), builder.elements(call, x)));
    }
    builder.operate(program.forward, Kind::call, call);
  }
  for (int call = calls; call-- > 0;) {
    builder.operate(program.backward_data, Kind::call, call);
    if (call > 0) program.backward_data.push_back(drops_back[static_cast<std::size_t>(call - 1)]);
    builder.operate(program.backward_weights, Kind::call, call);
  }
}

namespace {

// Rows of a call's x or y, each sequence backwards, from one place to another. Sequences that stand
// side by side and are equally long go together; there is a copy for each time step at least.
void reverse(ProgramBuilder& builder, std::vector<Operation>& list, int call, Place from,
             std::int64_t from_width, Place to, std::int64_t to_width, std::int64_t width) {
  const RnnConfig config = builder.call(call).part.config;
  const IoLayout& rows = builder.layout(call);
  const int T = config.seq_length;
  if (!config.has_varying_lengths()) {
    const std::int64_t apart = config.batch_size > 1 ? rows.row(0, 1) - rows.row(0, 0) : 1;
    for (int t = 0; t < T; ++t) {
      builder.copy_rows(list, {{from.slot, from.offset + rows.row(T - 1 - t, 0) * from_width},
                               {to.slot, to.offset + rows.row(t, 0) * to_width},
                               config.batch_size,
                               width,
                               apart * from_width,
                               apart * to_width});
    }
    return;
  }
  for (int t = 0; t < T; ++t) {
    for (int b = 0; b < config.batch_size; ++b) {
      const int length = rows.lengths()[static_cast<std::size_t>(b)];
      if (t >= length) continue;
      builder.copy(list, {from.slot, from.offset + rows.row(length - 1 - t, b) * from_width},
                   {to.slot, to.offset + rows.row(t, b) * to_width}, width);
    }
  }
}

}  // namespace

void compose_directions(ProgramBuilder& builder, const std::vector<Part>& parts) {
  const int layers = static_cast<int>(parts.size() / 2);
  for (int call = 0; call < 2 * layers; ++call) {
    builder.add_call(parts[static_cast<std::size_t>(call)], call);
    own_states(builder, call);
  }
  Program& program = builder.program();
  program.remark =
      "the second direction's tensors are reversed by one copy for each time step, which is part "
      "of "
      "the time: a kernel of the program's own would do it at once";
  const bool between = dropout_between_calls(builder);
  std::vector<std::vector<Operation>> backward;  // of each layer
  Place input = builder.slot(builder.elements(0, x));
  builder.io_transfer(0, x, input, parts[0].config.input_size, 1, builder.before().input_size);
  Place input_gradient;  // where a layer leaves the gradient of its input: `above` of the one below
  for (int layer = 0; layer < layers; ++layer) {
    const int forward = 2 * layer;
    const int reversed = forward + 1;
    const RnnConfig config = parts[static_cast<std::size_t>(forward)].config;
    const std::int64_t in = config.input_size;
    const std::int64_t half = config.proj_size;
    const std::int64_t rows = builder.layout(forward).rows();

    builder.set(forward, x, input);
    const Place reversed_x = builder.own(reversed, x);
    const Place forward_y = builder.own(forward, y);
    const Place reversed_y = builder.own(reversed, y);
    const Place output = builder.slot(rows * 2 * half);
    const Place right{output.slot, half};
    reverse(builder, program.forward, reversed, input, in, reversed_x, in, in);
    builder.operate(program.forward, Kind::call, forward);
    builder.operate(program.forward, Kind::call, reversed);
    builder.copy_rows(program.forward, {forward_y, output, rows, half, half, 2 * half});
    reverse(builder, program.forward, reversed, reversed_y, half, right, 2 * half, half);
    const bool last = layer + 1 == layers;
    if (last)
      builder.io_transfer(forward, y, output, static_cast<int>(2 * half), 2,
                          static_cast<int>(half));
    input = output;
    if (between && !last) {
      input = builder.slot(rows * 2 * half);
      program.forward.push_back(dropout(program.dropouts++, output, input, rows * 2 * half));
    }
    if (!builder.training()) continue;

    // What the layer gets from above, in its own turn: first undo the dropout, then take apart.
    std::vector<Operation> back;
    const Place above = builder.slot(rows * 2 * half);
    if (last) {
      builder.io_transfer(forward, dy, above, static_cast<int>(2 * half), 2,
                          static_cast<int>(half));
    }
    const Place forward_dy = builder.own(forward, dy);
    const Place reversed_dy = builder.own(reversed, dy);
    const bool straight_down = layer > 0 && !between;
    const Place forward_dx = straight_down ? input_gradient : builder.own(forward, dx);
    builder.set(forward, dx, forward_dx);
    const Place reversed_dx = builder.own(reversed, dx);
    const Place turned_dx = builder.slot(rows * in);
    builder.copy_rows(back, {above, forward_dy, rows, half, 2 * half, half});
    reverse(builder, back, reversed, {above.slot, half}, 2 * half, reversed_dy, half, half);
    builder.operate(back, Kind::call, forward);
    builder.operate(back, Kind::call, reversed);
    reverse(builder, back, reversed, reversed_dx, in, turned_dx, in, in);
    back.push_back({Kind::add, 0, {turned_dx, forward_dx, 1, rows * in, rows * in, rows * in}});
    if (layer == 0) {
      builder.io_transfer(forward, dx, forward_dx, config.input_size, 1,
                          builder.before().input_size);
    } else if (between) {
      back.push_back(dropout(layer - 1, forward_dx, input_gradient, rows * in));
    }
    input_gradient = above;
    backward.push_back(std::move(back));
  }
  for (int layer = layers; builder.training() && layer-- > 0;) {
    const auto& back = backward[static_cast<std::size_t>(layer)];
    program.backward_data.insert(program.backward_data.end(), back.begin(), back.end());
    builder.operate(program.backward_weights, Kind::call, 2 * layer);
    builder.operate(program.backward_weights, Kind::call, 2 * layer + 1);
  }
}

void compose_rows(ProgramBuilder& builder, const std::vector<Part>& parts) {
  const int calls = static_cast<int>(parts.size());
  for (int call = 0; call < calls; ++call) {
    builder.add_call(parts[static_cast<std::size_t>(call)], 0);
    own_states(builder, call);
    own_ends(builder, call, call);
  }
  forward_and_back(builder, calls);
}

namespace {

// Rows of a state tensor [pseudo-layer][sequence][width] that both calls have, by their places in
// the batch, from one call's to the other's.
void hand_on(ProgramBuilder& builder, std::vector<Operation>& list, int from_call, Tensor from,
             int to_call, Tensor to, const std::vector<bool>& which) {
  const RnnConfig source = builder.call(from_call).part.config;
  const RnnConfig target = builder.call(to_call).part.config;
  const std::int64_t width = is_cell_state(from) ? source.hidden_size : source.proj_size;
  for (int pseudo = 0; pseudo < source.pseudo_layers(); ++pseudo) {
    for (std::size_t b = 0; b < which.size(); ++b) {
      // Sequences that stand side by side are one piece.
      std::size_t end = b;
      while (end < which.size() && which[end]) ++end;
      if (end == b) continue;
      const auto place = [&](int call, Tensor tensor, const RnnConfig& config) {
        const Place start = builder.call(call).at(tensor);
        return Place{start.slot, start.offset + (std::int64_t{pseudo} * config.batch_size +
                                                 static_cast<std::int64_t>(b)) *
                                                    width};
      };
      builder.copy(list, place(from_call, from, source), place(to_call, to, target),
                   static_cast<std::int64_t>(end - b) * width);
      b = end;
    }
  }
}

// A chunk of a batch-major tensor is not one piece of memory: the program has the whole of it and
// copies chunks out and in.
struct WholeTensor {
  Place place;
  int steps = 0;
};

Copy chunk_copy(const WholeTensor& whole, Place chunk, const Part& part, std::int64_t width,
                bool out_of_whole) {
  const Place at{whole.place.slot, part.first_step * width};
  const std::int64_t piece = part.config.seq_length * width;
  if (out_of_whole) return {at, chunk, part.config.batch_size, piece, whole.steps * width, piece};
  return {chunk, at, part.config.batch_size, piece, piece, whole.steps * width};
}

}  // namespace

void compose_steps(ProgramBuilder& builder, const std::vector<Part>& parts) {
  const int calls = static_cast<int>(parts.size());
  Program& program = builder.program();
  const bool cut = parts[0].config.layout == Layout::batch_major_unpacked;
  for (int call = 0; call < calls; ++call)
    builder.add_call(parts[static_cast<std::size_t>(call)], 0);

  // Whole tensors of batch-major data, found through a call that has all steps but is never made.
  std::array<WholeTensor, tensor_count> whole;
  const auto at = [&](Tensor tensor) -> WholeTensor& {
    return whole[static_cast<std::size_t>(tensor)];
  };
  if (cut) {
    Part all = parts[0];
    for (const auto& part : parts) {
      all.config.seq_length = part.first_step + part.config.seq_length;
    }
    std::vector<int> lengths(all.rows.size(), 0);
    for (const auto& part : parts) {
      const auto chunk = sequence_lengths(part.config);
      for (std::size_t b = 0; b < chunk.size(); ++b) lengths[b] += chunk[b];
    }
    all.config.seq_lengths = lengths;
    const int call = builder.add_call(all, 0);
    for (const Tensor tensor : {x, dx, y, dy}) {
      at(tensor) = {builder.own(call, tensor), all.config.seq_length};
      const int width = tensor == x || tensor == dx ? all.config.input_size : all.config.proj_size;
      const int inner =
          tensor == x || tensor == dx ? builder.before().input_size : builder.before().proj_size;
      builder.io_transfer(call, tensor, at(tensor).place, width, 1, inner);
    }
    program.calls.pop_back();
    program.remark =
        "batch-major chunks are copied out of and into the whole tensors, which is part of the "
        "time; sequence-major ones need no copies";
  }

  std::vector<std::vector<Operation>> before_forward(parts.size()), before_backward(parts.size());
  for (int call = 0; call < calls; ++call) {
    if (cut) {
      for (const Tensor tensor : {x, dx, y, dy}) builder.own(call, tensor);
    } else {
      own_ends(builder, call, call);
    }
    // Which sequences go on in the next chunk.
    const auto lengths = sequence_lengths(parts[static_cast<std::size_t>(call)].config);
    std::vector<bool> goes_on(lengths.size(), false);
    bool all_go_on = call + 1 < calls;
    if (call + 1 < calls) {
      const auto next = sequence_lengths(parts[static_cast<std::size_t>(call) + 1].config);
      for (std::size_t b = 0; b < next.size(); ++b) goes_on[b] = next[b] > 0;
      for (const bool each : goes_on) all_go_on = all_go_on && each;
    }
    std::vector<bool> ends = goes_on;
    ends.flip();

    if (call == 0) {
      for (const Tensor tensor : {hx, cx, dhx, dcx})
        builder.state_transfer(call, tensor, builder.own(call, tensor));
    }
    for (const Tensor tensor : {hy, cy})
      builder.state_transfer(call, tensor, builder.own(call, tensor), &ends);
    if (call + 1 == calls) {
      for (const Tensor tensor : {dhy, dcy})
        builder.state_transfer(call, tensor, builder.own(call, tensor));
      continue;
    }
    // The states of this chunk are the next one's, and their gradients come back. Where no sequence
    // ends they are simply the same memory.
    const auto next = static_cast<std::size_t>(call) + 1;
    for (const auto& [result, state, gradient, state_gradient] :
         {std::array{hy, hx, dhx, dhy}, std::array{cy, cx, dcx, dcy}}) {
      if (builder.call(call).at(result).slot < 0) continue;
      const Place came_back = builder.own(call + 1, gradient);
      if (all_go_on) {
        builder.set(call + 1, state, builder.call(call).at(result));
        builder.set(call, state_gradient, came_back);
        continue;
      }
      builder.own(call + 1, state);
      hand_on(builder, before_forward[next], call, result, call + 1, state, goes_on);
      if (!builder.training()) continue;
      builder.state_transfer(call, state_gradient, builder.own(call, state_gradient), &ends);
      hand_on(builder, before_backward[static_cast<std::size_t>(call)], call + 1, gradient, call,
              state_gradient, goes_on);
    }
  }

  const auto append = [](std::vector<Operation>& list, const std::vector<Operation>& more) {
    list.insert(list.end(), more.begin(), more.end());
  };
  const auto move_chunk = [&](std::vector<Operation>& list, int call, Tensor tensor, bool out) {
    if (!cut) return;
    const Part& part = builder.call(call).part;
    const int width = tensor == x || tensor == dx ? part.config.input_size : part.config.proj_size;
    builder.copy_rows(list,
                      chunk_copy(at(tensor), builder.call(call).at(tensor), part, width, out));
  };
  for (int call = 0; call < calls; ++call) {
    append(program.forward, before_forward[static_cast<std::size_t>(call)]);
    move_chunk(program.forward, call, x, true);
    builder.operate(program.forward, Kind::call, call);
    move_chunk(program.forward, call, y, false);
  }
  if (!builder.training()) return;
  for (int call = calls; call-- > 0;) {
    append(program.backward_data, before_backward[static_cast<std::size_t>(call)]);
    move_chunk(program.backward_data, call, dy, true);
    builder.operate(program.backward_data, Kind::call, call);
    move_chunk(program.backward_data, call, dx, false);
    builder.operate(program.backward_weights, Kind::call, call);
  }
}

}  // namespace rnnadvisor::experiment
