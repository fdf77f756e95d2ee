/** Networks in ONNX Runtime: models loaded, built in memory or rewired, run and counted. */
@NullMarked
package dev.prpf.data.onnx;

import org.jspecify.annotations.NullMarked;
