"""What transformers' logits processors make of made logits, for SamplingGoldenTest.

    python3 par-serve/src/test/python/logits_processors.py par-serve/src/test/resources/dev/prpf/par/generate/logits-processors.json

Needs torch and transformers (made with transformers 5.23.0). Each case: logits, the tokens that are there already, the settings, and the
probabilities of all tokens that result.
"""
import json
import random
import sys

import torch
from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM

V = 24
random.seed(7)
torch.manual_seed(7)
model = LlamaForCausalLM(LlamaConfig(vocab_size=V, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1))


def processed(logits, seen, settings):
    config = GenerationConfig(do_sample=True, **settings)
    config, _ = model._prepare_generation_config(config)
    processors = model._get_logits_processor(generation_config=config, input_ids_seq_length=len(seen), device="cpu")
    scores = processors(torch.tensor([seen]), torch.tensor([logits]))
    return torch.softmax(scores.double(), -1)[0].tolist()


def settings():
    chosen = {"top_k": random.choice([0, 1, 3, 8, 100])}
    if random.random() < 0.7:
        chosen["temperature"] = random.choice([0.3, 0.7, 1.3, 2.5])
    if random.random() < 0.6:
        chosen["top_p"] = random.choice([0.05, 0.5, 0.8, 0.95])
    if random.random() < 0.5:
        chosen["min_p"] = random.choice([0.02, 0.1, 0.4])
    if random.random() < 0.5:
        chosen["repetition_penalty"] = random.choice([0.8, 1.1, 1.8])
    return chosen


cases = []
for i in range(120):
    logits = [round(random.gauss(0, 3), 3) for _ in range(V)]
    chosen = settings()
    if i % 4 == 0:
        # many equal logits, as bfloat16 gives: those as likely as the last of the k stay
        logits = [float(round(x)) for x in logits]
        chosen.pop("top_p", None)
    seen = [random.randrange(V) for _ in range(random.randrange(1, 12))]
    cases.append({"logits": logits, "seen": seen, "settings": chosen, "probabilities": [float(f"{p:.9g}") for p in processed(logits, seen, chosen)]})
with open(sys.argv[1], "w") as out:
    out.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
print(len(cases), "cases;", sum(len([p for p in c["probabilities"] if p > 0]) for c in cases) / len(cases), "tokens kept on average")
