/**
 * The reasoner's decoder: weights as DJL arrays under their Hugging Face names, and mathematics as TorchScript text, loaded
 * without Python.
 *
 * <p>Flow: a {@link DecoderConfig} is the shape, {@link DecoderWeights} hold the weights. {@code dev.prpf.par.huggingface} reads
 * them, {@link ModelInit} creates them, {@code dev.prpf.par.training} trains them. They become a {@link CausalLm}, which runs
 * forward passes, directly or over the caches of {@code dev.prpf.par.generate}. {@link Script} loads the text from resource
 * files, which are joined to one module: {@code matrices} (products by kernel), {@code attention}, {@code delta_net}, {@code
 * layers}, {@code weights}, {@code generation} (caches, masks, sampling), {@code training} (losses) and {@code types}.
 *
 * <p>Invariants: no arithmetic on arrays outside the TorchScript text (DJL's own operations lose gradients and abort on
 * bfloat16). No {@code DataType.BFLOAT16}. The creator of an array or an {@code IValue} closes it.
 */
@NullMarked
package dev.prpf.par.engine;

import org.jspecify.annotations.NullMarked;
