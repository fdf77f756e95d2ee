"""Makes the tiny checkpoints of all decoder families, and what transformers computes with them (float32, eager attention, CPU).

    python3 -m venv venv && venv/bin/pip install torch==2.13.0 transformers==5.23.0 safetensors==0.8.0
    venv/bin/python par-serve/src/test/python/make_decoders.py par-serve/src/test/resources/golden [--seed N] [--only NAME …]

The weights are drawn at random with NumPy, so that every machine draws the same, and so that no path is near zero: each tensor, set to zero, must move
some logit by 0.05. Another seed makes another set, which the tests read with -Dprpf.golden=DIR. For each checkpoint:

golden.safetensors   per case lenN (N tokens): input_ids, logits (N, vocabulary), greedy (64 tokens that follow, each ahead of the second best by 0.005
                     or more, so that rounding cannot change them), logprobs (of each token but the first, float64), and for some N hidden.0 … hidden.L
                     (N, width: the embedding, each layer's output, the last one after the final norm); ragged.*: a left-padded batch and the logits of
                     its last position
golden.json          the versions, the mean next-token loss of len65, the norm of its gradient, whole and by tensor; for reading alone: the largest
                     difference of a logit between float32 and float64, and the smallest cosine between bfloat16 and float32
qwen3_5_vl           has Qwen3.5's published layout, a decoder beside a vision tower, as qwen2_5_vl has Qwen2.5-VL's; their cases: text (input_ids, logits, greedy of 24), axes (embeddings, position_ids of three axes, logits)
gemma3               its window of 64 positions, like the 4 of gemma3_scaled, ends at one of the lengths; config.json as transformers 5 writes it
gemma3_scaled        rotary angles of full layers divided by 8, as Gemma 3 has them from 4B on, and capped logits, as Gemma 2; config.json with the keys
                     of the published checkpoints: rope_theta, rope_local_base_freq, rope_scaling, sliding_window_pattern, no tie_word_embeddings
"""
import argparse
import json
import pathlib
import shutil

import numpy as np
import torch
import transformers
from safetensors.torch import save_file
from transformers import (AutoModelForCausalLM, AutoModelForImageTextToText, Gemma3TextConfig, LlamaConfig, Qwen2_5_VLConfig, Qwen2Config, Qwen3Config,
                          Qwen3_5Config, Qwen3_5TextConfig)

LENGTHS = [1, 3, 4, 5, 63, 64, 65, 130]  # around the convolution's 4 and the chunk's 64
WITH_HIDDEN = [5, 65]
RAGGED = [7, 64, 19]
SMALLEST_LEAD = 0.005
V = 256
COMMON = dict(vocab_size=V, hidden_size=64, num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=512, bos_token_id=None,
              eos_token_id=None, pad_token_id=None)


def rotary(theta, **more):
    return {"rope_type": "default", "rope_theta": theta, **more}


def qwen3_5(layer_types, **more):
    return Qwen3_5TextConfig(**COMMON, intermediate_size=144, num_hidden_layers=len(layer_types), layer_types=layer_types, head_dim=32,
                             linear_key_head_dim=16, linear_value_head_dim=16, linear_num_key_heads=2, linear_num_value_heads=4,
                             linear_conv_kernel_dim=4, rms_norm_eps=1e-6,
                             rope_parameters=rotary(1e7, partial_rotary_factor=0.25, mrope_interleaved=True, mrope_section=[2, 1, 1]), **more)


def vision_language():
    text = qwen3_5(["linear_attention", "full_attention"], tie_word_embeddings=False)
    vision = dict(depth=1, hidden_size=16, intermediate_size=16, num_heads=2, in_channels=3, patch_size=4, temporal_patch_size=2, spatial_merge_size=2,
                  out_hidden_size=64, num_position_embeddings=16)
    return Qwen3_5Config(text_config=text.to_dict(), vision_config=vision, image_token_id=255, video_token_id=254, vision_start_token_id=253,
                         vision_end_token_id=252, tie_word_embeddings=False)


