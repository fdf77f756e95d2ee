"""The engine's TorchScript text in plain Python torch: the archive that is made of it, and a decoder that calls its methods.

What stands below the line follows the text's methods and what they take (in Java ScriptShape, DecoderParameters, RotaryTables, CausalLm, KvCache).
"""
import io
import json
import zipfile

import torch
from safetensors.torch import load_file

MODULE = "class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"


def archive(folder):
    """What torch.jit.load reads, as Script.java makes it: the methods of all text files in one class, the other classes behind it."""
    methods, classes = [], []
    for file in sorted(folder.glob("*.torchscript")):
        lines = file.read_text().splitlines(keepends=True)
        end = next((i for i, line in enumerate(lines) if line.startswith("class ")), len(lines))
        methods += lines[:end] + ["\n"]
        classes += lines[end:]
    code = MODULE + "".join(methods + classes)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as out:
        out.writestr("m/data.pkl", b"\x80\x02c__torch__\nM\n)\x81}(X\x08\x00\x00\x00training\x89ub.")
        out.writestr("m/code/__torch__.py", code)
        out.writestr("m/constants.pkl", b"\x80\x02).")
        out.writestr("m/version", "10\n")
    content.seek(0)
    return content


def checkpoint(folder, device):
    """The text model's configuration, and its weights under the names they have without a vision tower."""
    config = json.loads((folder / "config.json").read_text())
    config = {**config, **config.get("text_config", {})}
    weights = {}
    for file in sorted(folder.glob("model*.safetensors")):
        weights |= {name.replace("model.language_model.", "model."): value.to(device) for name, value in load_file(file).items()
                    if "visual." not in name}
    return config, weights


# ------------------------------------------------------------------------------------------------------------------------------------------------
FORMATS = {"fp32": (6, "linear"), "fp32-onednn": (6, "onednn fp32"), "bf16": (15, "linear"), "int8": (15, "int8 x bf16")}  # type of the activations, kernel
TRAITS = {"llama": [], "qwen2": ["bias"], "qwen2_5_vl_text": ["bias", "contiguous_axes"], "qwen3": ["head_norms"],
          "qwen3_5_text": ["head_norms", "gate", "offset"],
          "gemma3_text": ["head_norms", "offset", "post_norms", "gelu", "scaled_embedding"]}
DEFAULTS = {"rope_theta": 10000.0, "tie_word_embeddings": False}  # of config.json in transformers
GEMMA = {"rope_theta": 1e6, "rope_local_base_freq": 10000.0, "tie_word_embeddings": True, "rms_norm_eps": 1e-6, "head_dim": 256,
         "query_pre_attn_scalar": 256, "sliding_window": 4096, "sliding_window_pattern": 6}
LINEAR = [f"linear_attn.{name}" for name in ("in_proj_qkv.weight", "in_proj_z.weight", "in_proj_b.weight", "in_proj_a.weight", "conv1d.weight", "A_log",
                                             "dt_bias", "norm.weight", "out_proj.weight")]


