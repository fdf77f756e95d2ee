package dev.prpf.par.generate;

import dev.prpf.base.error.InsufficientMemoryException;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DeltaNetShape;
import dev.prpf.par.engine.FusedShape;
import dev.prpf.par.engine.LayerKind;
import java.util.Locale;

/**
 * What a batch will take, estimated before its first step.
 *
 * @param rows responses written together
 * @param positions of each, padding included
 * @param caches bytes of what the layers remember, of prompts that rows are copied from too
 * @param work bytes of what one layer, or the choice of a token, makes and drops again
 */
public record GenerationMemory(int rows, int positions, long caches, long work) {
    private static final double GIGA = 1e9;

    /** Copies of the logits in float32 and float64 while a token is drawn. */
    private static final long LOGIT_BYTES = 3 * Float.BYTES + 3 * Double.BYTES;

    /**
     * A batch of a decoder that may not be made yet.
     *
     * @param prompts different ones; as many as rows if each row has its own
     * @param longest tokens of the longest prompt
     * @param maxNewTokens tokens of a response
     */
    public static GenerationMemory of(FusedShape decoder, int rows, int prompts, int longest, int maxNewTokens) {
        int positions = Math.min(
                DecodingBatch.capacity(longest, maxNewTokens), decoder.config().maxPositions());
        return ofPositions(decoder, rows, prompts, longest, positions);
    }

    /** The same of rows with this many positions each. */
    static GenerationMemory ofPositions(FusedShape decoder, int rows, int prompts, int longest, int positions) {
        long caches = caches(decoder, rows, positions) + (prompts < rows ? caches(decoder, prompts, longest) : 0);
        long tokens = Math.multiplyExact((long) prompts, longest);
        long logits = LOGIT_BYTES * decoder.config().vocabularySize() * rows;
        long layer = tokens * widest(decoder.config()) * decoder.activationBytes();
        return new GenerationMemory(rows, positions, caches, Math.max(logits, layer));
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
        DecoderConfig config = decoder.config();
        AttentionShape attention = config.attention();
        long full = 2L * attention.keyValueHeads() * attention.headDim() * positions * decoder.activationBytes();
        DeltaNetShape delta = config.deltaNet();
        long linear = delta == null
                ? 0
                : Float.BYTES
                        * ((delta.kernel() - 1L) * delta.channels()
                                + (long) delta.valueHeads() * delta.keyDim() * delta.valueDim());
        long sum = config.layerKinds().stream()
                .mapToLong(kind -> kind == LayerKind.FULL_ATTENTION ? full : linear)
                .sum();
        return Math.multiplyExact(sum, rows);
    }

    /** Refuses with 3 what does not fit into the free bytes, naming both. */
    void requireWithin(long free) {
        if (bytes() > free) {
            throw new InsufficientMemoryException(String.format(
                    Locale.ROOT,
                    "writing %d responses together needs about %.2f GB of memory (%.2f GB to remember %d positions"
                            + " each, %.2f GB to compute with) and %.2f GB are free; write fewer together, shorter ones,"
                            + " or in bf16",
                    rows,
                    bytes() / GIGA,
                    caches / GIGA,
                    positions,
                    work / GIGA,
                    free / GIGA));
        }
    }
}
