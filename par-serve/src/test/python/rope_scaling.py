"""Prints the rotary frequencies and attention factors that transformers computes: the numbers of RotaryScalingTest.

    python rope_scaling.py

Made with transformers 5.23.
"""
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

WIDTH = 16
CASES = [
    ("linear", 1e4, 4096, dict(factor=2.5)),
    ("llama3", 5e5, 131072, dict(factor=32.0, low_freq_factor=1.0, high_freq_factor=4.0,
                                 original_max_position_embeddings=8192)),
    ("yarn", 1e6, 32768, dict(factor=4.0, original_max_position_embeddings=32768)),
    ("yarn", 1e4, 4096, dict(factor=8.0, original_max_position_embeddings=512, beta_fast=16.0, beta_slow=2.0,
                             truncate=False, mscale=1.0, mscale_all_dim=0.707)),
]
for kind, theta, positions, keys in CASES:
    config = LlamaConfig(hidden_size=2 * WIDTH, num_attention_heads=2, head_dim=WIDTH, max_position_embeddings=positions,
                         rope_parameters=dict(rope_type=kind, rope_theta=theta, **keys))
    frequencies, factor = ROPE_INIT_FUNCTIONS[kind](config)
    print(kind, [float(f) for f in frequencies], factor)
