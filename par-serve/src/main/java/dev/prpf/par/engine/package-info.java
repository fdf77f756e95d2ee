/**
 * The reasoner's decoder: weights as DJL arrays under their Hugging Face names, and mathematics as TorchScript text ({@code
 * decoder.torchscript}), loaded without Python.
 *
 * <p>Flow: {@link dev.prpf.par.engine.DecoderWeights} (read by {@code dev.prpf.par.huggingface}, made by {@link
 * dev.prpf.par.engine.ModelInit}, trained by {@code dev.prpf.par.training}) of a {@link dev.prpf.par.engine.DecoderConfig} become a {@link
 * dev.prpf.par.engine.Decoder}, which runs forward, alone or over the caches of {@code dev.prpf.par.generate}.
 *
 * <p>Invariants: no arithmetic on arrays outside the TorchScript text (DJL's own operations lose gradients and abort on bfloat16); never
 * {@code DataType.BFLOAT16}; whoever makes an array or an {@code IValue} closes it.
 */
@NullMarked
package dev.prpf.par.engine;

import org.jspecify.annotations.NullMarked;
