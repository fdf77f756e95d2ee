package dev.prpf.par.engine;

import static dev.prpf.base.config.Rule.require;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * Stretches the rotary angles of a model that was trained on fewer positions: {@code rope_parameters} ({@code rope_scaling} before transformers 5)
 * without the base. Frequencies are computed in float32, as in transformers, because far positions amplify rounding errors.
 */
public sealed interface RotaryScaling {
    /** The key of the positions that a model was first trained on. */
    String ORIGINAL = "original_max_position_embeddings";

    /** Returns {@code default}: nothing is stretched. */
    static RotaryScaling none() {
        return new None();
    }

    /** Returns the value of {@code rope_type}. */
    String type();

    /**
     * Returns the angle by which one position turns each pair.
     *
     * @param theta the rotary base
     * @param width R, even
     * @return R / 2 angles, from the fastest
     */
    default float[] frequencies(double theta, int width) {
        float[] frequencies = plain(theta, width);
        for (int i = 0; i < frequencies.length; i++) {
            frequencies[i] = stretched(frequencies[i]);
        }
        return frequencies;
    }

    /** Stretches one frequency, independent of the others. */
    default float stretched(float frequency) {
        return frequency;
    }

    /** Returns the factor of cosines and sines. */
    default double attentionFactor() {
        return 1;
    }

    /** Returns the longest sequence for the configuration's number of positions. */
    default int positions(int named) {
        return named;
    }

    /** Unscaled frequencies theta^(-2i/R), without a factor. */
    record None() implements RotaryScaling {
        @Override
        public String type() {
            return "default";
        }
    }

    /**
     * Divides every frequency by one factor (position interpolation, Chen et al. 2023).
     *
     * @param factor at least 1
     */
    record Linear(double factor) implements RotaryScaling {
        public Linear {
            stretching(factor);
        }

        @Override
        public String type() {
            return "linear";
        }

        @Override
        public float stretched(float frequency) {
            return frequency / (float) factor;
        }
    }

    /**
     * Llama 3.1: slow frequencies are divided by the factor, fast ones kept, those between blended.
     *
     * @param factor at least 1
     * @param lowFactor waves longer than {@code original / lowFactor} positions are slow
     * @param highFactor waves shorter than {@code original / highFactor} positions are fast; above {@code lowFactor}
     * @param original the positions that the model was first trained on
     */
    record Llama3(
            double factor,
            @JsonProperty("low_freq_factor") double lowFactor,
            @JsonProperty("high_freq_factor") double highFactor,
            @JsonProperty(ORIGINAL) int original)
            implements RotaryScaling {
        public Llama3 {
            stretching(factor);
            require(original > 0, ORIGINAL, original, "positive");
            String below = "positive and below high_freq_factor = " + highFactor;
            require(lowFactor > 0 && highFactor > lowFactor, "low_freq_factor", lowFactor, below);
        }

        @Override
        public String type() {
            return "llama3";
        }

        @Override
        public float stretched(float frequency) {
            float wave = (float) (2 * Math.PI) / frequency;
            if (wave > original / lowFactor) {
                return frequency / (float) factor;
            }
            if (wave < original / highFactor) {
                return frequency;
            }
            float kept = (original / wave - (float) lowFactor) / (float) (highFactor - lowFactor);
            return (1 - kept) * frequency / (float) factor + kept * frequency;
        }
    }

    /**
     * YaRN (Peng et al. 2023, eq. 17-22): a ramp from kept to divided frequencies, and an attention factor.
     *
     * @param factor at least 1
     * @param original the positions that the model was first trained on
     * @param attentionFactor of cosines and sines
     * @param betaFast pairs that turn more often over the original positions are kept
     * @param betaSlow pairs that turn less often are divided
     * @param truncate whether the ramp begins and ends at whole pairs
     */
    record Yarn(
            double factor,
            @JsonProperty(ORIGINAL) int original,
            double attentionFactor,
            double betaFast,
            double betaSlow,
            boolean truncate)
            implements RotaryScaling {
        private static final double NO_RAMP = 0.001;

        public Yarn {
            stretching(factor);
            require(original > 0, ORIGINAL, original, "positive");
            boolean finite = attentionFactor > 0 && attentionFactor < Double.POSITIVE_INFINITY;
            require(finite, "attention_factor", attentionFactor, "positive and finite");
            String most = "positive and at most beta_fast = " + betaFast;
            require(betaSlow > 0 && betaFast >= betaSlow, "beta_slow", betaSlow, most);
        }

        /** Returns the paper's 0.1 m ln(s) + 1. */
        public static double warmth(double factor, double scale) {
            return factor <= 1 ? 1 : 0.1 * scale * Math.log(factor) + 1;
        }

        @Override
        public String type() {
            return "yarn";
        }

        @Override
        public float[] frequencies(double theta, int width) {
            double low = pair(betaFast, theta, width);
            double high = pair(betaSlow, theta, width);
            double from = Math.max(truncate ? Math.floor(low) : low, 0);
            double to = Math.min(truncate ? Math.ceil(high) : high, width - 1);
            float span = (float) ((from == to ? to + NO_RAMP : to) - from);
            float[] frequencies = plain(theta, width);
            for (int i = 0; i < frequencies.length; i++) {
                float divided = Math.max(0, Math.min(1, (i - (float) from) / span));
                float slow = 1 / ((float) factor * (1 / frequencies[i]));
                frequencies[i] = slow * divided + frequencies[i] * (1 - divided);
            }
            return frequencies;
        }

        /** Returns the pair with this number of turns over the original positions. */
        private double pair(double turns, double theta, int width) {
            return width * Math.log(original / (turns * 2 * Math.PI)) / (2 * Math.log(theta));
        }

        @Override
        public int positions(int named) {
            return Math.max(named, (int) Math.min(Integer.MAX_VALUE, Math.round(factor * original)));
        }
    }

    private static float[] plain(double theta, int width) {
        float[] frequencies = new float[width / 2];
        for (int i = 0; i < frequencies.length; i++) {
            frequencies[i] = (float) (1.0 / Math.pow(theta, 2.0 * i / width));
        }
        return frequencies;
    }

    private static void stretching(double factor) {
        require(factor >= 1 && factor < Double.POSITIVE_INFINITY, "factor", factor, "at least 1 and finite");
    }
}
