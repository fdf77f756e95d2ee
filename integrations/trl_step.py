"""One GRPO step of TRL, unmodified, whose rewards come from a running reward service.

    ./prpf data export --to trl --examples SET --gold GOLD --pool POOL --out EXPORT
    ./prpf serve --gold EXPORT/gold.json --pool EXPORT/function_pool.json --reward EXPORT/reward.yaml --reasoning none --port 8080
    python3 -m venv venv && venv/bin/pip install torch trl==1.16.0 'transformers==5.24.0'
    PRPF_REWARD_URL=http://127.0.0.1:8080 PYTHONPATH=EXPORT venv/bin/python integrations/trl_step.py EXPORT MODEL

MODEL is a small Hugging Face directory, such as a quickstart's reasoner/model. Prints what TRL logs of the step and by how much the weights moved;
leaves with another status than 0 unless rewards differ and weights move.
"""
import json
import os
import sys
import tempfile

os.environ.update(CUDA_VISIBLE_DEVICES="", HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")

import torch
from datasets import load_dataset
from prpf_reward import structured_reward
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer


def main(export, model, out):
    torch.manual_seed(7)
    policy = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(model)
    with open(os.path.join(export, "chat_template.jinja"), encoding="utf-8") as template:
        tokenizer.chat_template = template.read()
    before = {name: weight.detach().clone() for name, weight in policy.named_parameters()}
    config = GRPOConfig(output_dir=out, num_generations=4, per_device_train_batch_size=8, max_completion_length=64, beta=0.05, loss_type="grpo",
                        learning_rate=1e-4, temperature=1.0, max_steps=1, logging_steps=1, save_strategy="no", use_cpu=True, bf16=False,
                        report_to="none", disable_tqdm=True)
    trainer = GRPOTrainer(model=policy, args=config, reward_funcs=structured_reward, train_dataset=load_dataset(export)["train"],
                          processing_class=tokenizer)
    trainer.train()
    logged = trainer.state.log_history[0]
    moved = max((weight.detach() - before[name]).abs().max().item() for name, weight in policy.named_parameters())
    names = [name for name in logged if name.startswith(("reward", "terms/"))] + ["loss", "grad_norm", "kl", "completions/mean_length"]
    print(json.dumps({name: logged[name] for name in names if name in logged}, indent=1))
    print(f"the weights moved by {moved:.2e} at most")
    if not (logged["reward_std"] > 0 and moved > 0):
        sys.exit("FAIL: rewards of a group must differ, and weights must move")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        main(*sys.argv[1:], place)
