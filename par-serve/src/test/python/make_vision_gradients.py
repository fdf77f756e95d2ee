"""Loss and gradient norms of vision-language models by transformers, for LearningVisionTest.

python make_vision_gradients.py OUT.json NAME=FOLDER ...

FOLDER is a Qwen3.5 checkpoint: config.json, model.safetensors, and pictures.safetensors or golden.safetensors with the input_ids and
position_ids of the cases "one" and "two" and the pixel_values and grid_thw of their pictures (0; 1 and 2). The loss is the mean cross entropy of
the tokens behind the last picture of both cases but for the first of them, which ends the picture.
Made with transformers 5.23.0 and torch 2.13.0 (CPU, float32, eager attention).
"""

import json
import os
import sys

import torch
import transformers
from safetensors.torch import load_file

CASES = {"one": [0], "two": [1, 2]}


def gradients(folder):
    model = transformers.Qwen3_5ForConditionalGeneration.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager"
    )
    model.train()
    own = os.path.join(folder, "pictures.safetensors")
    golden = load_file(own if os.path.exists(own) else os.path.join(folder, "golden.safetensors"))
    responses = {}
    for name in CASES:
        ids = golden[name + ".input_ids"].tolist()
        responses[name] = ids[::-1].index(model.config.image_token_id) - 1
    total = 0
    for name, pictures in CASES.items():
        response = responses[name]
        ids = golden[name + ".input_ids"].long()[None]
        grids = torch.cat([golden[f"picture{i}.grid_thw"].long() for i in pictures])
        pixels = torch.cat([golden[f"picture{i}.pixel_values"] for i in pictures])
        positions = golden[name + ".position_ids"].long()[:, None]
        logits = model(input_ids=ids, pixel_values=pixels, image_grid_thw=grids, position_ids=positions).logits
        loss = torch.nn.functional.cross_entropy(logits[0, -response - 1 : -1], ids[0, -response:], reduction="sum")
        total = total + loss / sum(responses.values())
    total.backward()
    norms = {name: p.grad.norm().item() for name, p in model.named_parameters()}
    return {"responses": responses, "loss": total.item(), "grad_norms": norms}


out, *folders = sys.argv[1:]
made = {"transformers": transformers.__version__, "torch": torch.__version__}
for folder in folders:
    name, path = folder.split("=", 1)
    made[name] = gradients(path)
with open(out, "w") as file:
    json.dump(made, file, indent=1)
    file.write("\n")
