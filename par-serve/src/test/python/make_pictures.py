"""Adds pictures to the vision-language checkpoint that make_decoders.py made, and what transformers computes of them (float32, eager attention, CPU).

    venv/bin/python par-serve/src/test/python/make_pictures.py par-serve/src/test/resources/golden/qwen3_5_vl      # and golden/qwen2_5_vl

pictures.safetensors  per picture: pixel_values (patches, 3 * 2 * 4 * 4) drawn at random with NumPy, grid_thw (1, 3), embeds (tokens, width: what the
                      tower makes); per case "one" (picture 0) and "two" (pictures 1 and 2): input_ids with expanded placeholders, position_ids (3, T),
                      logits (T, vocabulary), greedy (24 tokens that follow, each ahead of the second best by 0.005 or more); and gradient_norm.NAME
                      (float64): the norm of a parameter's gradient of the sum of picture 2's squared embeds
"""
import pathlib
import sys

import numpy as np
import torch
from safetensors.torch import save_file
from transformers import AutoModelForImageTextToText

GRIDS = [(4, 6), (12, 4), (6, 14)]
CASES = {"one": [0], "two": [1, 2]}
NEW = 24
SMALLEST_LEAD = 0.005


def prompt(rng, model, pictures):
    ids = list(rng.integers(1, 200, 5))
    for p in pictures:
        r, c = GRIDS[p]
        ids += [model.config.vision_start_token_id] + [model.config.image_token_id] * (r * c // 4) + [model.config.vision_end_token_id]
        ids += list(rng.integers(1, 200, 7))
    return torch.tensor([ids])


def case(model, rng, pixels, pictures):
    ids = prompt(rng, model, pictures)
    kinds = (ids == model.config.image_token_id).int()
    grid = torch.tensor([(1, *GRIDS[p]) for p in pictures])
    inputs = dict(input_ids=ids, pixel_values=torch.cat([pixels[p] for p in pictures]), image_grid_thw=grid, mm_token_type_ids=kinds)
    with torch.no_grad():
        logits = model(**inputs).logits[0]
        written = model.generate(**inputs, max_new_tokens=NEW, do_sample=False, output_logits=True, return_dict_in_generate=True, eos_token_id=None,
                                 pad_token_id=0)
    best = torch.cat(written.logits).topk(2, -1).values
    positions = model.model.get_rope_index(ids, mm_token_type_ids=kinds, image_grid_thw=grid)[0]
    lead = (best[:, 0] - best[:, 1]).min().item()
    return lead, {"input_ids": ids[0].int(), "position_ids": positions[:, 0].int(), "logits": logits.contiguous(),
                  "greedy": written.sequences[0, ids.shape[1]:].int()}


def main(folder):
    torch.set_num_threads(1)
    model = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    rng = np.random.default_rng(5)
    size = 3 * 2 * model.config.vision_config.patch_size**2
    pixels = [torch.tensor(rng.uniform(-1, 1, (r * c, size)), dtype=torch.float32) for r, c in GRIDS]
    golden = {}
    for p, (r, c) in enumerate(GRIDS):
        grid = torch.tensor([[1, r, c]])
        with torch.no_grad():
            embeds = model.model.visual(pixels[p], grid_thw=grid).pooler_output
        golden |= {f"picture{p}.pixel_values": pixels[p], f"picture{p}.grid_thw": grid.int(), f"picture{p}.embeds": embeds.contiguous()}
    for name, pictures in CASES.items():
        lead = 0
        while lead < SMALLEST_LEAD:
            lead, made = case(model, rng, pixels, pictures)
        print(name, "lead", lead)
        golden |= {f"{name}.{key}": value for key, value in made.items()}
    tower = model.model.visual
    tower(pixels[2], grid_thw=torch.tensor([[1, *GRIDS[2]]])).pooler_output.square().sum().backward()
    golden |= {f"gradient_norm.model.visual.{name}": parameter.grad.double().norm()[None] for name, parameter in tower.named_parameters()}
    save_file(golden, pathlib.Path(folder) / "pictures.safetensors")


main(sys.argv[1])
