"""The perceiver's network in PyTorch, shape by shape as `benchmarks/run perceiver/BenchCommand.java` runs it: samples/s in training, ms a decision.

usage: python mpp_pytorch.py [--threads 2] [--seconds 4] [--check mpp.zip]

The network is that of docs/PAPER.md (E=512, d=256, 4 heads, 2 + 2 layers, feed-forward 1024, k=4, T=10, 14 scenarios): post-norm layers,
cross-attention without residual, dropout 0, focal loss and scenario loss, AdamW that decays weights only. It reads the
coefficients of a model file in their order, so the parameter counts must agree.
"""
import argparse, json, math, statistics, time, zipfile

import torch
import torch.nn.functional as F

E, D, HEADS, FF, LAYERS, K, STEPS, SCENARIOS = 512, 256, 4, 1024, 2, 4, 10, 14


Linear = torch.nn.Linear


class Layer(torch.nn.Module):
    """A post-norm Transformer encoder layer."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = Linear(D, 3 * D), Linear(D, D)
        self.up, self.down = Linear(D, FF), Linear(FF, D)
        self.attention_norm, self.feed_forward_norm = torch.nn.LayerNorm(D), torch.nn.LayerNorm(D)

    def forward(self, x, mask):
        q, k, v = self.qkv(x).chunk(3, -1)
        x = self.attention_norm(x + self.out(attend(q, k, v, mask)))
        return self.feed_forward_norm(x + self.down(F.relu(self.up(x))))


class Cross(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.keyvalue, self.out = Linear(D, D), Linear(D, 2 * D), Linear(D, D)

    def forward(self, queries, keys_and_values, mask):
        k, v = self.keyvalue(keys_and_values).chunk(2, -1)
        return self.out(attend(self.query(queries), k, v, mask))


def heads(x):
    return x.unflatten(-1, (HEADS, D // HEADS)).transpose(1, 2)  # (B, H, N, d / H)


def attend(q, k, v, mask):
    if mask is not None:
        mask = mask[:, None, None, :]
    return F.scaled_dot_product_attention(heads(q), heads(k), heads(v), mask).transpose(1, 2).flatten(2)


def pool(query, x, mask):
    scores = (x @ query.T)[..., 0]
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    return (torch.softmax(scores, 1)[:, None] @ x)[:, 0]


class Perceiver(torch.nn.Module):
    def __init__(self):
        super().__init__()
        small = lambda *size: torch.nn.Parameter((torch.rand(size) * 2 - 1) * 0.02)
        self.context, self.frames, self.projection = Linear(E, D), Linear(2 * E, D), Linear(D, D)
        self.pool_query, self.slow_query, self.fast_query = small(1, 2 * E), small(1, D), small(1, D)
        self.slow_position, self.fast_position = small(1, 4, D), small(1, K, D)
        self.slow = torch.nn.ModuleList(Layer() for _ in range(LAYERS))
        self.fast = torch.nn.ModuleList(Layer() for _ in range(LAYERS))
        self.cross_slow, self.cross_fast = Cross(), Cross()
        self.trigger = torch.nn.Sequential(Linear(2 * D, D), torch.nn.ReLU(), Linear(D, 1))
        self.scenario = torch.nn.Sequential(Linear(2 * D, D), torch.nn.ReLU(), Linear(D, SCENARIOS))

    def forward(self, context, frames, frame_mask, recent, recent_mask):
        trajectory = self.frames(pool(self.pool_query, frames, frame_mask))[:, None]
        slow = torch.cat([self.context(context), trajectory], 1) + self.slow_position
        fast = self.projection(self.frames(recent)) + self.fast_position
        for layer in self.slow:
            slow = layer(slow, None)
        for layer in self.fast:
            fast = layer(fast, recent_mask)
        seen = pool(self.slow_query, self.cross_slow(slow, fast, recent_mask), None)
        new = pool(self.fast_query, self.cross_fast(fast, slow, None), recent_mask)
        z = torch.cat([seen, new], 1)
        return self.trigger(z)[:, 0], self.scenario(z)


def names(model):
    """Array name in a checkpoint -> parameter."""
    table = {}
    linear = {"context": model.context, "frames": model.frames, "fast.projection": model.projection}
    for channel, layers in (("slow", model.slow), ("fast", model.fast)):
        for i, layer in enumerate(layers):
            for part in ("qkv", "out", "up", "down"):
                linear[f"{channel}.{i}.{part}"] = getattr(layer, part)
            for part, norm in (("attention", layer.attention_norm), ("feed-forward", layer.feed_forward_norm)):
                table[f"{channel}.{i}.{part}.norm.gain"], table[f"{channel}.{i}.{part}.norm.bias"] = norm.weight, norm.bias
    for name, cross in (("cross.slow", model.cross_slow), ("cross.fast", model.cross_fast)):
        for part in ("query", "keyvalue", "out"):
            linear[f"{name}.{part}"] = getattr(cross, part)
    for name, head in (("trigger", model.trigger), ("scenario", model.scenario)):
        linear[name + ".hidden"], linear[name + ".logits"] = head[0], head[2]
    for name, layer in linear.items():
        table[name + ".weight"], table[name + ".bias"] = layer.weight, layer.bias
    table |= {"slow.pool.query": model.pool_query, "slow.readout.query": model.slow_query, "fast.readout.query": model.fast_query,
              "slow.position": model.slow_position, "fast.position": model.fast_position}
    return table


def coefficients():
    """The names in the order of a model file's coefficients: the body's weights, its other arrays, the last map of each head."""
    def linear(name):
        return [name + ".weight", name + ".bias"]

    def layers(channel):
        names = [channel + ".position"]
        for i in range(LAYERS):
            for parts, norm in ((("qkv", "out"), "attention"), (("up", "down"), "feed-forward")):
                names += sum((linear(f"{channel}.{i}.{part}") for part in parts), [])
                names += [f"{channel}.{i}.{norm}.norm.gain", f"{channel}.{i}.{norm}.norm.bias"]
        return names

    def cross(channel):
        return sum((linear(f"cross.{channel}.{part}") for part in ("query", "keyvalue", "out")), []) + [channel + ".readout.query"]

    body = linear("context") + linear("frames") + linear("fast.projection") + ["slow.pool.query"] + layers("slow") + layers("fast")
    body += cross("slow") + cross("fast") + linear("trigger.hidden") + linear("scenario.hidden")
    return sorted(body, key=lambda name: not name.endswith(".weight")) + linear("trigger.logits") + linear("scenario.logits")


def check(model, path):
    """Fails unless the model file's coefficients are exactly this network's, and loads them."""
    def header(data):  # a name, a number of elements, their type
        data = data[2 + int.from_bytes(data[:2], "big"):]
        length, size = int.from_bytes(data[:8], "big"), int.from_bytes(data[8:10], "big")
        return length, data[10:10 + size].decode(), data[10 + size:]

    data = zipfile.ZipFile(path).read("coefficients.bin")
    length, kind, data = header(data)
    length, kind, data = header(data[8 * length:])  # after the shape
    table = names(model)
    assert kind == "FLOAT" and set(coefficients()) == table.keys()
    assert length == sum(parameter.numel() for parameter in table.values()), length
    flat = torch.frombuffer(bytearray(data), dtype=torch.int32).numpy().byteswap().view("float32")
    with torch.no_grad():
        for name in coefficients():
            parameter = table[name]
            parameter.copy_(torch.from_numpy(flat[:parameter.numel()].copy()).reshape(parameter.shape))
            flat = flat[parameter.numel():]


def batch(size):
    return (torch.randn(size, 3, E) / math.sqrt(E), torch.randn(size, STEPS, 2 * E) / math.sqrt(E), torch.ones(size, STEPS, dtype=torch.bool),
            torch.randn(size, K, 2 * E) / math.sqrt(E), torch.ones(size, K, dtype=torch.bool))


def loss(outputs, y, scenarios):
    """PRPF eq. 9 to 12 with gamma 2, alpha 0.5, lambda 0.5."""
    trigger, logits = outputs
    cross_entropy = F.binary_cross_entropy_with_logits(trigger, y, reduction="none")
    focal = (0.5 * (1 - torch.exp(-cross_entropy)) ** 2 * cross_entropy).mean()
    rows = F.binary_cross_entropy_with_logits(logits, scenarios, reduction="none").mean(1)
    return focal + 0.5 * (rows * y).sum() / y.sum().clamp(min=1)


def timed(work, seconds, warm_up):
    for _ in range(warm_up):
        work()
    times, end = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--seconds", type=float, default=4)
    options.add_argument("--check", metavar="FILE")
    given = options.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(0)
    model = Perceiver()
    if given.check:
        check(model, given.check)
    decays = lambda name, p: name.endswith(".weight") and p.dim() == 2  # not the gains of layer norms
    decayed = [p for n, p in model.named_parameters() if decays(n, p)]
    kept = [p for n, p in model.named_parameters() if not decays(n, p)]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.01}, {"params": kept, "weight_decay": 0.0}], 1e-4, fused=True)
    result = {"torch": torch.__version__, "threads": given.threads, "parameters": sum(p.numel() for p in model.parameters()),
              "training": [], "perceiver_only": []}
    for size in (8, 64, 256):
        inputs, y = batch(size), (torch.arange(size) % 2).float()
        scenarios = F.one_hot(torch.arange(size) % SCENARIOS, SCENARIOS).float() * y[:, None]

        def step():
            optimizer.zero_grad(set_to_none=True)
            loss(model(*inputs), y, scenarios).backward()
            optimizer.step()

        ms = timed(step, given.seconds, 5)
        result["training"].append({"batch": size, "samples_per_second": size / ms * 1e3, "ms": ms})
    with torch.inference_mode():
        for size in (1, 64):
            inputs = batch(size)
            result["perceiver_only"].append({"batch": size, "ms": timed(lambda: model(*inputs), given.seconds / 2, 20)})
    print(json.dumps(result))


if __name__ == "__main__":
    main()
