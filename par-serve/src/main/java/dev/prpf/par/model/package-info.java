/**
 * The reasoner's model: a decoder of one of several families whose weights are DJL arrays and whose mathematics is TorchScript text
 * ({@code decoder.torchscript}), loaded without Python.
 *
 * <p>Flow: {@link dev.prpf.par.model.HuggingFaceDirectory} reads {@link dev.prpf.par.model.DecoderConfig} and {@link
 * dev.prpf.par.model.DecoderWeights}; {@link dev.prpf.par.model.Decoder} runs them forward; {@link dev.prpf.par.model.Generator} plans
 * batches of {@link dev.prpf.par.model.GenerationRequest}s, computes each prompt once and writes new tokens with a key-value cache; {@code dev.prpf.par.training} trains the weights.
 *
 * <p>Invariants: no arithmetic on arrays outside the TorchScript text (DJL's own operations lose gradients and abort on bfloat16); never
 * {@code DataType.BFLOAT16}; whoever makes an array or an {@code IValue} closes it.
 */
@NullMarked
package dev.prpf.par.model;

import org.jspecify.annotations.NullMarked;
