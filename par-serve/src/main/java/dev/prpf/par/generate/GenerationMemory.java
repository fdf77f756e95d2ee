package dev.prpf.par.generate;

import dev.prpf.base.error.InsufficientMemoryException;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DeltaNetShape;
import dev.prpf.par.engine.FreeMemory;
import dev.prpf.par.engine.FusedShape;
import java.util.Locale;

/**
 * What a batch will take, estimated before its first step.
 *
 * @param rows responses written together
 * @param positions of each, padding included
 * @param caches bytes of what the layers remember, the beginnings of prompts that several may share among them
 * @param work bytes of what one layer, or the choice of a token, makes and drops again
 */
public record GenerationMemory(int rows, int positions, long caches, long work) {
    private static final double GIGA = 1e9;

    /** Copies of the logits in float32 and float64 while a token is drawn. */
    private static final long LOGIT_BYTES = 3 * Float.BYTES + 3 * Double.BYTES;

    /**
     * A batch of a decoder that may not be made yet.
     *
     * @param rows responses written together
     * @param longest tokens of the longest prompt
     * @param maxNewTokens tokens of a response
     */
    public static GenerationMemory ofResponses(FusedShape decoder, int rows, int longest, int maxNewTokens) {
        long prefixes = Math.min(prefixBytes(decoder, longest), caches(decoder, rows, longest));
        return of(decoder, rows, longest, positions(decoder.config(), longest, maxNewTokens), prefixes);
    }

    /** Positions that a sequence needs: the last new token is never fed back, so it needs none. */
    static int positions(DecoderConfig config, int longest, int maxNewTokens) {
        return (int) Math.min(config.maxPositions(), (long) longest + maxNewTokens - 1);
    }

    /** The same of rows with this many positions each, and of so many bytes for the beginnings of prompts. */
    static GenerationMemory of(FusedShape decoder, int rows, int longest, int positions, long prefixes) {
        long prompts = Math.multiplyExact((long) rows, longest);
        long tokens = Math.min(prompts, SchedulerSettings.BATCHED_TOKENS + (long) rows);
        long logits = LOGIT_BYTES * decoder.config().vocabularySize() * rows;
        long layer = tokens * widest(decoder.config()) * decoder.activationBytes();
        return new GenerationMemory(
                rows, positions, caches(decoder, rows, positions) + prefixes, Math.max(logits, layer));
    }

    /**
     * Bytes for the beginnings of prompts. Prompts of which copies wait are let in until a pass is full, so that these are kept until their
     * copies are in, beside the one that is read next.
     */
    static long prefixBytes(FusedShape decoder, int longest) {
        int tokens = Math.addExact(SchedulerSettings.BATCHED_TOKENS, Math.multiplyExact(2, longest));
        return Math.max(SchedulerSettings.PREFIX_CACHE_BYTES, caches(decoder, 1, tokens));
    }

    /** All of it. */
    public long bytes() {
        return caches + work;
    }

    /** Values a token leaves in the widest layer at once. */
    static long widest(DecoderConfig config) {
        AttentionShape attention = config.attention();
        long heads = 4L * attention.heads() + 4L * attention.keyValueHeads();
        long full = 4L * config.hiddenSize() + heads * attention.headDim();
        long forward = 4L * config.hiddenSize() + 4L * config.intermediateSize();
        DeltaNetShape delta = config.deltaNet();
        long linear = delta == null
                ? 0
                // twice for float32, and each head's keys, values and chunk of scores several times over
                : 4L * delta.channels()
                        + 2L * delta.valueHeads() * (6L * delta.keyDim() + 6L * delta.valueDim() + 4 * 64);
        return Math.max(linear, Math.max(full, forward));
    }

    /** Bytes of the caches of some rows. */
    static long caches(FusedShape decoder, int rows, int positions) {
        long sum = decoder.config().mixers().stream()
                .mapToLong(mixer -> mixer.cacheBytes(positions, decoder.activationBytes()))
                .sum();
        return Math.multiplyExact(sum, rows);
    }

    /** Refuses with 3 what does not fit into the free bytes, naming both. */
    void requireWithin(long free) {
        if (bytes() > free) {
            throw new InsufficientMemoryException(String.format(
                    Locale.ROOT,
                    "writing %d responses together needs about %.2f GB of memory (%.2f GB to remember %d positions"
                            + " each, %.2f GB to compute with) and %.2f GB are free%s; write fewer together, shorter ones,"
                            + " or in bf16",
                    rows,
                    bytes() / GIGA,
                    caches / GIGA,
                    positions,
                    work / GIGA,
                    free / GIGA,
                    FreeMemory.place()));
        }
    }
}
