package dev.prpf.data.encode;

import org.jspecify.annotations.Nullable;

/**
 * A sample as the perceiver sees it.
 *
 * @param id the sample's id
 * @param context the vectors of profile, phone and world, at least one each, shape (3, N, E); see {@link ContextUnit}
 * @param steps the trajectory, oldest first, shape (T, E)
 * @param screenshot whether step t is a picture (else it is text), shape (T)
 * @param intervention whether some valid answer acts (y_trig of PRPF eq. 9); null when unlabelled
 * @param scenarios multi-hot y_scenario of PRPF eq. 11, shape (S); null when unlabelled
 */
public record SampleFeatures(
        String id,
        float[][][] context,
        float[][] steps,
        boolean[] screenshot,
        @Nullable Boolean intervention,
        float @Nullable [] scenarios) {
    // Spelt out, not compact: the null checker reads an array parameter's annotation only here.
    public SampleFeatures(
            String id,
            float[][][] context,
            float[][] steps,
            boolean[] screenshot,
            @Nullable Boolean intervention,
            float @Nullable [] scenarios) {
        if (context.length != 3) {
            throw new IllegalArgumentException(
                    "context has " + context.length + " texts, must be 3 (sample " + id + ")");
        }
        for (float[][] text : context) {
            if (text.length == 0) {
                throw new IllegalArgumentException(
                        "a context text has no vector, each must have at least 1 (sample " + id + ")");
            }
        }
        if (steps.length == 0 || steps.length != screenshot.length) {
            throw new IllegalArgumentException("steps = " + steps.length + ", screenshot flags = " + screenshot.length
                    + ", must be equal and at least 1 (sample " + id + ")");
        }
        this.id = id;
        this.context = context;
        this.steps = steps;
        this.screenshot = screenshot;
        this.intervention = intervention;
        this.scenarios = scenarios;
    }

    /**
     * With one vector a context text.
     *
     * @param context shape (3, E)
     */
    public SampleFeatures(
            String id,
            float[][] context,
            float[][] steps,
            boolean[] screenshot,
            @Nullable Boolean intervention,
            float @Nullable [] scenarios) {
        this(id, single(context), steps, screenshot, intervention, scenarios);
    }

    private static float[][][] single(float[][] context) {
        float[][][] texts = new float[context.length][][];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = new float[][] {context[i]};
        }
        return texts;
    }
}
