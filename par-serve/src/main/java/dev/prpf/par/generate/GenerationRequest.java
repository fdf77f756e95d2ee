package dev.prpf.par.generate;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.par.engine.PictureInputs;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A prompt to continue, once for each seed. However many seeds, the prompt goes through the model once.
 *
 * @param prompt token ids, at least one
 * @param seeds of the samples' draws. A sample depends on its own seed alone: not on the other samples, not on what it shares a batch with,
 *     but for the last bits of the logits, which may tip a draw or a tie. Without sampling they only count
 * @param constraint makes one for each sample; or null
 * @param pictures of the prompt
 */
public record GenerationRequest(
        long[] prompt,
        List<Long> seeds,
        @Nullable Supplier<? extends TokenConstraint> constraint,
        PictureInputs pictures) {
    private static final int HEX_OF_A_LONG = 16;

    public GenerationRequest {
        seeds = List.copyOf(seeds);
        if (seeds.isEmpty()) {
            throw new IllegalArgumentException("a request without a seed asks for no sample");
        }
    }

    /** Of text alone. */
    public GenerationRequest(
            long[] prompt, List<Long> seeds, @Nullable Supplier<? extends TokenConstraint> constraint) {
        this(prompt, seeds, constraint, PictureInputs.none(prompt.length));
    }

    /** The prompt's tokens with numbers that tell its pictures apart, as {@link PictureInputs#keyed}. */
    long[] keyed() {
        return pictures.keyed(prompt);
    }

    /** Several samples, with a seed and those that follow it. */
    public static GenerationRequest samples(long[] prompt, int count, long seed) {
        return new GenerationRequest(prompt, consecutive(seed, count), null);
    }

    /** Seeds that a key decides, and nothing else. */
    public static List<Long> seedsOf(String key, int count) {
        String hash = AtomicFiles.sha256(key.getBytes(StandardCharsets.UTF_8)).substring(0, HEX_OF_A_LONG);
        return new SplittableRandom(Long.parseUnsignedLong(hash, 16))
                .longs(count)
                .boxed()
                .toList();
    }

    /** A seed and those that follow it. */
    public static List<Long> consecutive(long seed, int count) {
        return LongStream.range(0, count).mapToObj(i -> seed + i).toList();
    }
}
