"""Makes tiny vision towers of random numbers, images, and what transformers and PIL compute with them (float32, eager attention, CPU).

    python3 -m venv venv && venv/bin/pip install torch==2.15.0 transformers==5.23.0 safetensors==0.8.0 pillow==13.0.0 numpy==2.4.6
    venv/bin/python data-prep/src/test/python/make_vision_towers.py data-prep/src/test/resources/golden

clip-vision, siglip-vision   config.json, preprocessor_config.json and model.safetensors as published checkpoints have them; golden.safetensors:
                             pixel_values (6, 3, S, S) after PIL's resize, crop and normalisation, embeds (6, W)
siglip-vision                bilinear.pixel_values: the same with resample = 2, as SigLIP 2 is published
images                       picture0.png … picture5.png: portrait, landscape, square, narrow, grey, one pixel
"""
import json
import pathlib
import sys

import numpy as np
import torch
from PIL import Image
from safetensors.numpy import load_file, save_file
from transformers import (CLIPImageProcessorPil, CLIPVisionConfig, CLIPVisionModelWithProjection, SiglipImageProcessorPil, SiglipVisionConfig,
                          SiglipVisionModel)

COMMON = dict(hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, attn_implementation="eager")


def images(folder):
    """Screens with blocks of colour and a little noise, small as files; even sizes and odd ones, shrunk and enlarged."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(7)
    for i, (width, height) in enumerate([(270, 601), (400, 175), (64, 64), (33, 147), (50, 41), (1, 1)]):
        blocks = random.integers(0, 256, (height // 24 + 1, width // 24 + 1, 3), np.uint8)
        pixels = np.kron(blocks, np.ones((24, 24, 1), np.uint8))[:height, :width]
        pixels[::7, ::5] ^= 37
        image = Image.fromarray(pixels)
        (image.convert("L") if i == 4 else image).save(folder / f"picture{i}.png", optimize=True)
    return [Image.open(folder / f"picture{i}.png").convert("RGB") for i in range(6)]


def draw(model, seed):
    """Weights that every machine draws alike, none of which is without effect."""
    random = np.random.default_rng(seed)
    with torch.no_grad():
        for name, tensor in sorted(model.named_parameters()):
            values = random.normal(0, 0.2, tuple(tensor.shape))
            norm = "norm" in name or "layrnorm" in name
            tensor.copy_(torch.from_numpy((1 + values if norm and name.endswith("weight") else values).astype(np.float32)))
    return model.eval()


def published(folder):
    """The names that published files have: transformers 5 leaves the prefix out where a file holds SigLIP's tower alone."""
    tensors = load_file(folder / "model.safetensors")
    outside = ("vision_model.", "visual_projection.")
    named = {name if name.startswith(outside) else "vision_model." + name: tensor for name, tensor in tensors.items()}
    save_file(named, folder / "model.safetensors", {"format": "pt"})


def pixels(processor, pictures):
    return processor(images=pictures, return_tensors="np")["pixel_values"].astype(np.float32)


def make(folder, model, processor, pictures, more=None):
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    published(folder)
    values = pixels(processor, pictures)
    with torch.no_grad():
        outputs = model(torch.from_numpy(values))
    embeds = outputs.image_embeds if hasattr(outputs, "image_embeds") else outputs.pooler_output
    save_file({"pixel_values": values, "embeds": embeds.numpy(), **(more or {})}, folder / "golden.safetensors")
    for file in folder.iterdir():
        file.chmod(0o644)
    print(folder, json.loads((folder / "config.json").read_text())["model_type"], values.shape, embeds.shape, float(embeds.abs().mean()))


def main(out):
    out = pathlib.Path(out)
    pictures = images(out / "images")
    clip = CLIPVisionConfig(**COMMON, image_size=64, patch_size=16, projection_dim=16)
    square = dict(height=64, width=64)
    make(out / "clip-vision", draw(CLIPVisionModelWithProjection(clip), 1),
         CLIPImageProcessorPil(size=dict(shortest_edge=64), crop_size=square), pictures)
    # 56 is no multiple of 16: as in siglip-so400m-patch14-384, what is left over is not seen.
    siglip = SiglipVisionConfig(**COMMON, image_size=56, patch_size=16)
    size = dict(height=56, width=56)
    bilinear = pixels(SiglipImageProcessorPil(size=size, resample=2), pictures)
    make(out / "siglip-vision", draw(SiglipVisionModel(siglip), 2), SiglipImageProcessorPil(size=size), pictures, {"bilinear.pixel_values": bilinear})


if __name__ == "__main__":
    main(sys.argv[1])
