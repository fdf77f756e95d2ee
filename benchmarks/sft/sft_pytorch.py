"""The steps of step.sh as a plain PyTorch loop: transformers' Llama, autocast to bf16 over float32 weights, fused AdamW, clipping.

usage: sft_pytorch.py STEPS fp32|bf16 [plain|checkpointing] [threads]
"""
import resource, sys, time
import torch
from transformers import LlamaConfig, LlamaForCausalLM

steps, dtype = int(sys.argv[1]), sys.argv[2]
checkpointing = len(sys.argv) > 3 and sys.argv[3] == "checkpointing"
torch.set_num_threads(int(sys.argv[4]) if len(sys.argv) > 4 else 2)
torch.manual_seed(1)
V, B, T = 49152, 8, 256
model = LlamaForCausalLM(LlamaConfig(
    vocab_size=V, hidden_size=576, intermediate_size=1536, num_hidden_layers=30, num_attention_heads=9, num_key_value_heads=3, head_dim=64,
    tie_word_embeddings=True, rope_theta=100000.0, pad_token_id=0, eos_token_id=1, bos_token_id=1, max_position_embeddings=2048))
model.train()
if checkpointing:
    model.gradient_checkpointing_enable()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, weight_decay=0.01, fused=True)
ids = torch.randint(2, V, (B, T))
labels = ids.clone()
labels[:, : T // 2] = -100
times = []
for _ in range(steps):
    start = time.perf_counter()
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=dtype == "bf16"):
        loss = model(input_ids=ids, labels=labels).loss
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)
    times.append(time.perf_counter() - start)
times.sort()
median = times[steps // 2]
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(f"PyTorch {torch.__version__} SFT step, {dtype}{' checkpointing' if checkpointing else ''}: median {median:.2f} s, {B * T / median:.0f} tokens/s; peak resident {peak} MB")
