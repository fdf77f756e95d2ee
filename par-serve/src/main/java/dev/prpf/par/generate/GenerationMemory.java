package dev.prpf.par.generate;

import dev.prpf.base.error.PrpfException.InsufficientMemoryException;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DeltaNetShape;
import dev.prpf.par.engine.FreeMemory;
import dev.prpf.par.engine.FusedShape;
import dev.prpf.par.generate.Scheduler.SchedulerSettings;
import java.util.Locale;

/**
 * Estimates the memory of generating a batch, before its first step.
 *
 * @param rows responses generated together
 * @param positions of each, padding included
 * @param caches bytes of the layers' caches, including shared prompt prefixes
 * @param work bytes of the temporary tensors of one layer, or of sampling
 */
public record GenerationMemory(int rows, int positions, long caches, long work) {
    private static final double GIGA = 1e9;

    /** Number of positions in a chunk of a delta-net. */
    private static final int CHUNK = 64;

    /** Bytes per logit of the float32 and float64 copies during sampling. */
    private static final long LOGIT_BYTES = 3 * Float.BYTES + 3 * Double.BYTES;

    /**
     * Estimates a batch for a decoder that need not exist yet.
     *
     * @param rows responses generated together
     * @param prompts different prompts of one call; the prefix cache may keep them for further responses
     * @param longest number of tokens of the longest prompt
     * @param maxNewTokens maximum tokens of a response
     */
    public static GenerationMemory ofResponses(
            FusedShape decoder, int rows, int prompts, int longest, int maxNewTokens) {
        long prefixes = Math.min(prefixBytes(decoder, longest), caches(decoder, prompts, longest));
        return of(decoder, rows, longest, positions(decoder.config(), longest, maxNewTokens), prefixes);
    }

    /** Returns the positions that a sequence needs. The last new token is never fed back, so it needs none. */
    static int positions(DecoderConfig config, int longest, int maxNewTokens) {
        return (int) Math.min(config.maxPositions(), (long) longest + maxNewTokens - 1);
    }

    /** Estimates rows of this many positions each, plus the bytes of the prefix cache. */
    static GenerationMemory of(FusedShape decoder, int rows, int longest, int positions, long prefixes) {
        long prompts = Math.multiplyExact((long) rows, longest);
        long tokens = Math.min(prompts, SchedulerSettings.BATCHED_TOKENS + (long) rows);
        long logits = LOGIT_BYTES * decoder.config().vocabularySize() * rows;
        long layer = layer(decoder, tokens, Math.min(longest, tokens));
        return new GenerationMemory(
                rows, positions, caches(decoder, rows, positions) + prefixes, Math.max(logits, layer));
    }

    /**
     * Returns the bytes of the prefix cache. Prompts with waiting copies are admitted until a pass is full. Their blocks are kept until the copies
     * are admitted, in addition to the blocks of the next prompt.
     */
    static long prefixBytes(FusedShape decoder, int longest) {
        int tokens = Math.addExact(SchedulerSettings.BATCHED_TOKENS, Math.multiplyExact(2, longest));
        return Math.max(SchedulerSettings.PREFIX_CACHE_BYTES, caches(decoder, 1, tokens));
    }

    /** Returns the total number of bytes. */
    public long bytes() {
        return caches + work;
    }

    /**
     * Returns the bytes of the widest layer. In float32: its input, the sum, and the sum's norm. A feed-forward half has gate, up, the gate's
     * activation and the product, or instead of the last two the adapters' part.
     */
    private static long layer(FusedShape decoder, long tokens, long row) {
        DecoderConfig config = decoder.config();
        AttentionShape attention = config.attention();
        long bytes = decoder.activationBytes();
        long cast = bytes == Float.BYTES ? 0 : bytes;
        long stream = (3L * Float.BYTES + cast) * config.hiddenSize();
        long heads = (long) (attention.heads() + attention.keyValueHeads()) * attention.headDim();
        long gate = config.family().outputGate() ? (long) attention.heads() * attention.headDim() : 0;
        long product = heads + (long) attention.keyValueHeads() * attention.headDim() + gate;
        long mixer = 3L * Float.BYTES * heads + bytes * product;
        long full = tokens * (stream + Math.max(4 * bytes * config.intermediateSize(), mixer));
        DeltaNetShape delta = config.deltaNet();
        return delta == null
                ? full
                : Math.max(full, Float.BYTES * (tokens * config.hiddenSize() + deltaNet(delta, tokens, row)));
    }

    /**
     * Returns the float32 values of a delta-net. All tokens' projections exist at once; rows are computed one after the other. A row needs queries,
     * keys, values, keys times b, three matrices of a chunk, and the solution three times.
     */
    private static long deltaNet(DeltaNetShape shape, long tokens, long row) {
        long product = shape.channels() + (long) shape.valueHeads() * (shape.valueDim() + 2);
        long head = 6L * shape.keyDim() + 4L * shape.valueDim() + 3 * CHUNK;
        return tokens * product + row * shape.valueHeads() * head;
    }

    /** Returns the bytes of the caches of some rows. */
    static long caches(FusedShape decoder, int rows, int positions) {
        long sum = decoder.config().mixers().stream()
                .mapToLong(mixer -> mixer.cacheBytes(positions, decoder.activationBytes()))
                .sum();
        return Math.multiplyExact(sum, rows);
    }

    /** Refuses with 3 an estimate above the free bytes, naming both. */
    void requireWithin(long free) {
        if (bytes() > free) {
            throw new InsufficientMemoryException(String.format(
                    Locale.ROOT,
                    "generating %d responses together needs about %.2f GB of memory (%.2f GB to cache %d positions"
                            + " each, %.2f GB to compute). %.2f GB are free%s; generate fewer together, shorter ones,"
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
