package dev.prpf.data.encode;

import dev.prpf.base.config.Rule;
import dev.prpf.data.encode.EncoderSettings.ContextUnit;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The perceiver's input of a sample. {@link #context()} and {@link #steps()} may read vectors from a store's file on each call. A
 * training set then takes a few hundred bytes of heap per sample.
 */
public final class SampleFeatures {
    private static final int CONTEXT = 3;

    private final String id;
    private final List<List<Supplier<float[]>>> context;
    private final List<Supplier<float[]>> steps;
    private final boolean[] screenshot;
    private final @Nullable Boolean intervention;
    private final float @Nullable [] scenarios;

    /**
     * @param context the vectors of profile, phone and world, at least one per text, shape (3, N, E); see {@link ContextUnit}
     * @param steps the trajectory, oldest first, shape (T, E)
     * @param screenshot whether step t is an image (else it is text), shape (T)
     * @param intervention whether a valid answer has calls (y_trig of PRPF eq. 9); null if unlabelled
     * @param scenarios multi-hot y_scenario of PRPF eq. 11, shape (S); null if unlabelled
     */
    SampleFeatures(
            String id,
            List<List<Supplier<float[]>>> context,
            List<Supplier<float[]>> steps,
            boolean[] screenshot,
            @Nullable Boolean intervention,
            float @Nullable [] scenarios) {
        String sample = "sample " + id + ": ";
        Rule.require(context.size() == CONTEXT, sample + "context texts", context.size(), "3");
        List<Integer> vectors = context.stream().map(List::size).toList();
        Rule.require(!vectors.contains(0), sample + "vectors of the context texts", vectors, "at least 1 each");
        Rule.require(!steps.isEmpty(), sample + "steps", steps.size(), "at least 1");
        Rule.require(steps.size() == screenshot.length, sample + "screenshot flags", screenshot.length, "one per step");
        this.id = id;
        this.context = context;
        this.steps = steps;
        this.screenshot = screenshot;
        this.intervention = intervention;
        this.scenarios = scenarios;
    }

    /** Returns the number of vectors of the three context texts. */
    public int contextVectors() {
        return context.stream().mapToInt(List::size).sum();
    }

    /** Returns the number of image steps. */
    public int screenshots() {
        return (int)
                IntStream.range(0, screenshot.length).filter(t -> screenshot[t]).count();
    }

    /** Creates features with vectors in memory. */
    public SampleFeatures(
            String id,
            float[][][] context,
            float[][] steps,
            boolean[] screenshot,
            @Nullable Boolean intervention,
            float @Nullable [] scenarios) {
        this(id, kept(context), kept(steps), screenshot, intervention, scenarios);
    }

    /**
     * Creates features with one vector per context text, in memory.
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
        this(id, kept(single(context)), kept(steps), screenshot, intervention, scenarios);
    }

    private static float[][][] single(float[][] context) {
        return Arrays.stream(context).map(text -> new float[][] {text}).toArray(float[][][]::new);
    }

    private static List<List<Supplier<float[]>>> kept(float[][][] texts) {
        return Arrays.stream(texts).map(SampleFeatures::kept).toList();
    }

    private static List<Supplier<float[]>> kept(float[][] vectors) {
        return Arrays.stream(vectors)
                .<Supplier<float[]>>map(vector -> () -> vector)
                .toList();
    }

    private static float[][] read(List<Supplier<float[]>> vectors) {
        return vectors.stream().map(Supplier::get).toArray(float[][]::new);
    }

    /**
     * Returns a silent copy with some of the steps.
     *
     * @param kept indexes of the steps, ascending, at least one
     */
    public SampleFeatures silent(int[] kept) {
        boolean[] shown = new boolean[kept.length];
        for (int t = 0; t < kept.length; t++) {
            shown[t] = screenshot[kept[t]];
        }
        float[] none = scenarios == null ? null : new float[scenarios.length];
        return new SampleFeatures(
                id, context, IntStream.of(kept).mapToObj(steps::get).toList(), shown, false, none);
    }

    public String id() {
        return id;
    }

    /** Returns the vectors of profile, phone and world, shape (3, N, E). */
    public float[][][] context() {
        return context.stream().map(SampleFeatures::read).toArray(float[][][]::new);
    }

    /** Returns the number of vectors of profile, phone or world. */
    public int contextVectors(int text) {
        return context.get(text).size();
    }

    /** Returns the trajectory's vectors, oldest first, shape (T, E). */
    public float[][] steps() {
        return read(steps);
    }

    /** Returns whether step t is an image (else it is text), shape (T). */
    public boolean[] screenshot() {
        return screenshot;
    }

    /** Returns whether a valid answer has calls; null if unlabelled. */
    public @Nullable Boolean intervention() {
        return intervention;
    }

    /** Returns the multi-hot scenarios, shape (S); null if unlabelled. */
    public float @Nullable [] scenarios() {
        return scenarios;
    }
}
