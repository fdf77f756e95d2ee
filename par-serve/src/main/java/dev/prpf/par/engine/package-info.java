/**
 * The reasoner's decoder: weights as DJL arrays under their Hugging Face names, and mathematics as TorchScript text, loaded without Python.
 *
 * <p>The text is one module in several files, with the methods that Java calls: {@code matrices} (products by kernel), {@code attention},
 * {@code delta_net}, {@code layers} ({@code attention_shape}, {@code delta_shape}, {@code shape}, {@code fuse}, {@code embed}, {@code whole},
 * {@code logits}), {@code weights} ({@code staged}, {@code placed}, {@code on_host}, {@code normal}), {@code generation} ({@code new_caches},
 * {@code forward}, rows saved and loaded, {@code masked}, {@code penalised}, {@code chosen}), {@code training} ({@code loss}, {@code logprobs}
 * and the same in pieces) and {@code types}, what a decoder is on that side.
 *
 * <p>Flow: {@link dev.prpf.par.engine.DecoderWeights} (read by {@code dev.prpf.par.huggingface}, made by {@link
 * dev.prpf.par.engine.ModelInit}, trained by {@code dev.prpf.par.training}) of a {@link dev.prpf.par.engine.DecoderConfig} become a {@link
 * dev.prpf.par.engine.CausalLm}, which runs forward, alone or over the caches of {@code dev.prpf.par.generate}.
 *
 * <p>Invariants: no arithmetic on arrays outside the TorchScript text (DJL's own operations lose gradients and abort on bfloat16); never
 * {@code DataType.BFLOAT16}; whoever makes an array or an {@code IValue} closes it.
 */
@NullMarked
package dev.prpf.par.engine;

import org.jspecify.annotations.NullMarked;
