package dev.prpf.mpp.network.definition;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.network.definition.Operations.Input;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Samples as padded and masked inputs of the network. A screenshot's vector fills the first E columns of a step, a text's the last E. So text
 * and screenshot samples share a batch, with separate projection columns. Arrays are not copied.
 *
 * @param rows B, including empty rows
 * @param steps T
 * @param inputs each input's values, row-major
 * @param samples the samples of the first rows
 */
public record FeatureBatch(
        NetworkShape shape, int rows, int steps, Map<Input, float[]> inputs, List<SampleFeatures> samples) {

    /**
     * Makes a batch of exactly these samples.
     *
     * @throws PrpfException 65, naming sample, vector and index of the first feature that is not finite
     */
    public static FeatureBatch of(List<SampleFeatures> samples, NetworkShape shape) {
        return of(samples, shape, samples.size());
    }

    /** Makes a batch with empty rows at its end, and with the steps of its longest sample, rounded up. */
    public static FeatureBatch of(List<SampleFeatures> samples, NetworkShape shape, int rows) {
        int longest = samples.stream()
                .mapToInt(sample -> shape.window().seen(sample.screenshot()))
                .max()
                .orElse(1);
        return of(samples, shape, rows, shape.batchSteps(longest));
    }

    /** Makes a batch with the given T; longer trajectories lose their oldest steps. */
    public static FeatureBatch of(List<SampleFeatures> samples, NetworkShape shape, int rows, int steps) {
        if (samples.isEmpty() || samples.size() > rows) {
            throw new IllegalArgumentException(
                    "samples = " + samples.size() + ", rows = " + rows + ": must be 1 to rows samples");
        }
        Map<Input, float[]> inputs = new EnumMap<>(Input.class);
        Stream.of(Input.values())
                .filter(input -> input.isRead(shape))
                .forEach(input -> inputs.put(
                        input, new float[rows * input.size(shape, steps).length()]));
        FeatureBatch batch = new FeatureBatch(shape, rows, steps, inputs, List.copyOf(samples));
        for (int row = 0; row < samples.size(); row++) {
            batch.put(row, samples.get(row));
        }
        return batch;
    }

    private void put(int row, SampleFeatures sample) {
        float[][] vectors = sample.steps(); // read once, possibly from a file
        if (shape.slow()) {
            float[][][] context = sample.context();
            for (int text = 0; text < NetworkShape.CONTEXT; text++) {
                putContext(row, text, sample, context[text]);
            }
            int seen = Math.min(steps, shape.window().seen(sample.screenshot()));
            putSteps(row * steps, last(vectors, seen), sample, Input.FRAMES, Input.FRAME_MASK);
        }
        if (shape.fast()) {
            int seen = Math.min(shape.window().recentSteps(), vectors.length);
            putSteps(
                    (row + 1) * shape.window().recentSteps() - seen,
                    last(vectors, seen),
                    sample,
                    Input.RECENT,
                    Input.RECENT_MASK);
        }
        float[] labels = sample.scenarios();
        if (labels != null && labels.length != shape.scenarios()) {
            throw new IllegalArgumentException("sample " + sample.id() + " has " + labels.length
                    + " scenario labels, the network " + shape.scenarios() + " outputs");
        }
    }

    /** Writes the first vectors of a text, at most the network's number, with a 1 in the text's mask row for each. */
    private void putContext(int row, int text, SampleFeatures sample, float[][] vectors) {
        if (shape.inputs().sentences() == 0 && vectors.length > 1) {
            throw new IllegalArgumentException("sample " + sample.id() + " has " + vectors.length
                    + " vectors of a context text, the network takes one");
        }
        int most = shape.textVectors();
        int all = NetworkShape.CONTEXT * most;
        for (int i = 0; i < Math.min(most, vectors.length); i++) {
            int place = text * most + i;
            requireFinite(vectors[i], "context", i, sample);
            copy(vectors[i], values(Input.CONTEXT), (row * all + place) * shape.width(), sample);
            if (shape.inputs().sentences() > 0) {
                values(Input.CONTEXT_MASK)[(row * NetworkShape.CONTEXT + text) * all + place] = 1;
            }
        }
    }

    private static float[][] last(float[][] vectors, int n) {
        return Arrays.copyOfRange(vectors, vectors.length - n, vectors.length);
    }

    /** Writes the vectors of a sample's last steps, starting at a row of the input. */
    private void putSteps(int row, float[][] vectors, SampleFeatures sample, Input input, Input mask) {
        int first = sample.screenshot().length - vectors.length;
        for (int i = 0; i < vectors.length; i++) {
            int column = shape.stepColumn(sample.screenshot()[first + i]);
            requireFinite(vectors[i], "step", first + i, sample);
            copy(vectors[i], values(input), (row + i) * shape.stepWidth() + column, sample);
            values(mask)[row + i] = 1;
        }
    }

    private static void requireFinite(float[] vector, String what, int number, SampleFeatures sample) {
        for (int i = 0; i < vector.length; i++) {
            if (!Float.isFinite(vector[i])) {
                throw new InvalidDataException("sample " + sample.id() + " has " + vector[i] + " at index " + i + " of "
                        + what + " vector " + number + ", every feature must be a finite number; encode it again");
            }
        }
    }

    private void copy(float[] vector, float[] target, int at, SampleFeatures sample) {
        if (vector.length != shape.width()) {
            throw new IllegalArgumentException("sample " + sample.id() + " has a vector of " + vector.length
                    + " numbers, the network takes " + shape.width());
        }
        System.arraycopy(vector, 0, target, at, vector.length);
    }

    /** Returns an input's values, row-major, not a copy. */
    public float[] values(Input input) {
        return Objects.requireNonNull(inputs.get(input), () -> "the network does not read " + input);
    }
}
