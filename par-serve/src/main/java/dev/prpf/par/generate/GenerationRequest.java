package dev.prpf.par.generate;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.par.engine.Prompt;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * One response to generate: the only request type from the HTTP API to the tokens.
 *
 * @param prompt tokens and images to continue
 * @param seed of the draws. A response depends on its own seed only, not on the batch, except for the last bits of the logits, which may
 *     tip a draw or a tie. Unused without sampling
 * @param constraint makes the constraint of the response, on the thread that generates it; null for a free response
 * @param tenant whose cached prompts may be reused, and who takes turns with other tenants; empty for the default tenant
 */
public record GenerationRequest(
        Prompt prompt,
        SamplingParams params,
        long seed,
        @Nullable Supplier<? extends TokenConstraint> constraint,
        String tenant) {
    private static final int HEX_OF_A_LONG = 16;

    /** Makes a request of the default tenant. */
    public GenerationRequest(
            Prompt prompt, SamplingParams params, long seed, @Nullable Supplier<? extends TokenConstraint> constraint) {
        this(prompt, params, seed, constraint, "");
    }

    /** Returns the same request with another seed. */
    public GenerationRequest withSeed(long other) {
        return new GenerationRequest(prompt, params, other, constraint, tenant);
    }

    /** Returns n requests for this prompt, with this seed and those that follow it. */
    public List<GenerationRequest> samples(int n) {
        return LongStream.range(0, n).mapToObj(i -> withSeed(seed + i)).toList();
    }

    /** Returns the constraint of one response; null for a free response. */
    @Nullable
    TokenConstraint newConstraint() {
        return constraint == null ? null : called(constraint);
    }

    /** Calls a constraint; one that is too deep for the stack fails with an exception. */
    static <T> T called(Supplier<T> question) {
        try {
            return question.get();
        } catch (StackOverflowError e) {
            throw new IllegalStateException("a constraint is too deep", e);
        }
    }

    /** Returns seeds that depend on a key only. */
    public static List<Long> seedsOf(String key, int count) {
        String hash = AtomicFiles.sha256(key.getBytes(StandardCharsets.UTF_8)).substring(0, HEX_OF_A_LONG);
        return new SplittableRandom(Long.parseUnsignedLong(hash, 16))
                .longs(count)
                .boxed()
                .toList();
    }
}
