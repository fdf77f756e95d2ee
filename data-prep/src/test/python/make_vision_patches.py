"""Makes pictures of 200 random sizes by a formula, and what transformers' image processors of the Qwen-VL family make of them (CPU).

    python3 -m venv venv && venv/bin/pip install torch==2.13.0 torchvision==0.28.0 transformers==5.23.0 safetensors==0.8.0 pillow numpy
    venv/bin/python data-prep/src/test/python/make_vision_patches.py data-prep/src/test/resources/golden/vision-patches
    venv/bin/python data-prep/src/test/python/make_vision_patches.py data-prep/src/test/resources/golden/vision-patches-qwen2_5_vl

preprocessor_config.json      the published values of Qwen3.5, but a smaller smallest area; or those of Qwen2.5-VL where the folder is named so
golden.safetensors            cases (200, 6) int32: width, height, seed, budget of tokens (0: none), rows, columns of patches;
                              torchvision.means (200,) of a picture's values by Qwen2VLImageProcessor, torchvision.samples (200, 64) of them, those of
                              number (k * 2654435761 + seed) mod size; pil.means and pil.samples by Qwen2VLImageProcessorPil

The byte of channel c at (x, y) is (7 x + 3 y + 40 c + (h mod 64)) mod 256 with h = hash(73856093 x ^ 19349663 y ^ 83492791 c ^ 2654435761 seed), all in
32 bits: slopes, edges and noise. VisionProcessorTest computes the same.
"""
import json
import pathlib
import sys

import numpy as np
from safetensors.numpy import save_file
from transformers import Qwen2VLImageProcessor, Qwen2VLImageProcessorPil

CONFIG = {
    "do_convert_rgb": True, "do_normalize": True, "do_rescale": True, "do_resize": True, "image_mean": [0.5, 0.45, 0.4], "image_std": [0.5, 0.25, 0.3],
    "image_processor_type": "Qwen2VLImageProcessorFast", "merge_size": 2, "patch_size": 16, "resample": 3, "rescale_factor": 1 / 255,
    "size": {"longest_edge": 16777216, "shortest_edge": 16384}, "temporal_patch_size": 2,
}
QWEN2_5_VL = {
    "min_pixels": 3136, "max_pixels": 12845056, "patch_size": 14, "temporal_patch_size": 2, "merge_size": 2,
    "image_mean": [0.48145466, 0.4578275, 0.40821073], "image_std": [0.26862954, 0.26130258, 0.27577711],
    "image_processor_type": "Qwen2VLImageProcessor", "processor_class": "Qwen2_5_VLProcessor",
}
FIXED = [(1080, 2400, 0), (1080, 2400, 256), (448, 448, 0), (160, 320, 50), (1, 1, 0), (1, 200, 0), (3000, 15, 0), (64, 96, 0), (176, 240, 0), (720, 1600, 64)]


def picture(width, height, seed):
    x = np.arange(width, dtype=np.uint32)[None, :, None]
    y = np.arange(height, dtype=np.uint32)[:, None, None]
    c = np.arange(3, dtype=np.uint32)[None, None, :]
    h = x * np.uint32(73856093) ^ y * np.uint32(19349663) ^ c * np.uint32(83492791) ^ np.uint32(seed * 2654435761 % 2**32)
    h ^= h >> np.uint32(13)
    h *= np.uint32(0x5BD1E995)
    h ^= h >> np.uint32(15)
    return ((7 * x + 3 * y + 40 * c + h % np.uint32(64)) % np.uint32(256)).astype(np.uint8)


def sizes(random):
    yield from FIXED
    for i in range(200 - len(FIXED)):
        while True:
            width, height = (int(side) for side in np.exp(random.uniform(0, np.log(2500), 2)))
            if max(width, height) <= 200 * min(width, height) and width * height < 1_000_000:
                break
        yield width, height, 0 if i % 3 else int(random.integers(40, 400))


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    config = QWEN2_5_VL if folder.name.endswith("qwen2_5_vl") else CONFIG
    (folder / "preprocessor_config.json").write_text(json.dumps(config, indent=2) + "\n")
    processors = {"torchvision": Qwen2VLImageProcessor.from_pretrained(folder), "pil": Qwen2VLImageProcessorPil.from_pretrained(folder)}
    cases, results = [], {f"{name}.{what}": [] for name in processors for what in ("means", "samples")}
    for seed, (width, height, budget) in enumerate(sizes(np.random.default_rng(21))):
        published = config.get("size") or {"shortest_edge": config["min_pixels"], "longest_edge": config["max_pixels"]}
        size = dict(published, **({"longest_edge": budget * (2 * config["patch_size"]) ** 2} if budget else {}))
        image = picture(width, height, seed).transpose(2, 0, 1)
        for name, processor in processors.items():
            out = processor(images=[image], size=size, input_data_format="channels_first", return_tensors="np")
            values = out["pixel_values"].reshape(-1)
            results[f"{name}.means"].append(values.mean(dtype=np.float64))
            results[f"{name}.samples"].append(values[(np.arange(64, dtype=np.int64) * 2654435761 + seed) % values.size])
        cases.append([width, height, seed, budget, *out["image_grid_thw"][0, 1:].tolist()])
    tensors = {name: np.array(values, np.float32) for name, values in results.items()}
    save_file({"cases": np.array(cases, np.int32), **tensors}, folder / "golden.safetensors")


main(pathlib.Path(sys.argv[1]))
