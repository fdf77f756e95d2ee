package dev.prpf.par.engine;

import java.util.List;
import java.util.Objects;

/**
 * Estimates the memory of a loss and its gradient, without weights, gradients and optimizer. It counts the tensors that the TorchScript text
 * keeps for its backward pass, and those of one layer's backward pass. {@code MemoryTermsTest} compares each term with resident memory.
 */
public final class GradientMemory {
    /** The longest row that computes all scores at once, in bfloat16. */
    private static final int SMALL = 512;

    /** Indices in {@link DecoderParameters#products}: the products out of the mixer and out of the feed-forward half. */
    private static final int OUT = 1;

    private static final int DOWN = 3;

    /** Number of positions in a chunk of a delta-net. */
    private static final int CHUNK = 64;

    private final DecoderConfig config;
    private final int bytes;
    private final boolean trained;
    private final List<LayerMatrices> matrices;
    private final List<List<Adapters>> adapters;

    /**
     * The adapters of a product: A (ranks, in), one below the other, and B (out, ranks).
     *
     * @param ranks sum over the product's adapted matrices; 0 without any
     */
    public record Adapters(long ranks, long in, long out) {
        /** Returns the number of values of A and B, zeros of B included. */
        public long values() {
            return ranks * (in + out);
        }
    }

    /**
     * The shape of a batch of sequences.
     *
     * @param rows B
     * @param width T, padding included
     * @param labels number of positions with logits
     * @param packed whether a row holds several sequences
     */
    public record Batch(int rows, int width, long labels, boolean packed) {
        long tokens() {
            return (long) rows * width;
        }
    }

    /**
     * The logits in memory during a loss and its gradient.
     *
     * @param bytesEach over all copies that exist at the same time
     * @param chunkSize most labels with logits at the same time
     */
    public record Logits(int bytesEach, long chunkSize) {}

    /**
     * The memory of a batch by parts. The peak has the larger of a layer's work and the logits, in addition to the rest.
     *
     * @param activations kept for the backward pass
     * @param layer temporary memory of one layer
     * @param logits of a chunk with all copies, and in training of all weights the gradient of the head
     * @param images their features, and the memory of a vision encoder
     */
    public record Parts(long activations, long layer, long logits, long images) {
        public long bytes() {
            return activations + Math.max(layer, logits) + images;
        }

        /** Adds the memory of images to this batch. */
        public Parts withImages(long bytes) {
            return new Parts(activations, layer, logits, bytes);
        }
    }

    /**
     * @param precision of the products
     * @param adapters of each product of each layer, as {@link DecoderParameters#products} lists them; empty if all weights learn
     */
    public GradientMemory(DecoderConfig config, Precision precision, List<List<Adapters>> adapters) {
        this.config = config;
        this.adapters = adapters;
        trained = adapters.isEmpty();
        bytes = precision.weightBytes();
        matrices = LayerMatrices.byLayer(config);
    }

    /** Estimates a batch that keeps the activations of all layers. The backward pass frees those of each layer after it. */
    public Parts remembered(Batch batch, Logits logits) {
        long kept = 0;
        long most = 0;
        for (int layer = 0; layer < config.layers(); layer++) {
            kept += kept(batch, layer);
            most = Math.max(most, kept + work(batch, layer));
        }
        return new Parts(kept + rows(batch), most + stream(batch) - kept, head(batch, logits), 0);
    }

    /**
     * Estimates a batch with gradient checkpointing: the backward pass computes every layer again. The inputs of all layers are activations, and so
     * is the last layer's output; the gradient takes over its memory.
     */
    public Parts checkpointed(Batch batch, Logits logits) {
        long most = 0;
        for (int layer = 0; layer < config.layers(); layer++) {
            most = Math.max(most, kept(batch, layer) + work(batch, layer) - stream(batch));
        }
        return new Parts((config.layers() + 1) * stream(batch) + rows(batch), most, head(batch, logits), 0);
    }

    /** Returns the bytes of the residual stream, float32. */
    private long stream(Batch batch) {
        return Float.BYTES * batch.tokens() * config.hiddenSize();
    }

    /** Returns the bytes of the positions that the head sees, and of their gradient. */
    private long rows(Batch batch) {
        return 2L * Float.BYTES * batch.labels() * config.hiddenSize();
    }

    /**
     * Returns the bytes of a chunk's logits. A trained head is copied into the format of the products. Its gradient, in both formats, exists after
     * all logits but their gradient are freed.
     */
    private long head(Batch batch, Logits logits) {
        long values = Math.min(batch.labels(), logits.chunkSize()) * config.vocabularySize();
        long matrix = trained ? (long) config.vocabularySize() * config.hiddenSize() : 0;
        long copy = bytes == Float.BYTES ? 0 : bytes * matrix;
        return copy + Math.max(logits.bytesEach() * values, bytes * values + copy + Float.BYTES * matrix);
    }

    /** Returns the bytes of a layer's trained matrices in the products' format, without those fused with a norm. Frozen ones are not copied. */
    private long copies(int layer) {
        LayerMatrices of = matrices.get(layer);
        long others = bytes == Float.BYTES ? 0 : bytes * of.others();
        return trained ? (Float.BYTES + bytes) * of.normed() + others : 0;
    }

