#!/usr/bin/env bash
# SLIME=path/of/slime EXPORT=runs/slime-grpo configs/launch/slime-grpo.sh --hf-checkpoint runs/sft
# slime. PRPF Table 4: AdamW, 5e-7, KL 0.05, 8 rollouts, 32 prompts a step, one epoch. Needs: an export with --gold (docs/EXPORT.md), 8 GPUs, slime's source folder with its image.
# Options behind go over those here; EXPORT is the export's folder. The model's folder must have its chat_template.jinja. slime asks the reward service itself.
# Written after slime's documentation and not run; with Megatron add the model's arguments (slime's scripts/models/) and --ref-load.
set -euo pipefail
export=${EXPORT:-runs/slime-grpo}
here=$(dirname "${BASH_SOURCE[0]}")
exec "$here/with-reward.sh" "$export" python3 "${SLIME:?the folder of slime, which has train.py}/train.py" \
  --rm-type remote_rm \
  --rm-url "http://127.0.0.1:${PRPF_REWARD_PORT:-8080}/slime" \
  --train-backend fsdp \
  --hf-checkpoint runs/sft \
  --prompt-data "$export/train.jsonl" \
  --input-key prompt \
  --label-key label \
  --metadata-key metadata \
  --apply-chat-template \
  --num-epoch 1 \
  --rollout-batch-size 32 \
  --n-samples-per-prompt 8 \
  --rollout-max-prompt-len 6144 \
  --rollout-max-response-len 2048 \
  --rollout-temperature 1.0 \
  --global-batch-size 256 \
  --advantage-estimator grpo \
  --eps-clip 0.2 \
  --use-kl-loss \
  --kl-loss-coef 0.05 \
  --kl-loss-type low_var_kl \
  --use-tis \
  --lr 5e-7 \
  --lr-decay-style cosine \
  --actor-num-nodes 1 \
  --actor-num-gpus-per-node 8 \
  --rollout-num-gpus-per-engine 1 \
  --sglang-mem-fraction-static 0.6 \
  --colocate \
  --save runs/grpo \
  --save-interval 50 \
  "$@"
