/**
 * Model directories in transformers' format. {@link HuggingFaceDirectory} opens one: {@code DecoderConfigJson} and {@code
 * VisionConfigJson} read {@code config.json}, {@link GenerationDefaults} {@code generation_config.json}, and {@code WeightReader}
 * the weights, in one file or in shards. {@link ModelPlace} replaces a directory atomically.
 *
 * <p>Invariant: an unsupported key of {@code config.json} that changes what the model computes is rejected by name.
 */
@NullMarked
package dev.prpf.par.huggingface;

import org.jspecify.annotations.NullMarked;