    /** Returns what a layer keeps for its backward pass: both halves, products with A, and A and B in the products' format. */
    private long kept(Batch batch, int layer) {
        List<Adapters> low = trained ? List.of() : adapters.get(layer);
        long norms = 2L * Float.BYTES + (config.family().postNorms() ? 2 * learning(Float.BYTES) : 0);
        boolean full = config.mixers().get(layer) instanceof AttentionShape;
        long position = norms * config.hiddenSize() + gates() + (full ? attention(batch, layer) : deltaNet());
        position += bytes * low.stream().mapToLong(Adapters::ranks).sum();
        for (int product = 0; product <= DOWN; product++) {
            position += input(layer, product);
        }
        long values = low.stream().mapToLong(Adapters::values).sum();
        return batch.tokens() * position + bytes * values + copies(layer);
    }

    /** Returns the bytes of a position in a product's input, which only the gradient of its matrix or its A needs. */
    private long input(int layer, int product) {
        boolean kept = trained || adapters.get(layer).get(product).ranks() > 0;
        long inner = product == OUT ? mixerWidth(layer) : config.intermediateSize();
        return kept ? bytes * (product == OUT || product == DOWN ? inner : config.hiddenSize()) : 0;
    }

    private long mixerWidth(int layer) {
        long full = (long) config.attention().heads() * config.attention().headDim();
        return config.mixers().get(layer) instanceof DeltaNetShape delta ? delta.valueWidth() : full;
    }

    /** Returns the bytes of a norm's input, and of its output if the weight after it learns. */
    private long learning(long bytesEach) {
        return trained ? 2 * bytesEach : bytesEach;
    }

    /** Returns the bytes of a position: gate, up, and the gate's activation. */
    private long gates() {
        return 3L * bytes * config.intermediateSize();
    }

    /** Returns the bytes of a position: queries, keys and values of all heads, and all scores or the output, unless input() counts it. */
    private long attention(Batch batch, int layer) {
        AttentionShape shape = config.attention();
        long query = mixerWidth(layer);
        long keyValue = (long) shape.keyValueHeads() * shape.headDim();
        boolean grouped = shape.heads() > shape.keyValueHeads();
        boolean gated = config.family().outputGate();
        boolean normed = config.family().headNorms();
        long product = query + 2 * keyValue + (gated ? query : 0);
        boolean productKept = (!allScores(batch) && !grouped) || (normed && bytes == Float.BYTES);
        long values = productKept ? product : 0;
        if (allScores(batch)) {
            values += 3 * query + (long) shape.heads() * batch.width();
        } else {
            values += query + keyValue + (grouped ? 2 * query : 0) + (batch.packed() ? batch.width() : 0);
            values += gated || input(layer, OUT) > 0 ? 0 : query;
        }
        values += gated ? 2 * query : 0;
        long norms = normed ? learning(Float.BYTES) - (bytes == Float.BYTES ? Float.BYTES : 0) : 0;
        return bytes * values + norms * (query + keyValue);
    }

    private boolean allScores(Batch batch) {
        return bytes < Float.BYTES && batch.width() <= SMALL && !batch.packed();
    }

    /**
     * Returns the bytes that a delta-net keeps for each position. In float32: the product, the convolution's output before its activation,
     * and of each head
     * <ul>
     * <li>queries and keys: before their norm, padded, and with their decay; keys times b; W
     * <li>values: padded, U, the chunk's difference, the output, its norm and gate
     * <li>five matrices of a chunk: D, K K', A, Q K', P; and the chunk's state
     * <li>numbers: b, decays, lengths of queries and keys
     * </ul>
     */
    private long deltaNet() {
        DeltaNetShape shape = Objects.requireNonNull(config.deltaNet());
        long head = 8L * shape.keyDim()
                + 6L * shape.valueDim()
                + 5L * CHUNK
                + (long) shape.keyDim() * shape.valueDim() / CHUNK
                + 10;
        long learned = trained ? shape.channels() + shape.valueWidth() : 0;
        long product = shape.channels() + shape.valueWidth() + 2L * shape.valueHeads();
        return Float.BYTES * (product + shape.channels() + learned + shape.valueHeads() * head);
    }

    /**
     * Returns the tensors that a layer's backward pass adds to those that the layer keeps. The feed-forward half goes first, after its kept product
     * is freed: gradients of the product, of the gate's activation and of up. The mixer follows, after that half is freed. It has gradients of
     * queries, keys, values and output, and of all scores; or of a delta-net's output, its norm and its gate.
     */
    private long work(Batch batch, int layer) {
        long scores = allScores(batch) ? 2L * config.attention().heads() * batch.width() : 0;
        long mixer = config.mixers().get(layer) instanceof DeltaNetShape
                ? 3L * Float.BYTES * mixerWidth(layer)
                : bytes * (scores + 4 * mixerWidth(layer));
        return batch.tokens() * (Math.max(gates(), mixer - gates()) - input(layer, DOWN));
    }
}
