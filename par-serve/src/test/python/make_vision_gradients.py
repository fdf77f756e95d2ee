"""Losses and gradient norms of vision-language models by transformers, for LearningVisionTest.

python make_vision_gradients.py OUT.json NAME=FOLDER ...

FOLDER is a Qwen3.5 or Qwen2.5-VL checkpoint: config.json, model.safetensors, and pictures.safetensors or golden.safetensors with the input_ids and
position_ids of the cases "one" and "two" and the pixel_values and grid_thw of their pictures (0; 1 and 2). The loss is the mean cross entropy of
the tokens behind the last picture of both cases but for the first of them, which ends the picture. "grpo" holds the same for the clipped
objective (token mean, no KL) of the same responses at a temperature, with given advantages and log-probabilities of the old policy.
Made with transformers 5.23.0 and torch 2.13.0 (CPU, float32, eager attention).
"""

import json
import os
import sys

import torch
import transformers
from safetensors.torch import load_file

CASES = {"one": [0], "two": [1, 2]}
ADVANTAGES = {"one": 1.5, "two": -0.75}
TEMPERATURE = 0.9


def gradients(folder):
    model = transformers.AutoModelForImageTextToText.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager"
    )
    model.train()
    own = os.path.join(folder, "pictures.safetensors")
    golden = load_file(own if os.path.exists(own) else os.path.join(folder, "golden.safetensors"))
    responses = {}
    for name in CASES:
        ids = golden[name + ".input_ids"].tolist()
        responses[name] = ids[::-1].index(model.config.image_token_id) - 1
    made = {"responses": responses}
    sft = sum(cross_entropy(*case(model, golden, name), responses[name]) for name in CASES) / sum(responses.values())
    made |= backward(model, sft)
    parts = [clipped(*case(model, golden, name), responses[name], ADVANTAGES[name]) for name in CASES]
    grpo = backward(model, sum(loss for loss, _ in parts) / sum(responses.values()))
    made["grpo"] = {"temperature": TEMPERATURE, "advantages": ADVANTAGES, "old": {name: old for name, (_, old) in zip(CASES, parts)}} | grpo
    return made


def case(model, golden, name):
    """Logits and tokens of a prompt with its response."""
    pictures = CASES[name]
    ids = golden[name + ".input_ids"].long()[None]
    grids = torch.cat([golden[f"picture{i}.grid_thw"].long() for i in pictures])
    pixels = torch.cat([golden[f"picture{i}.pixel_values"] for i in pictures])
    positions = golden[name + ".position_ids"].long()[:, None]
    logits = model(input_ids=ids, pixel_values=pixels, image_grid_thw=grids, position_ids=positions).logits
    return logits[0], ids[0]


def cross_entropy(logits, ids, response):
    return torch.nn.functional.cross_entropy(logits[-response - 1 : -1], ids[-response:], reduction="sum")


def clipped(logits, ids, response, advantage):
    """The sum of the tokens' losses, and the old log-probabilities: those of the model, each moved by less than the clip."""
    now = torch.log_softmax(logits[-response - 1 : -1] / TEMPERATURE, -1).gather(1, ids[-response:, None])[:, 0]
    old = (now + 0.1 * torch.sin(torch.arange(response))).detach()
    ratio = torch.exp(now - old)
    loss = -torch.minimum(ratio * advantage, torch.clamp(ratio, 0.8, 1.2) * advantage)
    return loss.sum(), old.tolist()


def backward(model, loss):
    model.zero_grad()
    loss.backward()
    return {"loss": loss.item(), "grad_norms": {name: p.grad.norm().item() for name, p in model.named_parameters()}}


out, *folders = sys.argv[1:]
made = {"transformers": transformers.__version__, "torch": torch.__version__}
for folder in folders:
    name, path = folder.split("=", 1)
    made[name] = gradients(path)
with open(out, "w") as file:
    json.dump(made, file, indent=1)
    file.write("\n")
