/** ONNX models built in memory: nodes and weights in, the bytes that ONNX Runtime loads out. */
@NullMarked
package dev.prpf.data.onnx;

import org.jspecify.annotations.NullMarked;
