package dev.prpf.par.generate;

import dev.prpf.base.error.InsufficientMemoryException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.Decoder;
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
     * A batch.
     *
     * @param prompts different ones; as many as rows if each row has its own
     * @param longest tokens of the longest prompt
     * @param positions of a row
     */
    static GenerationMemory of(Decoder decoder, int rows, int prompts, int longest, int positions) {
        return of(decoder.config(), decoder.activationBytes(), new Shape(rows, prompts, longest, positions));
    }

    /**
     * What is written together.
     *
     * @param rows responses
     * @param prompts different ones; as many as rows if each row has its own
     * @param longest tokens of the longest prompt
     * @param positions of a row
     */
    private record Shape(int rows, int prompts, int longest, int positions) {}

    /**
     * A batch of a decoder that is not made yet.
     *
     * @param prompts different ones; as many as rows if each row has its own
     * @param longest tokens of the longest prompt
     * @param maxNewTokens tokens of a response
     */
    public static GenerationMemory of(FusedShape decoder, int rows, int prompts, int longest, int maxNewTokens) {
        int positions = Math.min(
                DecodingBatch.capacity(longest, maxNewTokens), decoder.config().maxPositions());
        return of(decoder.config(), decoder.activationBytes(), new Shape(rows, prompts, longest, positions));
    }

    private static GenerationMemory of(DecoderConfig config, int activationBytes, Shape shape) {
        int rows = shape.rows();
        int prompts = shape.prompts();
        int longest = shape.longest();
        long caches = caches(config, activationBytes, rows, shape.positions());
        if (prompts < rows) {
            caches += caches(config, activationBytes, prompts, longest);
        }
        long tokens = Math.multiplyExact((long) prompts, longest);
        long logits = LOGIT_BYTES * config.vocabularySize() * rows;
        return new GenerationMemory(
                rows, shape.positions(), caches, Math.max(logits, tokens * widest(config) * activationBytes));
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

    /** Bytes of the caches of so many rows. */
    static long caches(Decoder decoder, int rows, int positions) {
        return caches(decoder.config(), decoder.activationBytes(), rows, positions);
    }

    private static long caches(DecoderConfig config, int activationBytes, int rows, int positions) {
        AttentionShape attention = config.attention();
        long full = 2L * attention.keyValueHeads() * attention.headDim() * positions * activationBytes;
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

    /**
     * Refuses what does not fit.
     *
     * @param free bytes
     * @throws PrpfException 3, naming both
     */
    void requireWithin(long free) {
        if (caches + work > free) {
            throw new InsufficientMemoryException(String.format(
                    Locale.ROOT,
                    "writing %d responses together needs about %.2f GB of memory (%.2f GB to remember %d positions"
                            + " each, %.2f GB to compute with) and %.2f GB are free; write fewer together, shorter ones,"
                            + " or in bf16",
                    rows,
                    (caches + work) / GIGA,
                    caches / GIGA,
                    positions,
                    work / GIGA,
                    free / GIGA));
        }
    }
}
