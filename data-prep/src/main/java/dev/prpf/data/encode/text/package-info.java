/** Frozen text encoders: the interface {@link dev.prpf.data.encode.text.TextEncoder} and its implementation in ONNX Runtime. */
@NullMarked
package dev.prpf.data.encode.text;

import org.jspecify.annotations.NullMarked;
