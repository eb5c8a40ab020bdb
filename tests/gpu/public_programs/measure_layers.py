"""Recurrent layers in half and sequences padded in place of packed, for measure.py."""
from measure_changes import BACKWARD, HALF, HALF_SIZES, LAYERS, PADDED, SEPARATE_DIRECTIONS, SEPARATE_LAYERS, STEP


class Layers:
    """Of the program's process (`Inside`)."""

    def half_layers(self, original, module, data, state):
        """The layer in half with padded sizes. The program's optimizer goes on with its own weights, whose gradients are 0."""
        torch, functional = self.torch, self.torch.nn.functional
        (units, units_of), (inputs, inputs_of), sequences = HALF_SIZES[self.options.inside]

        def padded(size, least, multiple):
            return max(least, -(-size // multiple) * multiple)
        ways, batch_at = 2 if module.bidirectional else 1, 0 if module.batch_first else 1
        apart = ways == 2 and self.options.inside in SEPARATE_DIRECTIONS
        if id(module) not in self.halves:
            width, hidden, layers = padded(module.input_size, inputs, inputs_of), padded(module.hidden_size, units, units_of), []
            each = module.num_layers if self.options.inside in SEPARATE_LAYERS else 1
            for index in range(each * (2 if apart else 1)):
                layers.append(type(module)(width if index < (2 if apart else 1) else hidden * ways, hidden, module.num_layers // each, bias=module.bias, batch_first=module.batch_first,
                                           dropout=module.dropout if each == 1 else 0, bidirectional=ways == 2 and not apart).to("cuda", torch.float16))
            self.halves[id(module)] = width, hidden, layers
            for weight in module.parameters():
                self.zeros.append((weight, torch.zeros_like(weight)))
        width, hidden, layers = self.halves[id(module)]
        for layer in layers:
            layer.train(module.training)
        batch = data.size(batch_at)
        more = max(0, sequences - batch)
        with torch.autocast("cuda", enabled=False):
            given = functional.pad(data.half(), (0, width - data.size(2), 0, 0, 0, more) if module.batch_first else (0, width - data.size(2), 0, more))
            states = None
            if state is not None:
                wide = [functional.pad(one.half(), (0, hidden - module.hidden_size, 0, more)).contiguous() for one in (state if isinstance(state, tuple) else (state,))]
                states = [tuple(one.chunk(len(layers))[index].contiguous() for one in wide) for index in range(len(layers))]
            out, ends, steps_at = given, [], 1 - batch_at
            for ahead, back in zip(layers[::2], layers[1::2]) if apart else ():
                (one, end), (other, last) = original(ahead, out), original(back, out.flip(steps_at))
                out = torch.cat((one, other.flip(steps_at)), 2)
                ends += [part if isinstance(part, tuple) else (part,) for part in (end, last)]
            for index, layer in enumerate(() if apart else layers):
                begin = None if states is None else states[index] if len(states[index]) == 2 else states[index][0]
                out, end = original(layer, out, begin)
                ends.append(end if isinstance(end, tuple) else (end,))
            out = out.narrow(batch_at, 0, batch).unflatten(2, (ways, hidden))[..., :module.hidden_size].flatten(2)
            ends = tuple(torch.cat(one)[:, :batch, :module.hidden_size].to(data.dtype).contiguous() for one in zip(*ends))
        return out.to(data.dtype), ends if len(ends) == 2 else ends[0]

    def half_packed(self, original, module, packed, state):
        """The layer in half, of a packed sequence, with its own sizes."""
        torch = self.torch
        if id(module) not in self.halves:
            layer = type(module)(module.input_size, module.hidden_size, module.num_layers, bias=module.bias, dropout=module.dropout,
                                 bidirectional=module.bidirectional).to("cuda", torch.float16)
            self.halves[id(module)] = module.input_size, module.hidden_size, [layer]
            self.zeros += [(weight, torch.zeros_like(weight)) for weight in module.parameters()]
        _, _, (layer,) = self.halves[id(module)]
        with torch.autocast("cuda", enabled=False):
            states = state and torch.utils._pytree.tree_map(lambda one: one.half(), state)
            out, end = original(layer, packed._replace(data=packed.data.half()), states)
        return out._replace(data=out.data.to(packed.data.dtype)), torch.utils._pytree.tree_map(lambda one: one.to(packed.data.dtype), end)

    def pack(self, rnn, nn):
        torch, inside = self.torch, self

        class Padded:
            def __init__(self, data, lengths, batch_first):
                self.data, self.lengths, self.batch_first = data, lengths, batch_first
        torch.utils._pytree.register_pytree_node(Padded, lambda one: ([one.data, one.lengths], one.batch_first), lambda parts, first: Padded(*parts, first))
        pack, unpack, self.padded_kind = rnn.pack_padded_sequence, rnn.pad_packed_sequence, Padded

        def packed(data, lengths, batch_first=False, enforce_sorted=True):
            inside.uses_packing = True
            if isinstance(lengths, (list, tuple)):
                lengths = [int(one) for one in lengths]  # PyTorch takes tensors for sequences once __getitem__ is replaced
            if inside.now not in (PADDED, BACKWARD, STEP):  # a graph of packed sequences would keep the lengths of one batch
                return pack(data, lengths, batch_first, enforce_sorted)
            lengths = torch.as_tensor(lengths)
            longest = int(lengths.max()) if not lengths.is_cuda and lengths.any() else data.size(1 if batch_first else 0)
            return Padded(data[:, :longest] if batch_first else data[:longest], lengths, batch_first)

        def unpacked(sequence, batch_first=False, padding_value=0.0, total_length=None):
            if not isinstance(sequence, Padded):
                return unpack(sequence, batch_first, padding_value, total_length)
            data = sequence.data if batch_first == sequence.batch_first else sequence.data.transpose(0, 1)
            if total_length is not None and data.size(1 if batch_first else 0) < total_length:
                pad = total_length - data.size(1 if batch_first else 0)
                data = torch.nn.functional.pad(data, (0, 0, 0, pad) if batch_first else (0, 0, 0, 0, 0, pad))
            return data, sequence.lengths.cpu()
        rnn.pack_padded_sequence, rnn.pad_packed_sequence = packed, unpacked
        nn.utils.rnn.pack_padded_sequence, nn.utils.rnn.pad_packed_sequence = packed, unpacked
        for kind in (nn.LSTM, nn.GRU, nn.RNN):
            def forward(this, input, hx=None, original=kind.forward):
                if not isinstance(input, Padded):
                    if inside.now == LAYERS and this.training and id(this) not in inside.own():
                        if isinstance(input, rnn.PackedSequence):
                            return inside.half_packed(original, this, input, hx)
                        if input.dim() == 3:
                            return inside.half_layers(original, this, input, hx)
                    if hx is not None and inside.now != HALF and not isinstance(input, rnn.PackedSequence):  # left over from steps under autocast
                        dtype = hx[0].dtype if isinstance(hx, (tuple, list)) else hx.dtype
                        if dtype != input.dtype and not torch.is_autocast_enabled("cuda"):
                            hx = tuple(one.to(input.dtype) for one in hx) if isinstance(hx, (tuple, list)) else hx.to(input.dtype)
                    return original(this, input, hx)
                data, state = input, hx
                given = data.data if data.batch_first == this.batch_first else data.data.transpose(0, 1)
                out, state = original(this, given, state)
                if this.num_layers == 1:  # the last state of the forward direction; deeper layers' are left as they are
                    at = (data.lengths.to(out.device, non_blocking=True).long() - 1).clamp(min=0).view(*((-1, 1, 1) if this.batch_first else (1, -1, 1)))
                    last = out.gather(1 if this.batch_first else 0, at.expand(*((-1, 1, out.size(2)) if this.batch_first else (1, -1, out.size(2)))))
                    last = last.reshape(out.size(0 if this.batch_first else 1), -1)
                    heads = torch.stack(last.chunk(2 if this.bidirectional else 1, -1))
                    state = (heads, state[1]) if isinstance(state, tuple) else heads
                return Padded(out if data.batch_first == this.batch_first else out.transpose(0, 1), data.lengths, data.batch_first), state
            kind.forward = forward

    def own(self):
        return {id(layer) for _, _, layers in self.halves.values() for layer in layers}
