"""Loads a directory that `prpf reasoner init --vision` or `reasoner sft` wrote with transformers: model, processor and chat template, and runs an image through them.

    python3 -m venv venv && venv/bin/pip install torch==2.13.0 torchvision==0.28.0 transformers==5.23.0 safetensors pillow jinja2
    venv/bin/python par-serve/src/test/python/check_vision_directory.py ./prpf DIR IMAGE.png [ADAPTERS MERGED]

Compares the logits of a prompt with the image with `prpf reasoner logits --images` (fp32, 1e-3), and the template's text with that of messages without parts.
With the folders of a training with LoRA (`RUN/model-adapter`, `RUN/model`; train-vision: none) PEFT 0.21.2 loads the adapters onto DIR: their names must be
those that it would write, and the logits those of the merged model.
Leaves with 0 if all agree, else 1.
"""
import subprocess
import sys
import tempfile

import torch
from PIL import Image
from safetensors.torch import load_file
from transformers import AutoImageProcessor, AutoModelForImageTextToText, AutoTokenizer

QUESTION = "关闭蓝牙"


def rendered(tokenizer, content):
    return tokenizer.apply_chat_template([{"role": "user", "content": content}], tokenize=False, add_generation_prompt=True)


def adapted(model, adapters):
    from peft import PeftModel, get_peft_model_state_dict

    model = PeftModel.from_pretrained(model, adapters)
    written, loaded = load_file(adapters + "/adapter_model.safetensors"), get_peft_model_state_dict(model)
    good = written.keys() == loaded.keys() and all(torch.equal(written[key], loaded[key]) for key in written)
    print(len(written), "tensors of adapters", "are those of PEFT" if good else f"differ: {sorted(written.keys() ^ loaded.keys())[:4]}")
    return model, good


def main(prpf, directory, image, adapters=None, merged=None):
    model, report = AutoModelForImageTextToText.from_pretrained(directory, dtype=torch.float32, output_loading_info=True)
    print({key: sorted(value) for key, value in report.items() if value})
    tokenizer = AutoTokenizer.from_pretrained(directory)
    processor = AutoImageProcessor.from_pretrained(directory)
    print(type(processor).__name__, model.num_parameters(), "parameters")
    plain = rendered(tokenizer, QUESTION)
    seen = rendered(tokenizer, [{"type": "image", "image": image}, {"type": "text", "text": QUESTION}])
    good = seen == plain.replace(QUESTION, "<|vision_start|><|image_pad|><|vision_end|>" + QUESTION)
    print("template", "same" if good else "differs", repr(seen))

    if adapters:
        model, same = adapted(model, adapters)
        good = good and same
    inputs = processor(images=[Image.open(image)], return_tensors="pt")
    tokens = int(inputs["image_grid_thw"].prod()) // processor.merge_size**2
    ids = tokenizer(seen.replace("<|image_pad|>", "<|image_pad|>" * tokens), add_special_tokens=False)["input_ids"]
    types = torch.tensor([[int(i == model.config.image_token_id) for i in ids]])
    with torch.no_grad():
        expected = model.eval()(input_ids=torch.tensor([ids]), mm_token_type_ids=types, **inputs).logits[0]
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as out:
        command = [*prpf.split(), "reasoner", "logits", "--reasoner", merged or directory, "--ids", ",".join(map(str, ids)), "--images", image, "--out", out.name]
        subprocess.run(command, check=True)
        difference = (load_file(out.name)["logits"] - expected).abs().max().item()
    good = good and difference <= 1e-3 and not report["missing_keys"] and not report["unexpected_keys"]
    print(f"{len(ids)} tokens, {tokens} of the image, logits differ by {difference:.1e}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
