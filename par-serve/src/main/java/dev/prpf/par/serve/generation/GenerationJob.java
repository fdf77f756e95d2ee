package dev.prpf.par.serve.generation;

import dev.prpf.par.engine.PictureInputs;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.generate.TokenConstraint;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A prompt to continue.
 *
 * @param prompt token ids, at least one; a placeholder for each token of its pictures
 * @param pictures of the prompt
 * @param seed of its draws
 * @param constraint makes what it may write, on the loop's thread; or null
 */
public record GenerationJob(
        long[] prompt,
        PictureInputs pictures,
        SamplingParams params,
        long seed,
        @Nullable Supplier<TokenConstraint> constraint) {
    /** Of a prompt of text. */
    public GenerationJob(
            long[] prompt, SamplingParams params, long seed, @Nullable Supplier<TokenConstraint> constraint) {
        this(prompt, PictureInputs.none(prompt.length), params, seed, constraint);
    }
}
