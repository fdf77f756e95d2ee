#!/usr/bin/env bash
# configs/launch/trl.sh sft|grpo MODEL OUT EXPORT-OPTIONS… [-- TRL-OPTIONS…]
# Trains MODEL with TRL on one node of 8 GPUs (docs/EXPORT.md): exports a set to the folder `export` next to OUT (`data export --to trl EXPORT-OPTIONS`), runs TRL in it,
# where the paths of its images begin, merges an adapter (`--use_peft`; OUT-adapter keeps it), and registers OUT for the set's prompts (`reasoner adopt`). `eval ablate --dry-run` prints such a line for a training that does not fit.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
[ $# -ge 3 ] && [[ $1 == sft || $1 == grpo ]] || { echo "usage: trl.sh sft|grpo MODEL OUT EXPORT-OPTIONS… [-- TRL-OPTIONS…]" >&2; exit 2; }
kind=$1 model=$(realpath "$2") out=$(realpath -m "$3")
shift 3
options=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1"); shift; done
[ $# -eq 0 ] || shift
[ "$kind" = sft ] || options+=(--reasoner "$model") # the rollouts of this model chose the prompts
folder=$(dirname "$out")/export
"${PRPF:-$root/prpf}" data export --to trl "${options[@]}" --out "$folder"
cd "$folder"
trained=$out
[[ " $* " != *" --use_peft "* ]] || trained=$out-adapter
common=(--config "$root/configs/launch/trl-$kind.yaml" --dataset_name "$PWD" --model_name_or_path "$model" --output_dir "$trained")
if [ "$kind" = sft ]; then
  trl sft "${common[@]}" --chat_template_path chat_template.jinja "$@"
else
  PYTHONPATH=. "$root/configs/launch/with-reward.sh" . trl grpo "${common[@]}" "$@"
fi
if [ "$trained" != "$out" ]; then
  python3 -c '
import sys, transformers, peft
model, adapter, out = sys.argv[1:]
kind = getattr(transformers, transformers.AutoConfig.from_pretrained(model).architectures[0])
merged = peft.PeftModel.from_pretrained(kind.from_pretrained(model, dtype="auto"), adapter).merge_and_unload()
merged.save_pretrained(out)
' "$model" "$trained" "$out"
  find "$trained" -maxdepth 1 -type f ! -name 'adapter_*' ! -name training_args.bin ! -name README.md -exec cp -t "$out" {} + # tokenizer and processor
fi
python3 -c 'import json; json.dump({"prompt": json.load(open("export.json"))["prompt"]}, open("prompt.yaml", "w"))'
"${PRPF:-$root/prpf}" reasoner adopt --config prompt.yaml --reasoner "$out"
