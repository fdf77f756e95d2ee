#!/usr/bin/env bash
# configs/launch/openrlhf-sft.sh --model.model_name_or_path models/base --data.dataset runs/openrlhf-sft/train.jsonl
# OpenRLHF 0.11. PRPF Table 4: AdamW, 1e-5, cosine, warm-up 0.1, 5 epochs, batch 16 accumulated twice. Needs: an export (docs/EXPORT.md), 8 GPUs.
# Options behind go over those here. The model's folder must have the export's chat_template.jinja, and <|im_end|> as its tokenizer's eos_token. Prompts of max_len tokens are left out.
set -euo pipefail
exec deepspeed --module openrlhf.cli.train_sft \
  --model.model_name_or_path models/base \
  --data.dataset runs/openrlhf-sft/train.jsonl \
  --data.input_key messages \
  --data.apply_chat_template \
  --data.max_len 32768 \
  --train.batch_size 32 \
  --train.micro_batch_size 2 \
  --train.max_epochs 5 \
  --adam.lr 1e-5 \
  --lr_scheduler cosine \
  --lr_warmup_ratio 0.1 \
  --ds.zero_stage 3 \
  --ds.param_dtype bf16 \
  --model.gradient_checkpointing_enable \
  --ckpt.save_steps 100 \
  --ckpt.path runs/sft/checkpoints \
  --ckpt.output_dir runs/sft \
  "$@"
