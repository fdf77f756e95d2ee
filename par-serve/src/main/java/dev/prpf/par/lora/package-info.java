/**
 * Low-rank adapters (LoRA, arXiv:2106.09685): what is trained beside frozen weights, its files in PEFT's layout, and merging.
 *
 * <p>Flow: {@link dev.prpf.par.lora.LoraSettings} choose matrices of a decoder; {@link dev.prpf.par.lora.LoraAdapters} hold A and B for each,
 * are read and written as PEFT does, and are merged into weights that run anywhere.
 *
 * <p>Invariants: fresh adapters change nothing (B is zero); A and B are float32; W + alpha / rank B A is what is trained, saved and merged.
 */
@NullMarked
package dev.prpf.par.lora;

import org.jspecify.annotations.NullMarked;
