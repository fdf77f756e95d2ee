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
 * One response to generate: the only request type from the HTTP API to the engine.
 *
 * @param prompt tokens and images to continue
 * @param seed of the draws. A response depends on its own seed, not on the batch, except for the last bits of the logits. These may change a draw
 *     or a tie. Unused without sampling
 * @param constraint creates the constraint of the response, on the thread that generates it; null for a free response
 * @param tenant that may reuse the prompt's cache, and takes turns with other tenants; empty for the default tenant
 */
public record GenerationRequest(
        Prompt prompt,
        SamplingParams params,
        long seed,
        @Nullable Supplier<? extends TokenConstraint> constraint,
        String tenant) {
    private static final int HEX_OF_A_LONG = 16;

    /** Creates a request of the default tenant. */
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

    /** Calls a constraint; a stack overflow in it becomes an exception. */
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

    /** Reports a request that the generation service refused or did not finish. */
    public static final class GenerationRefused extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final Reason reason;

        /** Outcomes of a request without a response. */
        public enum Reason {
            /** The prompt leaves no room for a response. */
            TOO_LONG,
            /** The queue is full; the request may be sent again. */
            FULL,
            /** The request's time ran out during a forward pass. */
            LATE,
            /** The service was closed. */
            STOPPED,
            /** The service failed and has stopped. */
            FAILED
        }

        public GenerationRefused(Reason reason, String message) {
            super(message);
            this.reason = reason;
        }

        public Reason reason() {
            return reason;
        }
    }
}
