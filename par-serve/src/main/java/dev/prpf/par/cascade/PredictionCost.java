package dev.prpf.par.cascade;

import dev.prpf.data.encode.EncodingCost;
import dev.prpf.mpp.Perceiver.PerceptionCost;
import dev.prpf.par.generate.Generation.GenerationCost;
import java.util.Arrays;
import java.util.List;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The measured cost of a prediction. A stage that did not run costs 0; null is unknown. Costs depend on what ran at the same time and before: hits of
 * an {@linkplain dev.prpf.data.encode.store.EmbeddingStore embedding store} or of the prefix cache cost nothing.
 *
 * @param promptTokens of the reasoner's prompt
 * @param visualTokens image tokens of the prompt, also of a refused prompt; 0 without images: the prompt has the screenshots'
 *     text or nothing of them
 * @param cachedTokens prompt tokens from the prefix cache
 * @param newTokens of its response, with the end token
 * @param forwardPasses of the reasoner for this sample
 * @param flops floating-point operations, two per multiply-add as in PRPF eq. 31
 * @param seconds wall clock; a share of it for work on several samples
 */
public record PredictionCost(
        @Nullable Integer promptTokens,
        @Nullable Integer visualTokens,
        @Nullable Integer cachedTokens,
        @Nullable Integer newTokens,
        @Nullable Integer forwardPasses,
        Parts flops,
        Parts seconds) {
    /** The cost if no stage ran. */
    public static final PredictionCost NOTHING =
            new PredictionCost(0, 0, 0, 0, 0, Parts.of(0, 0, 0, 0, 0), Parts.of(0, 0, 0, 0, 0));

    /** The cost if a stage ran without measurement. */
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

    /**
     * The cost by component.
     *
     * @param frameEncoder text recognition on screenshots, or a vision encoder, of perceiver and reasoner
     * @param textEncoder the frozen text encoder
     * @param fusion the perceiver's network
     * @param prefill of the reasoner, up to the first new token; its seconds include rendering the prompt
     * @param decode of the reasoner
     * @param total their sum, or the known total if a part is unknown
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

        /** Creates the cost of all components. */
        public static Parts of(double frameEncoder, double textEncoder, double fusion, double prefill, double decode) {
            double total = frameEncoder + textEncoder + fusion + prefill + decode;
            return new Parts(frameEncoder, textEncoder, fusion, prefill, decode, total);
        }

        /** Returns the values in the order of the components. */
        public List<@Nullable Double> values() {
            return Arrays.asList(frameEncoder, textEncoder, fusion, prefill, decode, total);
        }

        /** Adds two costs; unknown plus a value is unknown. */
        public Parts plus(Parts other) {
            return new Parts(
                    sum(frameEncoder, other.frameEncoder, Double::sum),
                    sum(textEncoder, other.textEncoder, Double::sum),
                    sum(fusion, other.fusion, Double::sum),
                    sum(prefill, other.prefill, Double::sum),
                    sum(decode, other.decode, Double::sum),
                    sum(total, other.total, Double::sum));
        }

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

    /** Creates the cost of a perception without a reasoner; {@link #UNKNOWN} for the perceiver if null. */
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
     * Creates the cost of a response generated in this process.
     *
     * @param newTokens of the response
     * @param generation its cost; {@link GenerationCost#NONE} if no response was generated
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
     * Creates the cost of a server's answer, which has at most token counts.
     *
     * @param seconds from the request to the answer, or a share of that; null for an answer of an earlier process
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
     * The cost of a prompt.
     *
     * @param seconds of rendering and tokenizing
     * @param screens cost of reading or encoding its screenshots
     * @param visualTokens number of image tokens
     */
    public record PromptCost(double seconds, EncodingCost screens, int visualTokens) {}

    /** Adds two costs; unknown plus a value is unknown. */
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
