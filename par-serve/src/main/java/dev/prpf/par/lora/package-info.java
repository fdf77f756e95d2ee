/**
 * Low-rank adapters (LoRA, arXiv:2106.09685), trained next to frozen weights, their files in PEFT's layout, and merging.
 *
 * <p>Flow: {@link dev.prpf.par.lora.LoraSettings} choose matrices of a decoder. {@link dev.prpf.par.lora.LoraAdapters} hold A and B for each,
 * are stored in PEFT's format, and can be merged into ordinary weights.
 *
 * <p>Invariants: new adapters have no effect (B is zero). A and B are float32. Training, saving and merging agree on W + alpha / rank B A.
 */
@NullMarked
package dev.prpf.par.lora;

import org.jspecify.annotations.NullMarked;
