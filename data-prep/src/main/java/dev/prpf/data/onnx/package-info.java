/**
 * Frozen networks in ONNX Runtime. An {@link OnnxModel} loads a {@link ModelFile} on the {@link OnnxModel.OnnxDevice} and runs it. {@link
 * OnnxGraph} builds models, {@link OnnxRewiring} changes finished ones. {@link NetworkMeter} counts the operations of runs.
 */
@NullMarked
package dev.prpf.data.onnx;

import org.jspecify.annotations.NullMarked;
