"""Makes small pictures of every kind that a screenshot may come as, and the pixels that transformers' image processors see of them.

    python3 -m venv venv && venv/bin/pip install torch==2.13.0 torchvision==0.28.0 transformers==5.23.0 pillow==13.0.0 numpy
    venv/bin/python data-prep/src/test/python/make_images.py data-prep/src/test/resources/golden/image-formats

pixels.json     a file's name: its rows of "RRGGBB", after transformers.image_transforms.convert_to_rgb
animated.gif, animated.png, cmyk.jpg, truncated.png, enormous.png    what is refused
"""
import io
import json
import pathlib
import struct
import sys
import zlib

import numpy as np
from PIL import Image
from transformers.image_transforms import convert_to_rgb

WIDTH, HEIGHT = 7, 5


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(path, colour, depth, samples, extra=b"", size=(WIDTH, HEIGHT)):
    """A PNG of raw samples (H, bytes a row), which Pillow itself cannot write in all types."""
    rows = b"".join(b"\0" + bytes(row) for row in samples)
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", *size, depth, colour, 0, 0, 0))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + header + extra + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def sound(folder, random):
    rgba = random.integers(0, 256, (HEIGHT, WIDTH, 4), np.uint8)
    rgba[0, :3, 3] = [0, 255, 128]
    rgb, grey = rgba[..., :3].copy(), rgba[..., 0].copy()
    Image.fromarray(rgb).save(folder / "rgb.png")
    Image.fromarray(rgba).save(folder / "rgba.png")
    Image.fromarray(grey).save(folder / "grey.png")
    Image.fromarray(rgba[..., :2].copy(), "LA").save(folder / "grey-alpha.png")
    Image.fromarray(rgb).save(folder / "rgb.bmp")
    Image.fromarray((grey > 99)).save(folder / "binary.png")
    palette = Image.fromarray(rgb).quantize(6)
    palette.save(folder / "palette.png")
    palette.save(folder / "palette-transparent.png", transparency=2)
    palette.save(folder / "palette.gif")
    png(folder / "rgb16.png", 2, 16, random.integers(0, 256, (HEIGHT, WIDTH * 6), np.uint8))
    png(folder / "rgba16.png", 6, 16, random.integers(0, 256, (HEIGHT, WIDTH * 8), np.uint8))
    png(folder / "grey16.png", 0, 16, random.integers(0, 256, (HEIGHT, WIDTH * 2), np.uint8))
    png(folder / "grey4.png", 0, 4, random.integers(0, 256, (HEIGHT, (WIDTH + 1) // 2), np.uint8))
    png(folder / "key.png", 2, 8, rgb.reshape(HEIGHT, -1), chunk(b"tRNS", b"".join(struct.pack(">H", int(v)) for v in rgb[1, 1])))
    return rgb


def refused(folder, rgb):
    frames = [Image.fromarray(rgb), Image.fromarray(255 - rgb)]
    for name in ("animated.gif", "animated.png"):
        frames[0].save(folder / name, save_all=True, append_images=frames[1:])
    Image.fromarray(rgb).convert("CMYK").save(folder / "cmyk.jpg")
    whole = (folder / "rgb.png").read_bytes()
    (folder / "truncated.png").write_bytes(whole[:-40])
    png(folder / "enormous.png", 2, 8, [b"\0\0\0"], size=(9000, 9000))


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    rgb = sound(folder, np.random.default_rng(4))
    pixels = {}
    for file in sorted(folder.glob("*.*")):
        if file.suffix != ".json":
            image = convert_to_rgb(Image.open(io.BytesIO(file.read_bytes())), return_numpy=True)
            pixels[file.name] = ["".join("%02X%02X%02X " % tuple(p) for p in row).strip() for row in image.tolist()]
            print(file.name, Image.open(file).mode, pixels[file.name][0])
    (folder / "pixels.json").write_text(json.dumps(pixels, indent=0) + "\n")
    refused(folder, rgb)


main(pathlib.Path(sys.argv[1]))
