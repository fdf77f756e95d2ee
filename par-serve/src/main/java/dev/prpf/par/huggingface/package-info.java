/**
 * Model directories in transformers' format: {@link dev.prpf.par.huggingface.HuggingFaceDirectory} reads and writes {@code config.json},
 * {@code generation_config.json} and the weights, in one file or in shards.
 *
 * <p>Invariant: an unsupported key of {@code config.json} that changes what the model computes is rejected by name.
 */
@NullMarked
package dev.prpf.par.huggingface;

import org.jspecify.annotations.NullMarked;