class Model:
    """One checkpoint in the text's hands: logits of a sequence, or of rows of a cache."""

    def __init__(self, script, config, weights, dtype):
        if config["model_type"] not in TRAITS:
            raise ValueError(f"model_type {config['model_type']} is not supported, must be one of {list(TRAITS)}")
        gemma = config["model_type"] == "gemma3_text"
        config = {**DEFAULTS, **(GEMMA if gemma else {}), **config}
        self.script, self.config, self.traits, self.like = script, config, TRAITS[config["model_type"]], weights["model.embed_tokens.weight"]
        self.head_dim = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
        self.kinds = config.get("layer_types") or [
            "sliding_attention" if gemma and (i + 1) % config["sliding_window_pattern"] else "full_attention" for i in range(config["num_hidden_layers"])]
        self.rotations = list(dict.fromkeys(self.rotation(kind) for kind in self.kinds if kind != "linear_attention"))
        scale = config["hidden_size"] ** 0.5 if self.has("scaled_embedding") else 1.0
        self.shape = script.shape([self.layer(kind) for kind in self.kinds], config["rms_norm_eps"], int(self.has("offset")), scale,
                                  config.get("final_logit_softcapping") or 0.0)
        self.fused = self.fuse(self.plain(dict(weights)), dtype)
        self.rotary = [*map(list, zip(*(self.table(*rotation) for rotation in self.rotations))), self.axes()]

    def has(self, trait):
        return trait in self.traits

    def longs(self, values):
        return torch.tensor(values, dtype=torch.long, device=self.like.device)

    def layer(self, kind):
        c, rest = self.config, (int(self.has("offset")), self.has("post_norms"), self.has("gelu"))
        if kind == "linear_attention":
            sizes = ("num_key_heads", "num_value_heads", "key_head_dim", "value_head_dim", "conv_kernel_dim")
            return self.script.delta_shape(*(c[f"linear_{size}"] for size in sizes), *rest)
        return self.script.attention_shape(
            c["num_attention_heads"], c["num_key_value_heads"], self.head_dim, self.rotations.index(self.rotation(kind)),
            c["sliding_window"] if kind == "sliding_attention" else 0, c.get("query_pre_attn_scalar", self.head_dim) ** -0.5,
            self.has("bias"), self.has("head_norms"), self.has("gate"), *rest)

    def names(self, kind):
        """What a layer has in the text's list of weights."""
        attention = ["q_proj.weight", "k_proj.weight", "v_proj.weight"] + ["q_proj.bias", "k_proj.bias", "v_proj.bias"] * self.has("bias") + [
            "q_norm.weight", "k_norm.weight"] * self.has("head_norms") + ["o_proj.weight"]
        return (["input_layernorm.weight"] + (LINEAR if kind == "linear_attention" else [f"self_attn.{name}" for name in attention])
                + ["post_attention_layernorm.weight"] + ["pre_feedforward_layernorm.weight"] * self.has("post_norms")
                + ["mlp.gate_proj.weight", "mlp.up_proj.weight", "mlp.down_proj.weight"] + ["post_feedforward_layernorm.weight"] * self.has("post_norms"))

    def plain(self, weights):
        """The text's list of weights, each of which must have a place in it."""
        listed = [weights.pop("model.embed_tokens.weight")]
        listed += [weights.pop(f"model.layers.{i}.{name}") for i, kind in enumerate(self.kinds) for name in self.names(kind)]
        listed += [weights.pop("model.norm.weight"), listed[0] if self.config["tie_word_embeddings"] else weights.pop("lm_head.weight")]
        if weights:
            raise ValueError(f"no place for {sorted(weights)}")
        return listed

    def fuse(self, plain, dtype):
        """Fuses embedding, norm and head, then each layer. DecoderWeights adds layers by fuse_next; a list passed from Python would be a copy."""
        head = [] if self.config["tie_word_embeddings"] else plain[-1:]
        fused, at = self.script.fuse_ends(plain[0], plain[-2], head, self.shape, *FORMATS[dtype]), 1
        for layer in self.shape.layers:
            fused.layers.append(self.script.fuse_layer(plain, at, layer, fused.kernel, self.shape.eps))
            at += self.script.places(layer)
        return fused

    def rope(self, kind):
        """rope_parameters of a kind of layer; before transformers 5 they are keys of their own."""
        c = self.config
        if not c.get("rope_parameters"):
            sliding = kind == "sliding_attention"
            return {"rope_theta": c["rope_local_base_freq"]} if sliding else {"rope_theta": c["rope_theta"], **(c.get("rope_scaling") or {})}
        return c["rope_parameters"].get(kind, c["rope_parameters"])

    def rotation(self, kind):
        """How many values of a head turn, the base, and what frequencies are divided by: layers where these are alike share a table."""
        rope = self.rope(kind)
        scaling = rope.get("rope_type", rope.get("type", "default"))
        if scaling not in ("default", "linear"):
            raise ValueError(f"rope_type {scaling} is not written here")
        return int(self.head_dim * rope.get("partial_rotary_factor", 1)), rope["rope_theta"], rope["factor"] if scaling == "linear" else 1.0

    def table(self, width, theta, factor):
        frequencies = 1 / theta ** (torch.arange(0, width, 2) / width) / factor
        angles = torch.arange(self.config["max_position_embeddings"])[:, None] * frequencies
        cos, sin = angles.cos(), angles.sin()
        return torch.cat([cos, cos], 1).to(self.like.device), torch.cat([-sin, sin], 1).to(self.like.device)

    def axes(self):
        """Which position axis turns each value of a head: the pairs of the three alternate as far as their sections reach, or one section follows another."""
        sections, half = self.rope("full_attention").get("mrope_section") or [0, 0, 0], self.rotations[-1][0] // 2
        pairs = [i % 3 if i < 3 * sections[i % 3] else 0 for i in range(half)]
        if self.has("contiguous_axes"):
            pairs = [axis for axis, section in enumerate(sections) for _ in range(section)]
        return self.longs(pairs + pairs)

    def embed(self, ids):
        """(1, T) -> (1, T, D)"""
        return self.script.embed(ids, self.fused)

    def logits(self, x, positions):
        """embeddings (1, T, D) at positions (axes, 1, T) -> (T, V)"""
        whole = self.script.whole(positions, self.longs([]), *self.rotary)
        return self.script.logits(x, whole, self.longs(range(x.shape[1])), self.fused)


