package dev.prpf.par.engine;

import static dev.prpf.base.config.Rule.require;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The shape of a decoder. Names follow Hugging Face's {@code config.json}.
 *
 * @param family differences from other kinds of decoders
 * @param vocabularySize V
 * @param hiddenSize D
 * @param intermediateSize F, the feed-forward width
 * @param mixers one for each layer; parameter names, memory and the script's shapes follow from them
 * @param maxPositions the longest sequence, prompt and response together
 * @param normEpsilon added to the mean square
 * @param tiedEmbeddings whether the head is the embedding
 * @param logitSoftcap bounds logits x by softcap tanh(x / softcap); 0 for none
 */
public record DecoderConfig(
        DecoderFamily family,
        int vocabularySize,
        int hiddenSize,
        int intermediateSize,
        List<Mixer> mixers,
        int maxPositions,
        double normEpsilon,
        boolean tiedEmbeddings,
        SpecialTokens tokens,
        double logitSoftcap) {
    public DecoderConfig {
        require(vocabularySize > 0, "vocab_size", vocabularySize, "positive");
        require(hiddenSize > 0, "hidden_size", hiddenSize, "positive");
        require(intermediateSize > 0, "intermediate_size", intermediateSize, "positive");
        require(mixers.size() > 0, "num_hidden_layers", mixers.size(), "positive");
        require(maxPositions > 0, "max_position_embeddings", maxPositions, "positive");
        require(normEpsilon > 0, "rms_norm_eps", normEpsilon, "positive");
        require(logitSoftcap >= 0, "final_logit_softcapping", logitSoftcap, "positive");
        mixers = List.copyOf(mixers);
        if (mixers.stream().noneMatch(AttentionShape.class::isInstance)) {
            throw new IllegalArgumentException(
                    "layer_types = " + kinds(mixers) + ": at least one layer must have attention over positions");
        }
        if (family != DecoderFamily.QWEN3_5 && mixers.stream().anyMatch(DeltaNetShape.class::isInstance)) {
            throw new IllegalArgumentException("layer_types = " + kinds(mixers) + ": a decoder of model_type "
                    + family.modelType() + " has no linear attention");
        }
    }

    /** Creates the shape of layers that differ only in their kind. */
    public DecoderConfig(
            DecoderFamily family,
            int vocabularySize,
            int hiddenSize,
            int intermediateSize,
            List<Mixer.Kind> layerKinds,
            AttentionShape attention,
            @Nullable DeltaNetShape deltaNet,
            int maxPositions,
            double normEpsilon,
            boolean tiedEmbeddings,
            SpecialTokens tokens) {
        this(
                family,
                vocabularySize,
                hiddenSize,
                intermediateSize,
                mixers(layerKinds, attention, deltaNet),
                maxPositions,
                normEpsilon,
                tiedEmbeddings,
                tokens,
                0);
    }

    private static List<Mixer> mixers(
            List<Mixer.Kind> kinds, AttentionShape attention, @Nullable DeltaNetShape deltaNet) {
        if (kinds.contains(Mixer.Kind.LINEAR_ATTENTION) != (deltaNet != null)) {
            throw new IllegalArgumentException("layer_types = " + kinds + " and the linear_* keys ("
                    + (deltaNet == null ? "missing" : deltaNet) + ") must name linear attention both or neither");
        }
        return kinds.stream()
                .<Mixer>map(kind -> kind == Mixer.Kind.LINEAR_ATTENTION && deltaNet != null ? deltaNet : attention)
                .toList();
    }

    private static List<Mixer.Kind> kinds(List<Mixer> mixers) {
        return mixers.stream().map(Mixer::kind).toList();
    }

    /** Returns the kinds of a decoder with softmax attention in every layer. */
    public static List<Mixer.Kind> fullAttention(int layers) {
        require(layers > 0, "num_hidden_layers", layers, "positive");
        return Collections.nCopies(layers, Mixer.Kind.FULL_ATTENTION);
    }

    /** Returns the number of blocks. */
    public int layers() {
        return mixers.size();
    }

    public List<Mixer.Kind> layerKinds() {
        return kinds(mixers);
    }

    /** Returns the attention of the last layer that has one; in all families the layers' heads are alike. */
    public AttentionShape attention() {
        List<AttentionShape> all = of(AttentionShape.class).toList();
        return all.get(all.size() - 1);
    }

    /** Returns the delta-net of all layers that have one; null if no layer has one. */
    public @Nullable DeltaNetShape deltaNet() {
        return of(DeltaNetShape.class).findFirst().orElse(null);
    }

    public <M extends Mixer> Stream<M> of(Class<M> type) {
        return mixers.stream().filter(type::isInstance).map(type::cast);
    }

    /** Returns the distinct rotary tables of its layers. */
    List<AttentionShape.Rotation> rotations() {
        return of(AttentionShape.class).map(AttentionShape::rotation).distinct().toList();
    }

    /** Returns every parameter's Hugging Face name and shape, without a tied head. */
    public Map<String, long[]> parameterShapes() {
        return new DecoderParameters(this).shapes();
    }

    /** Returns the number of trained values; a tied head counts once. */
    public long parameterCount() {
        return parameterShapes().values().stream()
                .mapToLong(shape -> Arrays.stream(shape).reduce(1, Math::multiplyExact))
                .sum();
    }

    /**
     * The special token ids of config.json.
     *
     * @param begin id, or null
     * @param end ids that end a response; may be empty
     * @param pad id, or null
     */
    public record SpecialTokens(@Nullable Integer begin, List<Integer> end, @Nullable Integer pad) {
        public SpecialTokens {
            end = List.copyOf(end);
        }
    }

    /** The part of a decoder layer that mixes positions: attention, or a gated delta-net. */
    public sealed interface Mixer permits AttentionShape, DeltaNetShape {
        /** The kinds of position mixing in a decoder layer; names are those of {@code layer_types} in config.json. */
        public enum Kind {
            /** Softmax attention over all earlier positions. */
            FULL_ATTENTION,
            /** Softmax attention over the nearest earlier positions. */
            SLIDING_ATTENTION,
            /** The gated delta rule: a state of fixed size for any length. */
            LINEAR_ATTENTION
        }

        /** Returns the name in config.json's {@code layer_types}. */
        Kind kind();

        /** Returns the module of its parameters in a layer: {@code self_attn}. */
        String module();

        /**
         * Returns its parameters' names below the module and their shapes, in the order of the TorchScript text.
         *
         * @param width D
         */
        Map<String, long[]> parameters(DecoderFamily family, int width);

        /**
         * Returns the bytes of one sequence's cache.
         *
         * @param positions of the sequence
         * @param activationBytes of a key's or value's element
         */
        long cacheBytes(int positions, int activationBytes);

        /**
         * Returns the floating-point operations without its matrices, two per multiply-add.
         *
         * @param begin number of tokens before the fed ones
         */
        double flops(int begin, int tokens);
    }
}
