"""What an expert would change in the host's part of a program, for measure.py: by hand, each in its own programs (BY_HAND)."""
import builtins
import importlib

from measure_changes import AS_WRITTEN, BACKWARD, BY_HAND, DRAWN, MODULE, NETWORK, ON_GPU, PRODUCT, READY, SEQUENCE, STEP

KEPT = 4            # batches that are handed out again
WORDS = 10          # of each sentence of compound_pcfg, whose steps take ten times as long for long sentences as for short ones
BUCKET = 600        # of end_to_end_asr's 1,200 sentences by length
LENGTHS = 32        # between those that uis_rnn's batches are padded up to
BEGIN, END = 0, 1   # signs of chatbot: SOS_token, and EOS_token, which its loss leaves out


class ByHand:
    """Of the program's process (`Inside`)."""

    def by_hand(self):
        """Before the program is started."""
        program, classes = self.options.inside, {}
        if READY in BY_HAND.get(program, ()):
            loader = self.torch.utils.data.DataLoader
            loader.__iter__ = self.handed_out(loader.__iter__)
        if program == "drqa":
            classes["__main__", "BatchGen"] = lambda kind: setattr(kind, "__iter__", self.handed_out(kind.__iter__))
        if program == "compound_pcfg":
            classes["data", "Dataset"] = self.one_length
            classes["PCFG", "PCFG"] = self.trees_of_compound_pcfg
        if program == "chatbot":
            classes["model", "Attn"] = self.attention_of_chatbot
        if program == "stgat":
            classes["models", "TrajectoryGenerator"] = self.cells_of_stgat
        if program == "a2c_recurrent":
            classes["a2c_ppo_acktr.model", "NNBase"] = self.steps_of_a2c
        self.change_classes(classes)
        if program == "deeplog":
            self.drawn_once()
        if program == "compile":
            self.toys()
        if program == "uis_rnn":
            self.packed_batches()
            self.padded_like_packed()
        if program == "end_to_end_asr":  # its classes of TorchScript must be made by nothing else
            self.one_bucket(importlib.import_module("corpus.librispeech").LibriDataset)
            self.words_of_asr(importlib.import_module("src.asr").ASR)
        if program == "chatbot":
            module = importlib.import_module("train")
            module.train = self.training_of_chatbot(module.train)

    def change_classes(self, changes):
        """Each class of that name as soon as the program has made it."""
        make = builtins.__build_class__

        def build(body, name, *bases, **words):
            kind = make(body, name, *bases, **words)
            if (kind.__module__, name) in changes:
                changes[kind.__module__, name](kind)
            return kind
        if changes:
            builtins.__build_class__ = build

    def handed_out(self, iterate):
        """Batches of earlier steps again, where batches are ready: as if others prepared them. Without gradients the program evaluates, to an end."""
        torch, tree, inside, kept, copied = self.torch, self.torch.utils._pytree, self, {}, {}

        def on_gpu(batch):
            if id(batch) not in copied:
                copied[id(batch)] = tree.tree_map(lambda one: one.cuda() if isinstance(one, torch.Tensor) else one, batch)
            return copied[id(batch)]

        def batches(loader):
            found, real = kept.setdefault(id(loader), []), iterate(loader)
            while True:
                if inside.now in (READY, ON_GPU) and len(found) == KEPT and torch.is_grad_enabled():
                    found.append(found.pop(0))
                    yield on_gpu(found[0]) if inside.now == ON_GPU else found[0]
                    continue
                try:
                    batch = next(real)
                except StopIteration:
                    return
                if len(found) < KEPT:
                    found.append(batch)
                yield batch
        return batches

    def toys(self):
        """compile draws 512 sequences on the CPU for each step."""
        utils, rnn, kept, inside = importlib.import_module("utils"), self.torch.nn.utils.rnn, [], self
        draw, pad, padded = utils.generate_toy_data, rnn.pad_sequence, []

        def drawn(*words, **names):
            if inside.now == READY and len(kept) >= 512:
                kept.append(kept.pop(0))
                return kept[0]
            one = draw(*words, **names)
            if len(kept) < 512:
                kept.append(one)
            return one

        def once(*words, **names):
            if inside.now != READY:
                return pad(*words, **names)
            if not padded:
                padded.append(pad(*words, **names))
            return padded[0]
        utils.generate_toy_data, rnn.pad_sequence = drawn, once

    def packed_batches(self):
        """uis_rnn draws, fills and packs a batch in NumPy for each step."""
        utils, kept, inside = importlib.import_module("uisrnn.utils"), [], self
        pack = utils.pack_sequence

        def packed(*words):
            if inside.now == READY and len(kept) == KEPT:
                kept.append(kept.pop(0))
                return kept[0]
            one = pack(*words)
            if inside.now in (BACKWARD, STEP):  # up to the nearest of a few lengths, one graph for each
                more = -one[0].data.size(0) % LENGTHS
                one[0].data, truth = (inside.torch.nn.functional.pad(part, (0, 0, 0, 0, 0, more)) for part in (one[0].data, one[1]))
                return one[0], truth
            if len(kept) < KEPT and inside.now == AS_WRITTEN:
                kept.append(one)
            return one
        utils.pack_sequence = packed

    def padded_like_packed(self):
        """uis_rnn asks whether a layer returned a packed sequence."""
        rnn, kinds = self.torch.nn.utils.rnn, (self.torch.nn.utils.rnn.PackedSequence, self.padded_kind)

        class Either(type):
            def __instancecheck__(cls, one):
                return isinstance(one, kinds)

        class PackedSequence(metaclass=Either):
            def __new__(cls, *words, **names):
                return kinds[0](*words, **names)
        rnn.PackedSequence = PackedSequence

    def steps_of_a2c(self, kind):
        """Where games end is read off the GPU, to cut the sequence there. A graph takes every step by itself, whether a game ends or not."""
        torch, original, inside = self.torch, kind._forward_gru, self

        def forward(this, inputs, state, masks):
            if inside.now not in (NETWORK, BACKWARD, STEP) or inputs.size(0) == state.size(0):
                return original(this, inputs, state, masks)
            games, state, outputs = state.size(0), state.unsqueeze(0), []
            for one, mask in zip(inputs.view(-1, games, inputs.size(1)), masks.view(-1, games, 1)):
                out, state = this.gru(one.unsqueeze(0), state * mask)
                outputs.append(out)
            return torch.cat(outputs).view(-1, outputs[0].size(2)), state.squeeze(0)
        kind._forward_gru = forward

    def one_bucket(self, kind):
        """Every step of end_to_end_asr has the same sixteen sounds."""
        get = kind.__getitem__
        kind.__getitem__ = lambda this, index: get(this, BUCKET if this.bucket_size > 1 else index)

    def words_of_asr(self, kind):
        """How many words are decoded is read off the GPU. A graph has as many as the sentences are padded to."""
        original, inside = kind.forward, self

        def forward(this, sounds, lengths, words, **names):
            if inside.now in (BACKWARD, STEP) and names.get("teacher") is not None:
                words = names["teacher"].size(1)
            return original(this, sounds, lengths, words, **names)
        kind.forward = forward

    def drawn_once(self):
        """deeplog has TensorBoard trace and draw the model in every step."""
        from torch.utils.tensorboard import SummaryWriter
        draw, inside = SummaryWriter.add_graph, self
        SummaryWriter.add_graph = lambda this, *words, **names: None if inside.now == DRAWN else draw(this, *words, **names)

    def one_length(self, kind):
        """Every step of compound_pcfg has a batch of the same length."""
        get = kind.__getitem__
        kind.__getitem__ = lambda this, index: get(this, (this.sent_lengths == WORDS + 2).nonzero()[0].item())

    def trees_of_compound_pcfg(self, kind):
        """The best tree is read off the GPU, span by span. A graph has one that branches to the right."""
        follow, inside = kind._backtrack, self

        def backtrack(this, sentence, begin, end, state):
            if not inside.capture:
                return follow(this, sentence, begin, end, state)
            for at in range(end):
                this.argmax[sentence][at][end].fill_(1)
                this.spans[sentence].append((at, end, 0))
        kind._backtrack = backtrack

    def cells_of_stgat(self, kind):
        """The positions of a person's path in one call of nn.LSTM, in the first part of the training."""
        torch, original, inside = self.torch, kind.forward, self

        def forward(this, positions, *words):
            if inside.now != MODULE or not this.training or words[-1] != 1:
                return original(this, positions, *words)
            cell = this.traj_lstm_model
            if id(cell) not in inside.halves:
                layer = torch.nn.LSTM(cell.input_size, cell.hidden_size).cuda()
                inside.halves[id(cell)] = cell.input_size, cell.hidden_size, [layer]
                inside.zeros += [(weight, torch.zeros_like(weight)) for weight in cell.parameters()]
            _, _, (layer,) = inside.halves[id(cell)]
            begin = tuple(one.unsqueeze(0) for one in this.init_hidden_traj_lstm(positions.shape[1]))
            return this.traj_hidden2pos(layer(positions[:this.obs_len], begin)[0])
        kind.forward = forward

    def attention_of_chatbot(self, kind):
        """The scores of all words as one product, in place of a product for each word of each sentence."""
        original, inside = kind.forward, self

        def forward(this, hidden, outputs):
            if inside.now != PRODUCT:
                return original(this, hidden, outputs)
            return (hidden * outputs).sum(2).t().softmax(1).unsqueeze(1)
        kind.forward = forward

    def training_of_chatbot(self, original):
        """The decoder's layer is given the whole target, which training always feeds; its attention stays as it is written."""
        torch, inside = self.torch, self
        functional, clip = torch.nn.functional, torch.nn.utils.clip_grad_norm_

        def train(source, lengths, target, mask, longest, encoder, decoder, embedding, encoder_optimizer, decoder_optimizer, batch):
            if inside.now != SEQUENCE:
                return original(source, lengths, target, mask, longest, encoder, decoder, embedding, encoder_optimizer, decoder_optimizer, batch)
            encoder_optimizer.zero_grad()
            decoder_optimizer.zero_grad()
            source, target, mask = source.cuda(), target.cuda(), mask.cuda()
            outputs, state = encoder(source, lengths, None)
            given = torch.cat((torch.full_like(target[:1], BEGIN), target[:-1]))
            steps, _ = decoder.gru(decoder.embedding_dropout(decoder.embedding(given)), state[:decoder.n_layers])
            loss = 0
            for at in range(longest):
                context = decoder.attn(steps[at:at + 1], outputs).bmm(outputs.transpose(0, 1)).squeeze(1)
                told = decoder.out(torch.tanh(decoder.concat(torch.cat((steps[at], context), 1))))
                loss += functional.cross_entropy(told, target[at], ignore_index=END)
            loss.backward()
            clip(encoder.parameters(), 50.0)
            clip(decoder.parameters(), 50.0)
            encoder_optimizer.step()
            decoder_optimizer.step()
            return loss.item() / longest
        return train
