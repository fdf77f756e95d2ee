#!/usr/bin/env bash
# Resident memory every 50 of 500 GRPO steps of a tiny model, after benchmarks/sft/flat.sh in the same FOLDER: flat.sh FOLDER [PRPF]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$1 prpf=${2:-$root/prpf}
rm -rf "$folder/grpo"
"$prpf" reasoner grpo --config "$root/configs/reasoner-grpo.yaml" --reasoner "$folder/sft/model" --data "$folder/data/benchmark_zh.json" \
  --run-dir "$folder/grpo" --json --set encoder.store="$folder/store" --set prompts.max-length=1024 --set training.dev-share=0.1 \
  --set training.epochs=100 --set training.max-steps=500 --set training.prompts-per-step=2 --set rollouts.group-size=4 --set rollouts.max-new-tokens=16 \
  --set training.evaluation-steps=100 --set training.checkpoint-steps=50 "${@:3}" >"$folder/grpo.json" &
"$root/benchmarks/sft/resident.sh" $! "$folder/grpo/metrics.jsonl"
