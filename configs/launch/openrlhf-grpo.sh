#!/usr/bin/env bash
# EXPORT=runs/openrlhf-grpo configs/launch/openrlhf-grpo.sh --actor.model_name_or_path runs/sft
# OpenRLHF 0.11. PRPF Table 4: AdamW, 5e-7, KL 0.05, 8 rollouts, 32 prompts a step, one epoch. Needs: an export with --gold (docs/EXPORT.md), 8 GPUs, vllm, ray.
# Options behind go over those here; EXPORT is the export's folder. The model's folder must have its chat_template.jinja. OpenRLHF asks the reward service itself.
set -euo pipefail
export=${EXPORT:-runs/openrlhf-grpo}
here=$(dirname "${BASH_SOURCE[0]}")
exec "$here/with-reward.sh" "$export" python3 -m openrlhf.cli.train_ppo_ray \
  --reward.remote_url "http://127.0.0.1:${PRPF_REWARD_PORT:-8080}/get_reward" \
  --actor.model_name_or_path runs/sft \
  --data.prompt_dataset "$export/train.jsonl" \
  --data.input_key prompt \
  --data.label_key label \
  --data.apply_chat_template \
  --data.max_len 34816 \
  --rollout.batch_size 32 \
  --rollout.n_samples_per_prompt 8 \
  --rollout.max_new_tokens 2048 \
  --rollout.temperature 1.0 \
  --rollout.micro_batch_size 4 \
  --train.batch_size 256 \
  --train.micro_batch_size 4 \
  --train.num_episodes 1 \
  --train.max_epochs 1 \
  --actor.adam.lr 5e-7 \
  --actor.lr_scheduler cosine \
  --actor.lr_warmup_ratio 0 \
  --actor.eps_clip 0.2 \
  --actor.loss_agg_mode seq-mean-token-mean \
  --actor.gradient_checkpointing_enable \
  --algo.advantage.estimator group_norm \
  --algo.advantage.is_correction_level token \
  --algo.advantage.is_correction_mode clip \
  --algo.advantage.is_correction_threshold 2.0 \
  --algo.kl.use_loss \
  --algo.kl.estimator k3 \
  --algo.kl.init_coef 0.05 \
  --reward.clip_range -100 100 \
  --actor.num_gpus_per_node 8 \
  --ref.num_gpus_per_node 8 \
  --vllm.num_engines 8 \
  --vllm.tensor_parallel_size 1 \
  --vllm.gpu_memory_utilization 0.6 \
  --vllm.enable_sleep \
  --ds.enable_sleep \
  --train.colocate_all \
  --ds.zero_stage 3 \
  --ds.param_dtype bf16 \
  --ckpt.save_steps 50 \
  --ckpt.path runs/grpo/checkpoints \
  --ckpt.output_dir runs/grpo \
  "$@"
