"""A supervised step and a GRPO loss step of the engine's TorchScript compared with transformers on the same weights and device.

SFT: 8 sequences (2 on the processor) of 256 tokens of which the last 128 are supervised; forward, backward, clipping and AdamW on float32
weights; bf16 is autocast in transformers. GRPO: as many responses of 128 tokens to prompts of 96; reference, forward, loss with clipping and a KL
term, backward. The old policy's and the reference's log-probabilities are moved by fixed noise, so that ratios are clipped and the KL term is not
zero. Both systems take turns.
"""
import statistics

import torch

import device

STEPS, BATCH = (5, 8) if device.CUDA else (1, 2)
LENGTH, PROMPT, RESPONSE = 256, 96, 128
BETA, CLIP = 0.05, 0.2
SCALAR = {"fp32": 6, "bf16": 15}


class Engine:
    """The engine's methods for training over weights that learn."""

    name = "engine"

    def __init__(self, decoder, hf):
        self.decoder, self.model = decoder, device.engine_model(decoder, hf, "fp32")
        self.model.fused = None  # for decoding only
        self.optimizer, self.grpo = device.script("training/optimizer.torchscript"), device.script("grpo/grpo.torchscript")
        weights = {name: value.detach().clone().requires_grad_() for name, value in hf.state_dict().items() if name != "lm_head.weight"}
        self.learning, self.plain = list(weights.values()), self.model.plain(dict(weights))
        self.groups = [(group, self.optimizer.zeros_like(group), self.optimizer.zeros_like(group), self.optimizer.counts(group, 0.0), decay)
                       for group, decay in (([w for w in self.learning if w.dim() > 1], 0.01), ([w for w in self.learning if w.dim() == 1], 0.0))]

    def rows(self, ids, labels, dtype):
        """ids (B, T) whose last tokens (B, L) are labels -> the normed rows (B * L, D) before the head, the labels (B * L), the model's ends"""
        decoder, model, none = self.decoder, self.model, self.model.longs([])
        length, kinds = ids.shape[1] - 1, len(model.kinds)
        bare = decoder.bare(self.plain[0], model.shape, SCALAR[dtype], self.plain[0].shape[1])
        whole = decoder.whole(model.longs(range(length)).view(1, 1, -1), none, *model.rotary)
        x = decoder.first_piece(ids[:, :-1], none, torch.empty(0, device=ids.device), self.plain[0], bare)
        each = (len(self.plain) - 3) // kinds
        for i in range(kinds):
            x = decoder.layer_piece(x, decoder.learning_layer(self.plain[1 + i * each:1 + (i + 1) * each], i, bare), bare, whole)
        where = torch.arange(length - labels, length, device=ids.device) + length * torch.arange(len(ids), device=ids.device)[:, None]
        ends = decoder.fuse_ends(self.plain[0], self.plain[-2], [], model.shape, SCALAR[dtype], "linear")
        return decoder.rows_at(x, where.flatten()), ids[:, -labels:].flatten(), ends

    def sft(self, ids, dtype):
        supervised = LENGTH // 2
        rows, labels, ends = self.rows(ids, supervised, dtype)
        loss, _ = self.decoder.loss_piece(rows, 0, len(rows), labels, ends, float(len(rows)))
        loss.backward()
        gradients = [w.grad for w in self.learning]
        scale = min(1.0, 1.0 / (self.optimizer.norm(gradients).item() + 1e-6))
        with torch.no_grad():
            for group, mean, square, counts, decay in self.groups:
                self.optimizer.step(group, [w.grad for w in group], mean, square, counts, scale, 1e-5, 0.9, 0.999, 1e-8, decay)
        return loss.item()

    def logprobs(self, ids, dtype):
        """Log-probabilities of the responses' tokens (B, T), and the entropies without a gradient."""
        rows, labels, ends = self.rows(ids, RESPONSE, dtype)
        return [x.view(len(ids), RESPONSE) for x in self.decoder.logprobs_piece(rows, 0, len(rows), labels, ends, 1.0)]

    def grpo_loss(self, ids, noise, advantages, dtype):
        with torch.no_grad():
            reference = self.logprobs(ids, dtype)[0]
        now, entropy = self.logprobs(ids, dtype)
        fixed = now.detach()
        mask = torch.ones_like(fixed)
        loss = self.grpo.loss(now, fixed + noise[0], reference + noise[1], mask, mask, entropy, advantages, 0, 0, CLIP, CLIP, BETA, 0.0, 0.0,
                              float(mask.numel()))[0]
        loss.backward()
        return loss.item()