class Cache:
    """What the layers remember of sequences, a row each; the rows in use are the first ones."""

    def __init__(self, model, rows, capacity):
        self.model, self.capacity, self.lengths = model, capacity, [0] * rows
        both = model.script.new_caches(model.fused, rows, capacity)
        rows_of_heads = model.script.as_rows(model.fused, both)
        self.both = both[:len(both) // 2], both[len(both) // 2:]
        self.as_rows = rows_of_heads[:len(both) // 2], rows_of_heads[len(both) // 2:]

    def forward(self, fed, outputs):
        """fed: of each row in use, embeddings (1, T, D) at positions (axes, 1, T); outputs: which of all tokens' logits -> (outputs, V)"""
        model, count, begin = self.model, [x.shape[1] for x, _ in fed], self.lengths[:len(fed)]
        ends = [b + c for b, c in zip(begin, count)]
        heads = range(model.config["num_key_value_heads"])
        write = [(row * len(heads) + head) * self.capacity + at for row, (b, e) in enumerate(zip(begin, ends)) for at in range(b, e) for head in heads]
        last = [sum(count[:row + 1]) - 1 for row in range(len(fed))]
        axes = max(len(positions) for _, positions in fed)
        positions = torch.cat([positions.expand(axes, -1, -1) for _, positions in fed], 2)
        logits = model.script.forward(
            torch.cat([x for x, _ in fed], 1), positions, model.longs(outputs), begin, count, model.longs(write), model.longs(last),
            model.longs(ends).view(-1, 1, 1, 1), max(ends), min(ends) < max(ends), *self.padding(count), model.fused, *model.rotary, *self.both, *self.as_rows)
        self.lengths[:len(fed)] = ends
        return logits

    def padding(self, count):
        """Rows filled up to the widest, as KvCache does where that is at most 32 tokens: its width, the token in each place, the place of each token"""
        width = max(count)
        if len(count) == 1 or width == 1 or width > 32:
            return 0, self.model.longs([]), self.model.longs([])
        first = [sum(count[:row]) for row in range(len(count))]
        places = [row * width + width - c + i for row, c in enumerate(count) for i in range(c)]
        return width, self.model.longs([first[row] + max(0, i - width + c) for row, c in enumerate(count) for i in range(width)]), self.model.longs(places)

    def copy(self, of, into):
        self.run("copy_row", into, of, self.lengths[of])
        self.lengths[into] = self.lengths[of]

    def clear(self, row):
        self.run("clear_row", row)
        self.lengths[row] = 0

    def save(self, row, begin, end):
        """Positions from one to another, and the states as they are now."""
        return end - begin, self.run("save_positions", row, begin, end), self.run("save_states", row)

    def load(self, row, saved):
        """What was saved, behind what a row holds."""
        length, positions, states = saved
        if positions:
            self.run("load_positions", row, self.lengths[row], positions)
        self.run("load_states", row, states)
        self.lengths[row] += length

    def run(self, method, *args):
        return getattr(self.model.script, method)(self.model.fused, *self.both, *args)