def qwen2_5_vl():
    """Windows of 2 x 2 merged patches in all blocks but the second; the axes turn 3, 3 and 2 pairs of a head."""
    text = dict(COMMON, intermediate_size=144, num_hidden_layers=2, rms_norm_eps=1e-6, use_sliding_window=False,
                rope_parameters=rotary(1e6, mrope_section=[3, 3, 2]))
    vision = dict(depth=3, hidden_size=16, intermediate_size=20, num_heads=2, patch_size=4, window_size=16, fullatt_block_indexes=[1], out_hidden_size=64)
    return Qwen2_5_VLConfig(text_config=text, vision_config=vision, image_token_id=255, video_token_id=254, vision_start_token_id=253,
                            vision_end_token_id=252, tie_word_embeddings=False)


def gemma3(layer_types, of_full_layers, **more):
    return Gemma3TextConfig(**{**COMMON, **more}, intermediate_size=112, num_hidden_layers=len(layer_types), layer_types=layer_types, head_dim=32,
                            query_pre_attn_scalar=24, rms_norm_eps=1e-6, tie_word_embeddings=True,
                            rope_parameters={"sliding_attention": rotary(1e4), "full_attention": of_full_layers})


CONFIGS = {
    "llama": lambda: LlamaConfig(**COMMON, intermediate_size=160, num_hidden_layers=2, head_dim=16, rms_norm_eps=1e-5, tie_word_embeddings=True,
                                 rope_parameters=rotary(1e5)),
    # 130 is no multiple of what kernels take at once
    "qwen2": lambda: Qwen2Config(**COMMON, intermediate_size=130, num_hidden_layers=2, rms_norm_eps=1e-6, tie_word_embeddings=True,
                                 rope_parameters=rotary(1e6)),
    "qwen3": lambda: Qwen3Config(**COMMON, intermediate_size=144, num_hidden_layers=2, head_dim=32, rms_norm_eps=1e-6, tie_word_embeddings=False,
                                 rope_parameters=rotary(1e6)),
    "qwen3_5": lambda: qwen3_5(["linear_attention", "linear_attention", "full_attention"], tie_word_embeddings=True),
    "qwen3_5_vl": vision_language,
    # the root of 72, which embeddings are multiplied by, has no short binary form; one head of keys and values, as Gemma 3 1B has
    "gemma3": lambda: gemma3(["sliding_attention", "full_attention", "sliding_attention"], rotary(1e6), hidden_size=72, num_key_value_heads=1,
                             sliding_window=64),
    "gemma3_scaled": lambda: gemma3(["sliding_attention", "sliding_attention", "full_attention"], {**rotary(1e6), "rope_type": "linear", "factor": 8.0},
                                    sliding_window=4, final_logit_softcapping=10.0),
    "qwen2_5_vl": qwen2_5_vl,
}
# a setting of Gemma 3, another value of it, and by how much some logit must move
OTHERWISE = [
    ("sliding_window", lambda c: c.sliding_window - 1, 0.05),
    ("sliding_window", lambda c: c.sliding_window + 1, 0.05),
    ("query_pre_attn_scalar", lambda c: c.head_dim, 0.05),
    ("rope_parameters", lambda c: {**c.rope_parameters, "sliding_attention": c.rope_parameters["full_attention"]}, 0.05),
    ("rope_parameters", lambda c: {**c.rope_parameters, "full_attention": c.rope_parameters["sliding_attention"]}, 0.05),
    ("rope_parameters", lambda c: {**c.rope_parameters, "full_attention": {**rotary(1e6), "rope_type": "linear", "factor": 4.0}}, 0.05),
    ("final_logit_softcapping", lambda c: None if c.final_logit_softcapping else 10.0, 0.05),
    ("hidden_activation", lambda c: "gelu", 0.001),
]


def drawn(name, shape, rng, centred_norms):
    """Values of one tensor: matrices keep the size of what goes through them, norms and biases are well away from doing nothing."""
    noise = rng.standard_normal(shape)
    if name.endswith("A_log"):
        return np.log(rng.uniform(1, 8, shape))
    if name.endswith("dt_bias"):
        return 0.5 + 0.3 * noise
    if name.endswith("conv1d.weight"):
        return 0.7 * noise
    if name.endswith("bias"):
        return 0.3 * noise
    if len(shape) == 1:
        return 0.2 * noise + (0 if centred_norms and not name.endswith("linear_attn.norm.weight") else 1)
    return 1.4 / np.sqrt(np.prod(shape[1:])) * noise


