/** Networks in ONNX Runtime: loads, builds, rewires and runs models, and counts their operations. */
@NullMarked
package dev.prpf.data.onnx;

import org.jspecify.annotations.NullMarked;
