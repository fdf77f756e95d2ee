"""Random weights of SmolLM2-135M's shape: a Hugging Face directory (bfloat16) and the same weights as GGUF in bf16 and Q8_0.

usage: make_model.py OUT_DIR      writes OUT_DIR/hf, OUT_DIR/bf16.gguf, OUT_DIR/q8_0.gguf
"""
import sys
from pathlib import Path

import gguf
import torch
from transformers import LlamaConfig, LlamaForCausalLM

LAYER = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def config():
    return LlamaConfig(
        vocab_size=49152,
        hidden_size=576,
        intermediate_size=1536,
        num_hidden_layers=30,
        num_attention_heads=9,
        num_key_value_heads=3,
        head_dim=64,
        max_position_embeddings=8192,
        rope_theta=100000.0,
        rms_norm_eps=1e-5,
        tie_word_embeddings=True,
        bos_token_id=1,
        eos_token_id=2,
    )


def interleaved(weight, heads):
    """llama.cpp turns neighbouring values of a head, Hugging Face its halves."""
    rows, width = weight.shape
    return weight.reshape(heads, 2, rows // heads // 2, width).transpose(1, 2).reshape(rows, width)


def tensors(model):
    shape = model.config
    state = model.state_dict()
    yield "token_embd.weight", state["model.embed_tokens.weight"]
    yield "output_norm.weight", state["model.norm.weight"]
    for i in range(shape.num_hidden_layers):
        for name, short in LAYER.items():
            weight = state[f"model.layers.{i}.{name}.weight"]
            if short == "attn_q":
                weight = interleaved(weight, shape.num_attention_heads)
            if short == "attn_k":
                weight = interleaved(weight, shape.num_key_value_heads)
            yield f"blk.{i}.{short}.weight", weight


def write_gguf(model, path, kind):
    shape = model.config
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_vocab_size(shape.vocab_size)
    writer.add_context_length(shape.max_position_embeddings)
    writer.add_embedding_length(shape.hidden_size)
    writer.add_block_count(shape.num_hidden_layers)
    writer.add_feed_forward_length(shape.intermediate_size)
    writer.add_head_count(shape.num_attention_heads)
    writer.add_head_count_kv(shape.num_key_value_heads)
    writer.add_rope_dimension_count(shape.head_dim)
    writer.add_rope_freq_base(100000.0)
    writer.add_layer_norm_rms_eps(shape.rms_norm_eps)
    writer.add_tokenizer_model("no_vocab")
    for name, weight in tensors(model):
        values = weight.float().numpy()
        if values.ndim == 1:
            writer.add_tensor(name, values)
        else:
            writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    model = LlamaForCausalLM(config()).to(torch.bfloat16)
    model.save_pretrained(out / "hf")
    write_gguf(model, out / "bf16.gguf", gguf.GGMLQuantizationType.BF16)
    write_gguf(model, out / "q8_0.gguf", gguf.GGMLQuantizationType.Q8_0)


main()
