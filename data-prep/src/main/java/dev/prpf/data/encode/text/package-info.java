/**
 * Frozen encoders of texts: the {@link dev.prpf.data.encode.text.TextEncoder} that callers see, and BGE in ONNX Runtime behind
 * it.
 */
@NullMarked
package dev.prpf.data.encode.text;

import org.jspecify.annotations.NullMarked;