def draw(model, rng):
    centred = model.config.model_type.startswith(("qwen3_5", "gemma3"))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(torch.from_numpy(drawn(name, tuple(parameter.shape), rng, centred and ".visual." not in name)))


def logits(model, ids):
    with torch.no_grad():
        return model(input_ids=torch.tensor([ids])).logits[0]


def check_no_path_is_near_zero(model, ids):
    reference = logits(model, ids)
    for name, parameter in model.named_parameters():
        if ".visual." in name:
            continue
        kept = parameter.detach().clone()
        with torch.no_grad():
            parameter.zero_()
        moved = (logits(model, ids) - reference).abs().max().item()
        with torch.no_grad():
            parameter.copy_(kept)
        assert moved > 0.05, f"{name} moves no logit by more than {moved}"


def check_settings_count(model, ids):
    reference = logits(model, ids)
    for key, other, least in OTHERWISE:
        config = type(model.config)(**{**model.config.to_dict(), key: other(model.config)})
        changed = AutoModelForCausalLM.from_config(config, dtype=torch.float32, attn_implementation="eager").eval()
        changed.load_state_dict(model.state_dict())
        moved = (logits(changed, ids) - reference).abs().max().item()
        assert moved > least, f"{key} = {getattr(config, key)} moves no logit by more than {moved}"


def greedy(model, ids, count):
    """The tokens that follow, and by how much the likeliest led at the closest of them."""
    written = model.generate(torch.tensor([ids]), attention_mask=torch.ones(1, len(ids), dtype=torch.long), max_new_tokens=count, do_sample=False)[0]
    best = logits(model, written[:-1].tolist())[len(ids) - 1:].topk(2)
    lead = (best.values[:, 0] - best.values[:, 1]).min().item()
    assert lead < SMALLEST_LEAD or torch.equal(best.indices[:, 0], written[len(ids):]), "with the cache it must write what it writes without"
    return written[len(ids):], lead


def prompt(model, length, count, rng):
    """Random ids whose greedy continuation does not hang by rounding."""
    while True:
        ids = rng.integers(0, V, length).tolist()
        written, lead = greedy(model, ids, count)
        if lead >= SMALLEST_LEAD:
            return ids, written


def int32(values):
    return torch.as_tensor(values).to(torch.int32)


def case(model, name, length, rng):
    ids, written = prompt(model, length, 64, rng)
    with torch.no_grad():
        out = model(input_ids=torch.tensor([ids]), output_hidden_states=True)
    chosen = out.logits[0, :-1].double().log_softmax(-1).gather(1, torch.tensor(ids[1:]).view(-1, 1)).flatten()
    made = {"input_ids": int32(ids), "logits": out.logits[0], "greedy": int32(written), "logprobs": chosen}
    if length in WITH_HIDDEN:
        made.update({f"hidden.{i}": states[0] for i, states in enumerate(out.hidden_states)})
    return {f"{name}.{key}": tensor.contiguous() for key, tensor in made.items()}


def ragged(model, rng):
    width = max(RAGGED)
    rows = [rng.integers(0, V, length).tolist() for length in RAGGED]
    ids = torch.tensor([[0] * (width - len(row)) + row for row in rows])
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows])
    with torch.no_grad():
        last = model(input_ids=ids, attention_mask=mask, position_ids=(mask.cumsum(1) - 1).clamp(min=0)).logits[:, -1]
    for row, of_batch in zip(rows, last):
        assert (logits(model, row)[-1] - of_batch).abs().max() < 1e-3, "padding must not count"
    return {"ragged.input_ids": int32(ids), "ragged.mask": int32(mask), "ragged.last_logits": last.contiguous()}


def axes(model, rng):
    """Embeddings at positions of three axes, as pictures have them: 5 of text, 3 x 4 of a picture, 5 of text."""
    positions = [[i, i, i] for i in range(5)] + [[5, 5 + row, 5 + column] for row in range(3) for column in range(4)] + [[i, i, i] for i in range(9, 14)]
    positions = torch.tensor(positions).T.contiguous()
    embeddings = torch.tensor(rng.standard_normal((positions.shape[1], model.config.text_config.hidden_size)), dtype=torch.float32)
    with torch.no_grad():
        made = [model(inputs_embeds=embeddings[None], position_ids=p[:, None]).logits[0] for p in (positions, torch.arange(positions.shape[1]).expand(3, -1))]
    assert (made[0] - made[1]).abs().max() > 0.05, "the axes must count"
    return {"axes.embeddings": embeddings, "axes.position_ids": int32(positions), "axes.logits": made[0].contiguous()}


