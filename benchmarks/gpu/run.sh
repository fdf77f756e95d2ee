#!/usr/bin/env bash
# Runs the kit on a card, or with DEVICE=cpu on the processor: [DEVICE=cpu] [SHAPE=NAME,…] [RESULTS=DIR] ./run.sh [PART …]
# Needs Python with PyTorch and transformers; README.md says what is measured.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ -d "$here/benchmarks/gpu" ] && here=$here/benchmarks/gpu
python=${PYTHON:-python3}
command -v "$python" >/dev/null 2>&1 || { echo "error: no $python found; the kit needs Python with PyTorch: set PYTHON" >&2; exit 69; }
exec "$python" "$here/kit.py" "$@"
