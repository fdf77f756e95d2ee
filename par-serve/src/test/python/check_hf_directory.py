"""Compares a model directory written by prpf with transformers: the same logits (fp32, 1e-3), the same tokens, the same greedy text.

    python3 -m venv venv && venv/bin/pip install torch==2.13.0 'transformers>=5.2' safetensors
    venv/bin/python par-serve/src/test/python/check_hf_directory.py ./prpf DIR

DIR holds config.json, model.safetensors and tokenizer.json. Ten texts, Chinese and English. Leaves with 0 if all agree, else 1.
"""
import json
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer

TEXTS = [
    "用户打开了地图,搜索虹桥火车站。",
    "明天上午九点在三号会议室开会,提醒我带上合同",
    "电量剩余 12%,省电模式未开启",
    "把《三体》加到书单里,然后告诉小王",
    "故宫门票 60 元 x 2,周六下午 3 点半入园",
    "Set an alarm for 7:30 tomorrow morning.",
    "The train to Hangzhou leaves at 18:05 from platform 4.",
    'Call book_transport with {"destination": "Shanghai", "count": 2}',
    "Wi-Fi is off; Bluetooth headset connected. 2 unread messages",
    "mixed 中英 text: 打开 Spotify 播放 jazz 🎷",
]
NEW_TOKENS = 16


def main(prpf, directory):
    model = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(directory)
    failures = 0
    for text in TEXTS:
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        with torch.no_grad():
            expected = model(torch.tensor([ids])).logits[0]
            greedy = model.generate(
                torch.tensor([ids]),
                attention_mask=torch.ones(1, len(ids), dtype=torch.long),
                max_new_tokens=NEW_TOKENS,
                min_new_tokens=NEW_TOKENS,
                do_sample=False,
                eos_token_id=None,
                pad_token_id=0,
            )[0, len(ids):].tolist()
        with tempfile.NamedTemporaryFile(suffix=".safetensors") as out:
            subprocess.run(
                [prpf, "reasoner", "logits", "--reasoner", directory, "--ids", ",".join(map(str, ids)), "--out", out.name],
                check=True,
            )
            difference = (load_file(out.name)["logits"] - expected).abs().max().item()
        ours = json.loads(
            subprocess.run(
                [prpf, "reasoner", "generate", "--reasoner", directory, "--prompt", text, "--max-new", str(NEW_TOKENS),
                 "--greedy", "--ignore-eos", "--json"],
                check=True,
                stdout=subprocess.PIPE,
            ).stdout
        )
        # the prompt went through our tokenizer, above through theirs: the first log-probability tells any difference
        first = torch.log_softmax(expected[-1], -1)[greedy[0]].item()
        same_tokens = ours["ids"] == greedy and abs(ours["logprobs"][0] - first) <= 1e-5
        same_text = ours["text"] == tokenizer.decode(greedy, skip_special_tokens=True)
        good = difference <= 1e-3 and same_tokens and same_text
        failures += not good
        print(f"{'ok  ' if good else 'FAIL'} {len(ids):3d} tokens, logits differ by {difference:.1e}, greedy"
              f" {'same' if same_tokens else 'differs'}, text {'same' if same_text else 'differs'}: {text}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
