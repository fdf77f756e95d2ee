#!/usr/bin/env bash
# Resident memory every 50 of 500 supervised steps of a tiny model, as README.md says: flat.sh FOLDER [PRPF]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$1 prpf=${2:-$root/prpf}
mkdir -p "$folder"
[ -d "$folder/data" ] || "$prpf" data synth --out "$folder/data" --count 60 --multimodal-share 0 >/dev/null
data=$folder/data/benchmark_zh.json
[ -d "$folder/base" ] || "$prpf" reasoner init --config "$root/configs/reasoner-init.yaml" --text "$data" --out "$folder/base" \
  --set model.hidden-size=64 --set model.intermediate-size=128 --set model.layers=2 >/dev/null
rm -rf "$folder/sft"
"$prpf" reasoner sft --config "$root/configs/reasoner-sft.yaml" --reasoner "$folder/base" --data "$data" --run-dir "$folder/sft" --json \
  --set encoder.store="$folder/store" --set examples.max-length=1024 --set training.dev-share=0 --set training.batch-size=2 \
  --set training.epochs=17 --set training.logging-steps=1 "${@:3}" >"$folder/sft.json" &
"$root/benchmarks/sft/resident.sh" $! "$folder/sft/metrics.jsonl"
