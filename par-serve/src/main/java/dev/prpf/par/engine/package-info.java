/**
 * The reasoner's decoder: weights as DJL arrays under their Hugging Face names, and mathematics as TorchScript text, loaded without Python.
 *
 * <p>The text is one module in several files, with the methods that Java calls. {@code matrices} has products by kernel, then come {@code attention}
 * and {@code delta_net}. {@code layers} has {@code attention_shape}, {@code delta_shape}, {@code shape}, {@code fuse}, {@code embed}, {@code whole}
 * and {@code logits}. {@code weights} has {@code staged}, {@code placed}, {@code on_host} and {@code normal}. {@code generation} has {@code
 * new_caches}, {@code forward}, saved and loaded rows, {@code masked}, {@code penalised} and {@code chosen}. {@code training} has {@code loss} and
 * {@code logprobs}, also in pieces. {@code types} has the types of a decoder.
 *
 * <p>Flow: a {@link dev.prpf.par.engine.DecoderConfig} has {@link dev.prpf.par.engine.DecoderWeights}. {@code dev.prpf.par.huggingface} reads them,
 * {@link dev.prpf.par.engine.ModelInit} creates them, {@code dev.prpf.par.training} trains them. They become a {@link dev.prpf.par.engine.CausalLm},
 * which runs forward, directly or over the caches of {@code dev.prpf.par.generate}.
 *
 * <p>Invariants: no arithmetic on arrays outside the TorchScript text (DJL's own operations lose gradients and abort on bfloat16). No {@code
 * DataType.BFLOAT16}. The creator of an array or an {@code IValue} closes it.
 */
@NullMarked
package dev.prpf.par.engine;

import org.jspecify.annotations.NullMarked;
