#!/bin/bash
# packaging/undefined-symbols.sh LIBRARY FOLDER…: prints the undefined symbols of LIBRARY that neither the libraries in the folders nor those of the
# system that LIBRARY names define; `w` marks weak ones, which may stay undefined. For DJL's JNI on a wheel's libtorch:
#   packaging/undefined-symbols.sh libdjl_torch.so torch/lib nvidia/cuda_runtime/lib
set -euo pipefail
library=$1
shift
export LC_ALL=C
join -v 1 -1 1 -2 1 \
  <(nm -D --undefined-only "$library" | awk '{ sub(/@.*/, "", $2); print $2, $1 }' | sort -u) \
  <({ find "$@" -name '*.so*'; ldd "$library" | awk '$2 == "=>" && $3 ~ /^\// { print $3 } $1 ~ /^\// { print $1 }'; } |
    xargs nm -D --defined-only 2> /dev/null | awk 'NF == 3 { sub(/@.*/, "", $3); print $3 }' | sort -u)