def loss_and_gradients(model, ids):
    model.zero_grad()
    loss = model(input_ids=torch.tensor([ids]), labels=torch.tensor([ids])).loss
    loss.backward()
    norms = {name: parameter.grad.double().norm().item() for name, parameter in model.named_parameters()}
    model.zero_grad()
    return {"len65.loss": loss.item(), "len65.grad_norm": float(np.sqrt(sum(norm ** 2 for norm in norms.values()))), "len65.grad_norms": norms}


def other_precisions(folder, golden):
    """What transformers' own float64 and bfloat16 make of the same inputs."""
    largest, cosine = 0.0, 1.0
    for dtype in (torch.float64, torch.bfloat16):
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, attn_implementation="eager")
        for length in LENGTHS:
            expected = golden[f"len{length}.logits"].double()
            found = logits(model, golden[f"len{length}.input_ids"].tolist()).double()
            if dtype == torch.float64:
                largest = max(largest, (found - expected).abs().max().item())
            else:
                cosine = min(cosine, torch.cosine_similarity(found.flatten(), expected.flatten(), 0).item())
    return {"float64_largest_difference": largest, "bfloat16_smallest_cosine": cosine}


def as_published(model, folder, ids):
    """Gives config.json the keys of transformers 4, which the published checkpoints of Gemma 3 have."""
    path = folder / "config.json"
    config = json.loads(path.read_text())
    local, full = config["rope_parameters"]["sliding_attention"], config["rope_parameters"]["full_attention"]
    config.update(rope_local_base_freq=local["rope_theta"], rope_theta=full["rope_theta"], rope_scaling={"factor": full["factor"], "rope_type": "linear"},
                  sliding_window_pattern=1 + config["layer_types"].index("full_attention"), torch_dtype=config["dtype"])
    for key in ("_sliding_window_pattern", "dtype", "layer_types", "rope_parameters", "tie_word_embeddings", "transformers_version",
                "use_bidirectional_attention"):
        del config[key]
    path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    read = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
    assert torch.equal(logits(read, ids), logits(model, ids)), "other keys must say the same"


def make(name, folder, seed):
    rng = np.random.default_rng([seed, list(CONFIGS).index(name)])
    config = CONFIGS[name]()
    shutil.rmtree(folder, ignore_errors=True)
    text_alone = not name.endswith("_vl")
    if text_alone:
        model = AutoModelForCausalLM.from_config(config, dtype=torch.float32, attn_implementation="eager")
    else:
        model = AutoModelForImageTextToText.from_config(config, dtype=torch.float32, attn_implementation="eager")
    model.eval()
    draw(model, rng)
    ids = rng.integers(0, V, 65).tolist()
    check_no_path_is_near_zero(model, ids)
    if name.startswith("gemma3"):
        check_settings_count(model, 2 * ids)
    model.save_pretrained(folder, max_shard_size="250KB" if name == "qwen3" else "50GB")
    if name == "gemma3_scaled":
        as_published(model, folder, ids)
    facts = {"transformers": transformers.__version__, "torch": torch.__version__, "seed": seed, "dtype": "float32"}
    if text_alone:
        golden = {}
        for length in LENGTHS:
            golden.update(case(model, f"len{length}", length, rng))
        golden.update(ragged(model, rng))
        facts.update(loss_and_gradients(model, golden["len65.input_ids"].tolist()))
        facts.update(other_precisions(folder, golden))
    else:
        ids, written = prompt(model, 9, 24, rng)
        golden = {"text.input_ids": int32(ids), "text.logits": logits(model, ids).contiguous(), "text.greedy": int32(written), **axes(model, rng)}
    save_file(golden, folder / "golden.safetensors")
    (folder / "golden.json").write_text(json.dumps(facts, indent=1) + "\n")
    print(name, sum(file.stat().st_size for file in folder.iterdir()), "bytes", {key: value for key, value in facts.items() if "est_" in key})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=list(CONFIGS), choices=list(CONFIGS))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for name in arguments.only:
        make(name, arguments.out / name, arguments.seed)


if __name__ == "__main__":
    main()
