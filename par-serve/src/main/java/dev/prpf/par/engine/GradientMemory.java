package dev.prpf.par.engine;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What a loss and its gradient take beside weights, gradients and optimizer, estimated from what the TorchScript text leaves for its
 * backward pass. Allocation rounds up and leaves gaps; {@code docs/MODELS.md} has the differences seen.
 */
public final class GradientMemory {
    /** The longest row whose scores are all made at once, in bfloat16. */
    private static final int SMALL = 512;

    /** Positions of a delta-net's chunk. */
    private static final int CHUNK = 64;

    private final DecoderConfig config;
    private final int bytes;
    private final boolean trained;
    private final List<LayerMatrices> matrices;

    /**
     * Sequences side by side.
     *
     * @param rows B
     * @param width T, padding included
     * @param labels positions the head sees
     * @param packed whether a row holds several sequences
     */
    public record Batch(int rows, int width, long labels, boolean packed) {
        long tokens() {
            return (long) rows * width;
        }
    }

    /**
     * Logits while a loss and its gradient are made of them.
     *
     * @param bytesEach over all copies that stand at the same time
     * @param chunkSize labels whose logits stand at the same time, at most
     */
    public record Logits(int bytesEach, long chunkSize) {}

    /**
     * The memory of a batch. The peak has the larger of a layer's work and the logits, in addition to the rest.
     *
     * @param activations kept for the backward pass
     * @param layer temporary memory of one layer
     * @param logits of a chunk with all copies, and in training of all weights the gradient of the head
     * @param pictures features of images, and the memory of a vision encoder
     */
    public record Parts(long activations, long layer, long logits, long pictures) {
        public long bytes() {
            return activations + Math.max(layer, logits) + pictures;
        }

        /** Adds the memory of images to this batch. */
        public Parts withPictures(long bytes) {
            return new Parts(activations, layer, logits, bytes);
        }

        /** Returns the bytes of each part, by name. */
        public Map<String, Long> byName() {
            Map<String, Long> parts = new LinkedHashMap<>();
            parts.put("activations", activations);
            parts.put("layer", layer);
            parts.put("logits", logits);
            parts.put("images", pictures);
            return parts;
        }
    }

    /**
     * @param precision of the products
     * @param trained whether all weights learn; else adapters do
     */
    public GradientMemory(DecoderConfig config, Precision precision, boolean trained) {
        this.config = config;
        this.trained = trained;
        bytes = precision.weightBytes();
        matrices = LayerMatrices.byLayer(config);
    }

    /** Estimates a batch that keeps the activations of all layers. */
    public Parts remembered(Batch batch, Logits logits) {
        long kept = 0;
        long work = 0;
        for (int layer = 0; layer < config.layers(); layer++) {
            kept += kept(batch, layer) + copies(layer);
            work = Math.max(work, work(batch, layer));
        }
        return new Parts(kept + rows(batch), work, head(batch, logits), 0);
    }

    /** Estimates a batch with gradient checkpointing: the backward pass computes every layer again. */
    public Parts checkpointed(Batch batch, Logits logits) {
        long most = 0;
        for (int layer = 0; layer < config.layers(); layer++) {
            most = Math.max(most, kept(batch, layer) + copies(layer) + work(batch, layer));
        }
        return new Parts((config.layers() + 1) * stream(batch) + rows(batch), most, head(batch, logits), 0);
    }

    /** The residual stream, float32. */
    private long stream(Batch batch) {
        return Float.BYTES * batch.tokens() * config.hiddenSize();
    }

    /** Returns the bytes of the final norm's input and output. */
    private long rows(Batch batch) {
        return 2L * Float.BYTES * batch.labels() * config.hiddenSize();
    }

    /** Logits of a chunk; of a head that learns its copy in the format of the products, and its gradient in both formats. */
    private long head(Batch batch, Logits logits) {
        long values = Math.min(batch.labels(), logits.chunkSize()) * config.vocabularySize();
        long copies = bytes == Float.BYTES ? Float.BYTES : 2L * bytes + Float.BYTES;
        long matrix = trained ? copies * config.vocabularySize() * config.hiddenSize() : 0;
        return logits.bytesEach() * values + matrix;
    }

    /** A layer's matrices that learn, in the products' format; those before a norm were multiplied into them. Frozen ones are not copied. */
    private long copies(int layer) {
        LayerMatrices of = matrices.get(layer);
        boolean alike = bytes == Float.BYTES;
        return trained ? (Float.BYTES + bytes) * of.normed() + (alike ? 0 : bytes) * of.others() : 0;
    }

    /** Memory that a layer keeps for backward: streams and normed streams of both halves, gate, up, their activation and product, and the mixer. */
    private long kept(Batch batch, int layer) {
        int norms = config.family().postNorms() ? 4 : 2;
        long halves =
                (long) norms * (Float.BYTES + bytes) * config.hiddenSize() + 4L * bytes * config.intermediateSize();
        boolean full = config.mixers().get(layer) instanceof AttentionShape;
        return batch.tokens() * (halves + (full ? attention(batch) : deltaNet()));
    }

    /** Bytes of a position. */
    private long attention(Batch batch) {
        AttentionShape shape = config.attention();
        long query = (long) shape.heads() * shape.headDim();
        long keyValue = (long) shape.keyValueHeads() * shape.headDim();
        boolean grouped = shape.heads() > shape.keyValueHeads();
        long values = 0;
        if (allScores(batch)) {
            values += 4 * query + (long) shape.heads() * batch.width();
        } else {
            values += 2 * query + keyValue + (grouped ? 2 * query : query + 2 * keyValue);
            values += batch.packed() ? batch.width() : 0;
        }
        if (config.family().outputGate()) {
            values += 4 * query + 2 * keyValue;
        }
        long norms = config.family().headNorms() ? 2L * Float.BYTES * (query + keyValue) : 0;
        return bytes * values + norms;
    }

    private boolean allScores(Batch batch) {
        return bytes < Float.BYTES && batch.width() <= SMALL && !batch.packed();
    }

    /** Bytes of a position: the convolution's values, and in each head keys, values, a chunk's scores and states. */
    private long deltaNet() {
        DeltaNetShape shape = Objects.requireNonNull(config.deltaNet());
        long head = 9L * shape.keyDim()
                + 9L * shape.valueDim()
                + 6L * CHUNK
                + 2L * shape.keyDim() * shape.valueDim() / CHUNK;
        return (3L * Float.BYTES + bytes) * shape.channels() + (long) Float.BYTES * shape.valueHeads() * head;
    }

    /** Temporary memory of a layer's backward pass. */
    private long work(Batch batch, int layer) {
        long wide = 5L * bytes * config.intermediateSize() + 2L * Float.BYTES * config.hiddenSize();
        if (config.mixers().get(layer) instanceof DeltaNetShape) {
            return batch.tokens() * Math.max(wide, deltaNet());
        }
        AttentionShape shape = config.attention();
        long scores = allScores(batch) ? 2L * shape.heads() * batch.width() : 0;
        return batch.tokens() * Math.max(wide, bytes * (scores + 4L * shape.heads() * shape.headDim()));
    }
}
