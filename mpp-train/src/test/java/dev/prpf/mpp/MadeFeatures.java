package dev.prpf.mpp;

import dev.prpf.data.encode.SampleFeatures;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Made features with labels that follow from the vectors: text and screenshot trajectories of several lengths. */
public final class MadeFeatures {
    private MadeFeatures() {}

    /**
     * @param n samples
     * @param width E
     * @param scenarios S
     * @param longest maximum number of steps
     * @param seed random seed
     */
    public static List<SampleFeatures> of(int n, int width, int scenarios, int longest, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<SampleFeatures> samples = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            samples.add(sample("s" + i, width, scenarios, 1 + random.nextInt(longest), random));
        }
        return samples;
    }

    /** Makes samples with one to five vectors per context text, which do not influence the labels. */
    public static List<SampleFeatures> withSentences(List<SampleFeatures> samples, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return samples.stream().map(sample -> withSentences(sample, random)).toList();
    }

    private static SampleFeatures withSentences(SampleFeatures sample, SplittableRandom random) {
        float[][][] context = new float[sample.context().length][][];
        for (int text = 0; text < context.length; text++) {
            context[text] = new float[1 + random.nextInt(5)][];
            context[text][0] = sample.context()[text][0];
            for (int i = 1; i < context[text].length; i++) {
                context[text][i] = vector(context[text][0].length, random);
            }
        }
        return new SampleFeatures(
                sample.id(), context, sample.steps(), sample.screenshot(), sample.intervention(), sample.scenarios());
    }

    private static SampleFeatures sample(String id, int width, int scenarios, int length, SplittableRandom random) {
        boolean screen = random.nextBoolean();
        boolean acts = random.nextInt(3) != 0;
        int scenario = random.nextInt(scenarios);
        float[][] context = {vector(width, random), vector(width, random), vector(width, random)};
        float[][] steps = new float[length][];
        boolean[] screenshot = new boolean[length];
        for (int t = 0; t < length; t++) {
            steps[t] = vector(width, random);
            steps[t][0] += acts ? 0.5f : -0.5f;
            screenshot[t] = screen;
        }
        float[] labels = new float[scenarios];
        if (acts) {
            labels[scenario] = 1;
            context[0][scenario % width] += 1;
        }
        return new SampleFeatures(id, context, steps, screenshot, acts, labels);
    }

    private static float[] vector(int width, SplittableRandom random) {
        float[] vector = new float[width];
        for (int i = 0; i < width; i++) {
            vector[i] = (float) ((random.nextDouble() * 2 - 1) / Math.sqrt(width / 3.0));
        }
        return vector;
    }
}
