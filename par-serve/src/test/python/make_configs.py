"""Writes the config.json of each family as one version of transformers writes it, for PublishedConfigsTest.

    pip install --target DIR transformers==VERSION; PYTHONPATH=DIR python par-serve/src/test/python/make_configs.py OUT.json

Adds to OUT.json, by family and version, what save_pretrained writes of a small configuration. Made with transformers 4.40.2, 4.46.3, 4.49.0, 4.53.3, 4.57.1, 5.0.0 and 5.23.0; torch is not needed. A family that a version does
not have is left out.
"""
import json
import pathlib
import sys

import transformers

SMALL = dict(vocab_size=512, hidden_size=64, intermediate_size=144, num_hidden_layers=4, num_attention_heads=4, num_key_value_heads=2,
             max_position_embeddings=1024, rms_norm_eps=1e-6, bos_token_id=3, eos_token_id=5, pad_token_id=None, tie_word_embeddings=True)
IMAGES = dict(image_token_id=511, video_token_id=510, vision_start_token_id=509, vision_end_token_id=508, tie_word_embeddings=True)
VERSION = tuple(map(int, transformers.__version__.split(".")[:2]))
NEW = VERSION >= (5, 0)


def rotary(theta, scaling=None, **more):
    """The keys of a rotary base in the form of the version."""
    if NEW:
        return {"rope_parameters": {"rope_type": "default", "rope_theta": theta, **(scaling or {}), **more}}
    if scaling:
        return {"rope_theta": theta, "rope_scaling": {"type" if VERSION < (4, 43) else "rope_type": scaling["rope_type"], "factor": scaling["factor"]}}
    return {"rope_theta": theta, "rope_scaling": {"rope_type": "default", "type": "default", **more} if more else None}


LINEAR = {"rope_type": "linear", "factor": 4.0}
FAMILIES = {
    "llama": ("LlamaConfig", lambda: dict(SMALL, **rotary(5e5, LINEAR))),
    "qwen2": ("Qwen2Config", lambda: dict(SMALL, sliding_window=512, use_sliding_window=False, max_window_layers=2, **rotary(1e6))),
    "qwen3": ("Qwen3Config", lambda: dict(SMALL, head_dim=32, **rotary(1e6))),
    "gemma3": ("Gemma3TextConfig", lambda: dict(SMALL, head_dim=32, query_pre_attn_scalar=24, sliding_window=64, num_hidden_layers=7, **gemma_rotary())),
    "qwen3_5": ("Qwen3_5Config", lambda: dict(IMAGES, text_config=dict(SMALL, head_dim=32, linear_key_head_dim=16, linear_value_head_dim=16,
                linear_num_key_heads=2, linear_num_value_heads=4, **rotary(1e7, partial_rotary_factor=0.25, mrope_interleaved=True, mrope_section=[2, 1, 1])),
                vision_config=dict(depth=2, hidden_size=32, intermediate_size=64, num_heads=2, out_hidden_size=64, num_position_embeddings=64))),
    "qwen2_5_vl": ("Qwen2_5_VLConfig", lambda: dict(IMAGES, **vl_text(), vision_config=dict(depth=4, hidden_size=32, intermediate_size=64, num_heads=2,
                   out_hidden_size=64, window_size=56, fullatt_block_indexes=[1, 3]))),
}


def gemma_rotary():
    if NEW:
        return {"rope_parameters": {"sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
                                    "full_attention": {**LINEAR, "rope_theta": 1e6}}}
    return {"rope_theta": 1e6, "rope_local_base_freq": 1e4, "rope_scaling": LINEAR}


def vl_text():
    """Before 4.52 the keys of the decoder are the file's own."""
    keys = dict(SMALL, sliding_window=512, use_sliding_window=False, max_window_layers=4, **rotary(1e6, mrope_section=[2, 3, 3]))
    return keys if VERSION < (4, 52) else {"text_config": keys}


def main(out):
    made = json.loads(out.read_text()) if out.exists() else {}
    for family, (name, keys) in FAMILIES.items():
        config = getattr(transformers, name, None)
        if config is not None:
            folder = out.parent / "config-of-a-version"
            config(**keys()).save_pretrained(folder)
            written = folder / "config.json"
            made.setdefault(family, {})[transformers.__version__] = json.loads(written.read_text())
            written.unlink()
            folder.rmdir()
    out.write_text(json.dumps(made, indent=1, sort_keys=True) + "\n")
    print(transformers.__version__, {family: list(versions) for family, versions in made.items()})


main(pathlib.Path(sys.argv[1]))
