package dev.prpf.par.cascade;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.mpp.PerceptionCost;
import dev.prpf.par.generate.GenerationCost;
import java.util.Arrays;
import java.util.List;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What a prediction cost. What did not run cost 0; what is not known is null. Costs say what was really done and so depend on what ran
 * beside and before: what an {@linkplain dev.prpf.data.encode.store.EmbeddingStore embedding store} or the prefix cache had cost nothing.
 *
 * @param promptTokens of the reasoner's prompt
 * @param visualTokens of these that stand for pictures, also in a prompt that was refused as too long; 0 where the prompt shows no picture: it
 *     has the screenshots' text, or nothing of them
 * @param cachedTokens of these that the prefix cache had
 * @param newTokens of its response, the end token among them
 * @param forwardPasses of the reasoner that this sample took part in
 * @param flops floating-point operations, two a multiply-add as in PRPF eq. 31
 * @param seconds wall clock; of what several samples did together, this one's share
 */
public record PredictionCost(
        @Nullable Integer promptTokens,
        @Nullable Integer visualTokens,
        @Nullable Integer cachedTokens,
        @Nullable Integer newTokens,
        @Nullable Integer forwardPasses,
        @JsonSetter(nulls = Nulls.FAIL) Parts flops,
        @JsonSetter(nulls = Nulls.FAIL) Parts seconds) {
    /** Nothing ran. */
    public static final PredictionCost NOTHING =
            new PredictionCost(0, 0, 0, 0, 0, Parts.of(0, 0, 0, 0, 0), Parts.of(0, 0, 0, 0, 0));

    /** Something ran, and nobody knows what it cost. */
    public static final PredictionCost UNKNOWN = new PredictionCost(
            null,
            null,
            null,
            null,
            null,
            new Parts(null, null, null, null, null, null),
            new Parts(null, null, null, null, null, null));

    public PredictionCost {
        Parts.require("prompt_tokens", promptTokens);
        Parts.require("visual_tokens", visualTokens);
        Parts.require("cached_tokens", cachedTokens);
        Parts.require("new_tokens", newTokens);
        Parts.require("forward_passes", forwardPasses);
    }

    /** Of a prompt of text. */
    public PredictionCost(
            @Nullable Integer promptTokens,
            @Nullable Integer cachedTokens,
            @Nullable Integer newTokens,
            @Nullable Integer forwardPasses,
            Parts flops,
            Parts seconds) {
        this(promptTokens, 0, cachedTokens, newTokens, forwardPasses, flops, seconds);
    }

    /**
     * By part.
     *
     * @param frameEncoder text recognition on screenshots, or a vision tower, the perceiver's and the reasoner's
     * @param textEncoder the frozen text encoder
     * @param fusion the perceiver's network
     * @param prefill the reasoner reading its prompt, up to the first new token; its seconds include the prompt's rendering
     * @param decode the reasoner writing
     * @param total their sum, or what is known as a whole where a part is not
     */
    public record Parts(
            @Nullable Double frameEncoder,
            @Nullable Double textEncoder,
            @Nullable Double fusion,
            @Nullable Double prefill,
            @Nullable Double decode,
            @Nullable Double total) {
        public Parts {
            require("frame_encoder", frameEncoder);
            require("text_encoder", textEncoder);
            require("fusion", fusion);
            require("prefill", prefill);
            require("decode", decode);
            require("total", total);
        }

        private static void require(String key, @Nullable Number value) {
            if (value != null && !(value.doubleValue() >= 0 && Double.isFinite(value.doubleValue()))) {
                throw new IllegalArgumentException("\"" + key + "\" of \"cost\" = " + value + ", must be at least 0");
            }
        }

        /** All of them. */
        public static Parts of(double frameEncoder, double textEncoder, double fusion, double prefill, double decode) {
            double total = frameEncoder + textEncoder + fusion + prefill + decode;
            return new Parts(frameEncoder, textEncoder, fusion, prefill, decode, total);
        }

        /** In the order of the components. */
        public List<@Nullable Double> values() {
            return Arrays.asList(frameEncoder, textEncoder, fusion, prefill, decode, total);
        }

        /** What is not known of one is not known of both. */
        public Parts plus(Parts other) {
            return new Parts(
                    sum(frameEncoder, other.frameEncoder, Double::sum),
                    sum(textEncoder, other.textEncoder, Double::sum),
                    sum(fusion, other.fusion, Double::sum),
                    sum(prefill, other.prefill, Double::sum),
                    sum(decode, other.decode, Double::sum),
                    sum(total, other.total, Double::sum));
        }

        /** Each times a factor. */
        public Parts times(double factor) {
            return new Parts(
                    times(frameEncoder, factor),
                    times(textEncoder, factor),
                    times(fusion, factor),
                    times(prefill, factor),
                    times(decode, factor),
                    times(total, factor));
        }

        private static @Nullable Double times(@Nullable Double value, double factor) {
            return value == null ? null : value * factor;
        }
    }

    /** Of a perception; {@link #UNKNOWN} but for the reasoner, which did not run, where its cost is null. */
    public static PredictionCost of(@Nullable PerceptionCost cost) {
        if (cost == null) {
            Parts perceiver = new Parts(null, null, null, 0.0, 0.0, null);
            return new PredictionCost(0, 0, 0, 0, 0, perceiver, perceiver);
        }
        EncodingCost encoding = cost.encoding();
        return new PredictionCost(
                0,
                0,
                0,
                0,
                0,
                Parts.of(encoding.frameFlops(), encoding.textFlops(), cost.fusionFlops(), 0, 0),
                Parts.of(encoding.frameSeconds(), encoding.textSeconds(), cost.fusionSeconds(), 0, 0));
    }

    /**
     * Of a response that was written in this process.
     *
     * @param promptTokens of its prompt
     * @param newTokens of the response
     * @param generation what it took; {@link GenerationCost#NONE} where nothing was written
     * @param prompt what the prompt took
     */
    static PredictionCost of(int promptTokens, int newTokens, GenerationCost generation, PromptCost prompt) {
        EncodingCost screens = prompt.screens();
        GenerationCost.Phase prefill = generation.prefill();
        GenerationCost.Phase decode = generation.decode();
        double reading = prefill.seconds() + prompt.seconds();
        return new PredictionCost(
                promptTokens,
                prompt.visualTokens(),
                generation.cachedTokens(),
                newTokens,
                generation.passes(),
                Parts.of(screens.frameFlops(), screens.textFlops(), 0, prefill.flops(), decode.flops()),
                Parts.of(screens.frameSeconds(), screens.textSeconds(), 0, reading, decode.seconds()));
    }

    /**
     * Of a server's answer, which says its tokens at most.
     *
     * @param seconds from the request to the answer, or a share of that; null for an answer that an earlier process had
     */
    static PredictionCost ofAnswer(
            @Nullable Integer promptTokens,
            @Nullable Integer newTokens,
            @Nullable Double seconds,
            EncodingCost screens) {
        return new PredictionCost(
                promptTokens,
                null,
                null,
                newTokens,
                null,
                new Parts(screens.frameFlops(), screens.textFlops(), 0.0, null, null, null),
                new Parts(
                        screens.frameSeconds(),
                        screens.textSeconds(),
                        0.0,
                        null,
                        null,
                        seconds == null ? null : (Double) (seconds + screens.seconds())));
    }

    /**
     * What writing a prompt took.
     *
     * @param seconds of rendering and tokenizing
     * @param screens of the screenshots whose text or sight it needed
     * @param visualTokens that stand for pictures
     */
    public record PromptCost(double seconds, EncodingCost screens, int visualTokens) {
        /** Of text. */
        public PromptCost(double seconds, EncodingCost screens) {
            this(seconds, screens, 0);
        }
    }

    /** Both; what is not known of one is not known of both. */
    public PredictionCost plus(PredictionCost other) {
        return new PredictionCost(
                sum(promptTokens, other.promptTokens, Integer::sum),
                sum(visualTokens, other.visualTokens, Integer::sum),
                sum(cachedTokens, other.cachedTokens, Integer::sum),
                sum(newTokens, other.newTokens, Integer::sum),
                sum(forwardPasses, other.forwardPasses, Integer::sum),
                flops.plus(other.flops),
                seconds.plus(other.seconds));
    }

    private static <N extends Number> @Nullable N sum(@Nullable N one, @Nullable N other, BinaryOperator<N> sum) {
        return one == null || other == null ? null : sum.apply(one, other);
    }
}
