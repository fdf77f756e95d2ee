"""The engine's TorchScript text in plain Python torch: the archive that is made of it, and a decoder that calls its methods.

What stands below the line follows the text's methods and what they take (in Java Decoder, DecoderConfig.dims, DecoderParameters, RotaryTables).
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
        weights |= {name.replace("model.language_model.", "model."): value.to(device) for name, value in load_file(file).items() if ".visual." not in name}
    return config, weights


# ------------------------------------------------------------------------------------------------------------------------------------------------
FORMATS = {"fp32": (6, 0), "bf16": (15, 0), "int8": (15, 5)}  # type of the activations, products
FAMILIES = ["llama", "qwen2", "qwen3", "qwen3_5_text"]
NORM = ["input_layernorm.weight"]
FULL = [f"self_attn.{name}" for name in ("q_proj.weight", "k_proj.weight", "v_proj.weight", "q_proj.bias", "k_proj.bias", "v_proj.bias", "q_norm.weight",
                                         "k_norm.weight", "o_proj.weight")]
LINEAR = [f"linear_attn.{name}" for name in ("in_proj_qkv.weight", "in_proj_z.weight", "in_proj_b.weight", "in_proj_a.weight", "conv1d.weight", "A_log",
                                             "dt_bias", "norm.weight", "out_proj.weight")]
FEED_FORWARD = ["post_attention_layernorm.weight", "mlp.gate_proj.weight", "mlp.up_proj.weight", "mlp.down_proj.weight"]


class Model:
    """One checkpoint in the text's hands: logits of a sequence, or step by step with a cache."""

    def __init__(self, script, config, weights, dtype):
        if config["model_type"] not in FAMILIES:
            raise ValueError(f"model_type {config['model_type']} is none that the text computes: {FAMILIES}")
        self.script, self.config, self.eps, self.like = script, config, config["rms_norm_eps"], weights["model.embed_tokens.weight"]
        self.head_dim = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
        types = config.get("layer_types") or ["full_attention"] * config["num_hidden_layers"]
        self.dims = self.dims_of(config, types)
        self.fused = script.fuse(self.plain(dict(weights), types), self.dims, self.eps, *FORMATS[dtype])
        self.cos, self.sin = self.rotary(config["rope_parameters"])

    def dims_of(self, config, types):
        family = config["model_type"]
        new, delta = family == "qwen3_5_text", [config.get(f"linear_{key}", other) for key, other in (
            ("num_key_heads", 1), ("num_value_heads", 1), ("key_head_dim", 1), ("value_head_dim", 1), ("conv_kernel_dim", 2))]
        return [len(types), config["num_attention_heads"], config["num_key_value_heads"], self.head_dim, int(family == "qwen2"),
                int(family == "qwen3" or new), int(new), int(new), *delta, *(int(kind == "linear_attention") for kind in types)]

    def plain(self, weights, types):
        """The text's list of weights, each of which must have a place in it."""
        absent = self.like.new_empty(0)
        listed = [weights.pop("model.embed_tokens.weight")]
        for i, kind in enumerate(types):
            for name in NORM + (LINEAR if kind == "linear_attention" else FULL) + FEED_FORWARD:
                listed.append(weights.pop(f"model.layers.{i}.{name}", absent))
        listed += [weights.pop("model.norm.weight"), listed[0] if self.config["tie_word_embeddings"] else weights.pop("lm_head.weight")]
        if weights:
            raise ValueError(f"no place for {sorted(weights)}")
        return listed

    def rotary(self, rope):
        if rope["rope_type"] != "default":
            raise ValueError(f"rope_type {rope['rope_type']} is not written here")
        width = int(self.head_dim * rope.get("partial_rotary_factor", 1))
        frequencies = 1 / rope["rope_theta"] ** (torch.arange(0, width, 2) / width)
        angles = torch.arange(self.config["max_position_embeddings"])[:, None] * frequencies
        cos, sin = angles.cos(), angles.sin()
        return torch.cat([cos, cos], 1).to(self.like.device), torch.cat([-sin, sin], 1).to(self.like.device)

    def positions(self, ids, at=0):
        return torch.arange(at, at + ids.shape[1], device=ids.device).expand_as(ids)

    def logits(self, ids):
        """(1, T) -> (T, V)"""
        return self.script.logits(ids, self.positions(ids), self.fused, self.cos, self.sin, [], self.dims, self.eps)[0]

    def cache(self, length):
        both = self.script.new_caches(self.fused, 1, length, self.dims)
        return both[:self.dims[0]], both[self.dims[0]:]

    def step(self, ids, at, cache):
        """(1, T) tokens from a position on -> (1, V), of the last one"""
        return self.script.step(ids, self.positions(ids, at), self.fused, self.cos, self.sin, [], *cache, at, self.dims, self.eps)
