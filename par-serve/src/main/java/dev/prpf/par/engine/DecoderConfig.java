package dev.prpf.par.engine;

import static dev.prpf.base.config.Rule.require;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The shape of a decoder. Names follow Hugging Face's {@code config.json}.
 *
 * @param family what tells it from the other kinds
 * @param vocabularySize V
 * @param hiddenSize D
 * @param intermediateSize F, the feed-forward width
 * @param layerKinds one for each block
 * @param attention of the full layers
 * @param deltaNet of the linear layers; null exactly where there are none
 * @param maxPositions the longest sequence, prompt and response together
 * @param normEpsilon added to the mean square
 * @param tiedEmbeddings whether the head is the embedding
 * @param tokens the special ones
 */
public record DecoderConfig(
        DecoderFamily family,
        int vocabularySize,
        int hiddenSize,
        int intermediateSize,
        List<LayerKind> layerKinds,
        AttentionShape attention,
        @Nullable DeltaNetShape deltaNet,
        int maxPositions,
        double normEpsilon,
        boolean tiedEmbeddings,
        SpecialTokens tokens) {
    public DecoderConfig {
        require(vocabularySize > 0, "vocab_size", vocabularySize, "positive");
        require(hiddenSize > 0, "hidden_size", hiddenSize, "positive");
        require(intermediateSize > 0, "intermediate_size", intermediateSize, "positive");
        require(layerKinds.size() > 0, "num_hidden_layers", layerKinds.size(), "positive");
        require(maxPositions > 0, "max_position_embeddings", maxPositions, "positive");
        require(normEpsilon > 0, "rms_norm_eps", normEpsilon, "positive");
        layerKinds = List.copyOf(layerKinds);
        if (layerKinds.contains(LayerKind.LINEAR_ATTENTION) != (deltaNet != null)) {
            throw new IllegalArgumentException("layer_types = " + layerKinds + " and the linear_* keys ("
                    + (deltaNet == null ? "missing" : deltaNet) + ") must name linear attention both or neither");
        }
        if (deltaNet != null && family != DecoderFamily.QWEN3_5) {
            throw new IllegalArgumentException("layer_types = " + layerKinds + ": a decoder of model_type "
                    + family.modelType() + " has full attention only");
        }
    }

    /** The kinds of a decoder with softmax attention in every layer. */
    public static List<LayerKind> fullAttention(int layers) {
        require(layers > 0, "num_hidden_layers", layers, "positive");
        return Collections.nCopies(layers, LayerKind.FULL_ATTENTION);
    }

    /** Number of blocks. */
    public int layers() {
        return layerKinds.size();
    }

    /** Every parameter's Hugging Face name and shape; a tied head is left out. */
    public Map<String, long[]> parameterShapes() {
        return new DecoderParameters(this).shapes();
    }

    /** Number of trained values; a tied head counts once. */
    public long parameterCount() {
        return parameterShapes().values().stream()
                .mapToLong(shape -> Arrays.stream(shape).reduce(1, Math::multiplyExact))
                .sum();
    }

    private static long code(LayerKind kind) {
        return kind == LayerKind.FULL_ATTENTION ? 0 : 1;
    }

    /** The dims argument of a decoder that has a layer of this one and no other. */
    public long[] dimsOfLayer(int layer) {
        long[] all = dims();
        long[] one = Arrays.copyOf(all, all.length - layers() + 1);
        one[0] = 1;
        one[one.length - 1] = code(layerKinds.get(layer));
        return one;
    }

    /** The dims argument of the TorchScript text, which says what stands where. */
    public long[] dims() {
        DeltaNetShape delta = deltaNet == null ? new DeltaNetShape(1, 1, 1, 1, 2) : deltaNet;
        LongStream head = LongStream.of(
                layers(),
                attention.heads(),
                attention.keyValueHeads(),
                attention.headDim(),
                family.attentionBias() ? 1 : 0,
                family.headNorms() ? 1 : 0,
                family.outputGate() ? 1 : 0,
                family.normOffset(),
                delta.keyHeads(),
                delta.valueHeads(),
                delta.keyDim(),
                delta.valueDim(),
                delta.kernel());
        return LongStream.concat(head, layerKinds.stream().mapToLong(DecoderConfig::code))
                .toArray();
    }
}
