/**
 * Model directories as transformers keeps them: {@link dev.prpf.par.huggingface.HuggingFaceDirectory} reads and writes {@code config.json},
 * {@code generation_config.json} and the weights, in one file or in shards.
 *
 * <p>Invariant: a key of {@code config.json} that changes what the model computes and is not understood is refused by its name.
 */
@NullMarked
package dev.prpf.par.huggingface;

import org.jspecify.annotations.NullMarked;