class Transformers:
    """transformers' model and PyTorch's optimizer."""

    name = "transformers"

    def __init__(self, hf):
        self.hf = hf.train()
        self.learning = list(hf.parameters())
        matrices, vectors = [p for p in self.learning if p.dim() > 1], [p for p in self.learning if p.dim() == 1]
        self.optimizer = torch.optim.AdamW([{"params": matrices}, {"params": vectors, "weight_decay": 0.0}], lr=1e-5, weight_decay=0.01, fused=True)

    def autocast(self, dtype):
        return torch.autocast(device.DEVICE, dtype=torch.bfloat16, enabled=dtype == "bf16")

    def sft(self, ids, dtype):
        labels = ids.clone()
        labels[:, :LENGTH // 2] = -100
        with self.autocast(dtype):
            loss = self.hf(input_ids=ids, labels=labels).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.learning, 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=False)
        return loss.item()

    def logprobs(self, ids, dtype):
        """Log-probabilities of the responses' tokens (B, T), and the entropies without a gradient."""
        with self.autocast(dtype):
            logits = self.hf(input_ids=ids[:, :-1], logits_to_keep=RESPONSE).logits.float()
        every = logits.log_softmax(-1)
        with torch.no_grad():
            entropy = -(every.exp() * every).sum(-1)
        return every.gather(-1, ids[:, -RESPONSE:, None])[..., 0], entropy

    def grpo_loss(self, ids, noise, advantages, dtype):
        with torch.no_grad():
            reference = self.logprobs(ids, dtype)[0] + noise[1]
        now, _ = self.logprobs(ids, dtype)
        ratio, a = (now - (now.detach() + noise[0])).exp(), advantages[:, None]
        surrogate = torch.maximum(-ratio * a, -ratio.clamp(1 - CLIP, 1 + CLIP) * a)
        kl = (reference - now).exp() - (reference - now) - 1
        loss = (surrogate + BETA * kl).mean()
        loss.backward()
        return loss.item()


def norm(system):
    """The norm of the gradients, which are zero afterwards."""
    gradients = [w.grad for w in system.learning]
    total = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients))).item()
    torch._foreach_zero_(gradients)
    return total


def measure(shape, dtype, step, systems, run):
    """The lines of one kind of step; run: a system -> its loss"""
    times, first, peaks = {system.name: [] for system in systems}, {}, {}
    for round in range(STEPS + 1):  # the first one warms up
        for system in systems:
            device.watch_peak()
            begin = device.now()
            loss = run(system)
            seconds = device.now() - begin
            peaks[system.name] = device.peak_mb()
            first.setdefault(system.name, (loss, norm(system) if step == "grpo" else None))
            if step == "grpo" and round:
                norm(system)
            times[system.name] += [seconds] * (round > 0)
    for system in systems:
        loss, gradient = first[system.name]
        device.line(system=system.name, step=step, shape=shape, dtype=dtype, batch=BATCH, steps=STEPS, first_loss=loss, gradient_norm=gradient,
                    step_s=float(f"{statistics.median(times[system.name]):.4g}"), device_peak_mb=peaks[system.name])


def main():
    device.start()
    decoder = device.script()
    for shape in device.shapes():
        vocabulary = device.SHAPES[shape].vocab_size
        for dtype in ("bf16", "fp32"):
            if device.left() < (30 if device.CUDA else 20):
                device.line(stopped=f"before {shape} in {dtype}: the part's time is over")
                return
            hf = device.random_model(shape, "fp32")
            systems = [Engine(decoder, hf), Transformers(hf)]
            ids = torch.randint(2, vocabulary, (BATCH, LENGTH), device=device.DEVICE)
            responses = torch.randint(2, vocabulary, (BATCH, PROMPT + RESPONSE), device=device.DEVICE)
            noise = torch.randn(2, BATCH, RESPONSE, device=device.DEVICE) * 0.3
            advantages = torch.linspace(-1.5, 1.5, BATCH, device=device.DEVICE)
            measure(shape, dtype, "grpo", systems, lambda system: system.grpo_loss(responses, noise, advantages, dtype))
            measure(shape, dtype, "sft", systems, lambda system: system.sft(ids, dtype))
            del hf, systems


if __name__ == "__main__":
    main()
