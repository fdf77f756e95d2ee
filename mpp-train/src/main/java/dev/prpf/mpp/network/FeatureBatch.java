package dev.prpf.mpp.network;

import dev.prpf.data.encode.SampleFeatures;
import java.util.List;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Samples as the network's inputs, padded and masked, on the host. A picture's vector fills the first E columns of a step, a text's
 * the last E, so that text and screen samples share a batch and each has projection columns of its own.
 */
public final class FeatureBatch {
    private final NetworkShape shape;
    private final int rows;
    private final int samples;
    private final int steps;
    private final float[] context;
    private final float[] contextMask;
    private final float[] frames;
    private final float[] frameMask;
    private final float[] recent;
    private final float[] recentMask;
    private final float[] trigger;
    private final float[] scenarios;

    private FeatureBatch(NetworkShape shape, int rows, int samples, int steps) {
        this.shape = shape;
        this.rows = rows;
        this.samples = samples;
        this.steps = steps;
        int texts = NetworkShape.CONTEXT * shape.textVectors();
        context = new float[rows * texts * shape.width()];
        contextMask = new float[shape.sentences() == 0 ? rows : rows * NetworkShape.CONTEXT * texts];
        frames = new float[rows * steps * shape.stepWidth()];
        frameMask = new float[rows * steps];
        recent = new float[rows * shape.recentSteps() * shape.stepWidth()];
        recentMask = new float[rows * shape.recentSteps()];
        trigger = new float[rows];
        scenarios = new float[rows * shape.scenarios()];
    }

    /** A batch of exactly these samples. */
    public static FeatureBatch of(List<SampleFeatures> samples, NetworkShape shape) {
        return of(samples, shape, samples.size());
    }

    /**
     * A batch with empty rows at its end, of as many steps as its longest sample shows, rounded up.
     *
     * @param rows B, at least the number of samples
     */
    public static FeatureBatch of(List<SampleFeatures> samples, NetworkShape shape, int rows) {
        int longest = samples.stream()
                .mapToInt(sample -> shape.seen(sample.screenshot()))
                .max()
                .orElse(1);
        return of(samples, shape, rows, shape.planSteps(longest));
    }

    /**
     * A batch with empty rows at its end.
     *
     * @param rows B, at least the number of samples
     * @param steps T; longer trajectories lose their oldest steps
     */
    static FeatureBatch of(List<SampleFeatures> samples, NetworkShape shape, int rows, int steps) {
        if (samples.isEmpty() || samples.size() > rows) {
            throw new IllegalArgumentException(
                    "samples = " + samples.size() + ", rows = " + rows + ": must be 1 to rows samples");
        }
        FeatureBatch batch = new FeatureBatch(shape, rows, samples.size(), steps);
        for (int row = 0; row < samples.size(); row++) {
            batch.put(row, samples.get(row));
        }
        return batch;
    }

    private void put(int row, SampleFeatures sample) {
        float[][][] context = sample.context(); // read once: they may lie in a file
        for (int text = 0; text < NetworkShape.CONTEXT; text++) {
            putContext(row, text, sample, context[text]);
        }
        float[][] vectors = sample.steps();
        int length = vectors.length;
        int seen = Math.min(steps, shape.seen(sample.screenshot()));
        for (int t = 0; t < seen; t++) {
            putStep(sample, length - seen + t, vectors, frames, row * steps + t);
            frameMask[row * steps + t] = 1;
        }
        int k = shape.recentSteps();
        for (int t = Math.max(0, k - length); t < k; t++) {
            putStep(sample, length - k + t, vectors, recent, row * k + t);
            recentMask[row * k + t] = 1;
        }
        trigger[row] = Boolean.TRUE.equals(sample.intervention()) ? 1 : 0;
        float[] labels = sample.scenarios();
        if (labels != null) {
            if (labels.length != shape.scenarios()) {
                throw new IllegalArgumentException("sample " + sample.id() + " has " + labels.length
                        + " scenario labels, the network " + shape.scenarios() + " outputs");
            }
            System.arraycopy(labels, 0, scenarios, row * shape.scenarios(), labels.length);
        }
    }

    /** The first vectors of a text, as many as the network takes; the text's row of the mask has a one for each. */
    private void putContext(int row, int text, SampleFeatures sample, float[][] vectors) {
        if (shape.sentences() == 0 && vectors.length > 1) {
            throw new IllegalArgumentException("sample " + sample.id() + " has " + vectors.length
                    + " vectors of a context text, the network takes one");
        }
        int most = shape.textVectors();
        for (int i = 0; i < Math.min(most, vectors.length); i++) {
            int place = text * most + i;
            copy(vectors[i], context, (row * NetworkShape.CONTEXT * most + place) * shape.width(), sample);
            if (shape.sentences() > 0) {
                contextMask[(row * NetworkShape.CONTEXT + text) * NetworkShape.CONTEXT * most + place] = 1;
            }
        }
    }

    private void putStep(SampleFeatures sample, int step, float[][] vectors, float[] target, int place) {
        int column = shape.stepColumn(sample.screenshot()[step]);
        copy(vectors[step], target, place * shape.stepWidth() + column, sample);
    }

    private void copy(float[] vector, float[] target, int at, SampleFeatures sample) {
        if (vector.length != shape.width()) {
            throw new IllegalArgumentException("sample " + sample.id() + " has a vector of " + vector.length
                    + " numbers, the network takes " + shape.width());
        }
        System.arraycopy(vector, 0, target, at, vector.length);
    }

    /** B, empty rows included. */
    int rows() {
        return rows;
    }

    /** Rows that hold a sample. */
    int samples() {
        return samples;
    }

    /** T. */
    int steps() {
        return steps;
    }

    /** Fills the frames of masked steps with a value, to show that they do not count. */
    void fillPadding(float value) {
        for (int place = 0; place < frameMask.length; place++) {
            if (frameMask[place] == 0) {
                java.util.Arrays.fill(frames, place * shape.stepWidth(), (place + 1) * shape.stepWidth(), value);
            }
        }
        for (int place = 0; place < recentMask.length; place++) {
            if (recentMask[place] == 0) {
                java.util.Arrays.fill(recent, place * shape.stepWidth(), (place + 1) * shape.stepWidth(), value);
            }
        }
    }

    /** Inputs in the order of {@link MppBody#INPUTS}. */
    INDArray[] arrays(DataType type) {
        return new INDArray[] {
            array(type, context, rows, (long) NetworkShape.CONTEXT * shape.textVectors() * shape.width()),
            array(type, frames, rows, steps, shape.stepWidth()),
            array(type, frameMask, rows, steps),
            array(type, recent, rows, (long) shape.recentSteps() * shape.stepWidth()),
            array(type, recentMask, rows, shape.recentSteps()),
            array(type, contextMask, rows, (long) contextMask.length / rows)
        };
    }

    /** y_trig, shape (B, 1). */
    INDArray trigger(DataType type) {
        return array(type, trigger, rows, 1);
    }

    /** y_scenario, shape (B, S). */
    INDArray scenarios(DataType type) {
        return array(type, scenarios, rows, shape.scenarios());
    }

    private static INDArray array(DataType type, float[] values, long... size) {
        return Nd4j.create(values, size, 'c').castTo(type);
    }
}
