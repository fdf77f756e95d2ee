package dev.prpf.mpp.ensemble;

import static dev.prpf.mpp.network.definition.JointLoss.sigmoid;
import static dev.prpf.mpp.network.definition.JointLoss.softplus;

import dev.prpf.base.config.Rule;
import dev.prpf.mpp.ensemble.TfIdfGate.Vectorizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.commons.math3.util.MathArrays;

/**
 * A linear classifier of single steps, for few samples: it finds the step that states a need among unrelated steps. A sample has T steps;
 * there are S classes and silence. A step's features x, of length V, are its encoder's vector v, of length E, and its TF-IDF weights.
 *
 * <p>Step i scores class c by {@code w_c·x_i + b_c - sum_{j > i} g_ij d_j}. A later step j lowers the score by {@code d_j = softplus(u·x_j + e)},
 * weighted with the similarity {@code g_ij = sigmoid(10 k (cos(v_i, v_j) - 0.7) + m)}. A class's logit is the log-sum-exp over the steps,
 * silence has a constant logit, and a softmax gives the probabilities. Adam with decoupled weight decay minimises the cross entropy.
 *
 * @param vectorizer of single steps
 * @param width E
 * @param classes S
 * @param parameters (V, S + 1): W and u as columns; (S + 1): b and e; then k, m and the logit of silence
 */
record StepClassifier(Vectorizer vectorizer, int width, int classes, double[] parameters) {
    private static final int SCALARS = 3;
    private static final double VECTOR_SCALE = 8; // features are unit vectors; larger ones learn faster
    private static final double TERM_SCALE = 3;
    private static final double ALIKE = 0.7;
    private static final double SLOPE = 10;
    private static final double DROPOUT = 0.2;
    private static final double DECAY = 0.02;
    private static final double RATE = 3e-3;
    private static final int EPOCHS = 40;
    private static final int BATCH = 32;
    private static final int WARM_UP = 30;
    private static final double[] START = {-2, -3, 0.5, 0, 0}; // each of b, e, k, m, silence

    StepClassifier {
        int rows = width + vectorizer.columns().size() + 1;
        Rule.require(
                parameters.length == rows * (classes + 1) + SCALARS,
                "step parameters",
                parameters.length,
                "(V + 1) (S + 1) + " + SCALARS + " for S = " + classes + ", V = " + (rows - 1));
    }

    /** A sample's steps and their vectors, (T, E). */
    record Steps(List<String> texts, float[][] vectors) {}

    /** Features of a sample's steps, and the cosines of their vectors, (T, T). */
    private record Rows(SparseVector[] features, double[][] cosines) {
        private Rows dropped(Random random) {
            return new Rows(
                    Arrays.stream(features)
                            .map(row -> StepClassifier.dropped(row, random))
                            .toArray(SparseVector[]::new),
                    cosines);
        }
    }

    /** Trains on samples; target (n, 1 + S) is a distribution, silence first. */
    static StepClassifier train(Vectorizer vectorizer, List<Steps> samples, double[][] targets) {
        int width = samples.get(0).vectors[0].length;
        int classes = targets[0].length - 1;
        double[] start = new double[(width + vectorizer.columns().size() + 1) * (classes + 1) + SCALARS];
        StepClassifier trained = new StepClassifier(vectorizer, width, classes, start);
        Random random = new Random(1);
        Arrays.setAll(start, i -> i < trained.biases() ? random.nextGaussian() * 0.02 : START[0]);
        System.arraycopy(START, 1, start, start.length - SCALARS - 1, SCALARS + 1);
        List<Rows> rows = samples.stream().map(trained::rows).toList();
        trained.descend(rows, targets, random);
        return trained;
    }

    /** Returns P(silence), then the probability of each class, (1 + S). */
    double[] probabilities(Steps steps) {
        return new Pass(rows(steps)).probabilities;
    }

    private Rows rows(Steps steps) {
        SparseVector[] features = IntStream.range(0, steps.texts.size())
                .mapToObj(i -> row(steps.vectors[i], vectorizer.transform(steps.texts.get(i))))
                .toArray(SparseVector[]::new);
        double[][] cosines = new double[features.length][features.length];
        for (int i = 0; i < features.length; i++) {
            for (int j = i + 1; j < features.length; j++) {
                cosines[i][j] = cosine(features[i], features[j]);
            }
        }
        return new Rows(features, cosines);
    }

    private static SparseVector row(float[] vector, SparseVector counted) {
        int[] indices = IntStream.concat(
                        IntStream.range(0, vector.length),
                        IntStream.of(counted.indices()).map(column -> vector.length + column))
                .toArray();
        double[] values = new double[indices.length];
        for (int k = 0; k < values.length; k++) {
            values[k] = k < vector.length ? VECTOR_SCALE * vector[k] : TERM_SCALE * counted.values()[k - vector.length];
        }
        return new SparseVector(indices, values);
    }

    private static SparseVector dropped(SparseVector row, Random random) {
        return new SparseVector(
                row.indices(),
                Arrays.stream(row.values())
                        .map(value -> random.nextDouble() < DROPOUT ? 0 : value / (1 - DROPOUT))
                        .toArray());
    }

    private void descend(List<Rows> rows, double[][] targets, Random random) {
        List<Integer> order =
                new ArrayList<>(IntStream.range(0, rows.size()).boxed().toList());
        int batches = (rows.size() + BATCH - 1) / BATCH;
        Adam adam = new Adam(parameters.length, EPOCHS * batches);
        for (int step = 0; step < EPOCHS * batches; step++) {
            int from = step % batches * BATCH;
            if (from == 0) {
                Collections.shuffle(order, random);
            }
            List<Integer> batch = order.subList(from, Math.min(from + BATCH, order.size()));
            double[] gradient = new double[parameters.length];
            for (int i : batch) {
                new Pass(rows.get(i).dropped(random)).backward(targets[i], gradient, 1.0 / batch.size());
            }
            adam.step(gradient, step);
        }
    }

    /** Adam's moments; changes {@link #parameters}. */
    private final class Adam {
        private final double[] mean;
        private final double[] square;
        private final int total;

        private Adam(int length, int total) {
            mean = new double[length];
            square = new double[length];
            this.total = total;
        }

        private void step(double[] gradient, int step) {
            double rate = RATE * Math.min(1, (step + 1.0) / WARM_UP) * (1 - (double) step / total);
            double meanScale = 1 / (1 - Math.pow(0.9, step + 1));
            double squareScale = 1 / (1 - Math.pow(0.99, step + 1));
            for (int i = 0; i < gradient.length; i++) {
                mean[i] = 0.9 * mean[i] + 0.1 * gradient[i];
                square[i] = 0.99 * square[i] + 0.01 * gradient[i] * gradient[i];
                double change = mean[i] * meanScale / (Math.sqrt(square[i] * squareScale) + 1e-6);
                parameters[i] -= rate * (change + (i < biases() ? DECAY * parameters[i] : 0));
            }
        }
    }

    /** Returns the index of b; e follows. */
    private int biases() {
        return scalars() - classes - 1;
    }

    /** Returns the index of k; m and the logit of silence follow. */
    private int scalars() {
        return parameters.length - SCALARS;
    }

    /** Returns a step's score of each class before withdrawals, then {@code u·x + e}; (S + 1). */
    private double[] outputs(SparseVector row) {
        double[] outputs = Arrays.copyOfRange(parameters, biases(), scalars());
        for (int k = 0; k < row.indices().length; k++) {
            double value = row.values()[k];
            int from = row.indices()[k] * outputs.length;
            for (int c = 0; c < outputs.length; c++) {
                outputs[c] += value * parameters[from + c];
            }
        }
        return outputs;
    }

    /** Adds the gradient of W, u, b and e, given that of a step's outputs. */
    private void add(SparseVector row, double[] outputs, double[] gradient) {
        for (int k = 0; k <= row.indices().length; k++) {
            boolean bias = k == row.indices().length;
            double value = bias ? 1 : row.values()[k];
            int from = bias ? biases() : row.indices()[k] * outputs.length;
            for (int c = 0; c < outputs.length; c++) {
                gradient[from + c] += value * outputs[c];
            }
        }
    }

    /** A forward pass over a sample's steps, with the values that its gradient needs. */
    private final class Pass {
        private final Rows rows;
        private final double[] inputs; // u·x_j + e, (T)
        private final double[][] scores; // (S, T)
        private final double[] probabilities; // (1 + S)

        private Pass(Rows rows) {
            this.rows = rows;
            double[][] outputs = Arrays.stream(rows.features)
                    .map(StepClassifier.this::outputs)
                    .toArray(double[][]::new);
            inputs = Arrays.stream(outputs).mapToDouble(row -> row[classes]).toArray();
            scores = new double[classes][inputs.length];
            for (int i = 0; i < inputs.length; i++) {
                double withdrawn = 0;
                for (int j = i + 1; j < inputs.length; j++) {
                    withdrawn += same(i, j) * softplus(inputs[j]);
                }
                for (int c = 0; c < classes; c++) {
                    scores[c][i] = outputs[i][c] - withdrawn;
                }
            }
            double[] logits = new double[1 + classes];
            logits[0] = parameters[scalars() + 2];
            IntStream.range(0, classes).forEach(c -> logits[c + 1] = logSumExp(scores[c]));
            double total = logSumExp(logits);
            probabilities =
                    Arrays.stream(logits).map(logit -> Math.exp(logit - total)).toArray();
        }

        private double same(int i, int j) {
            return sigmoid(parameters[scalars()] * SLOPE * (rows.cosines[i][j] - ALIKE) + parameters[scalars() + 1]);
        }

        /** Adds the gradient of the cross entropy, times a factor. */
        private void backward(double[] target, double[] gradient, double factor) {
            gradient[scalars() + 2] += factor * (probabilities[0] - target[0]);
            double[][] outputs = new double[inputs.length][classes + 1];
            double[] withdrawn = new double[inputs.length];
            for (int c = 0; c < classes; c++) {
                double slope = factor * (probabilities[c + 1] - target[c + 1]);
                double total = logSumExp(scores[c]);
                for (int i = 0; i < inputs.length; i++) {
                    outputs[i][c] = slope * Math.exp(scores[c][i] - total);
                    withdrawn[i] -= outputs[i][c];
                }
            }
            for (int i = 0; i < inputs.length; i++) {
                for (int j = i + 1; j < inputs.length; j++) {
                    double same = same(i, j);
                    outputs[j][classes] += withdrawn[i] * same * sigmoid(inputs[j]);
                    double match = withdrawn[i] * softplus(inputs[j]) * same * (1 - same);
                    gradient[scalars()] += match * SLOPE * (rows.cosines[i][j] - ALIKE);
                    gradient[scalars() + 1] += match;
                }
                add(rows.features[i], outputs[i], gradient);
            }
        }
    }

    private double cosine(SparseVector a, SparseVector b) {
        double[] v = Arrays.copyOf(a.values(), width);
        double[] w = Arrays.copyOf(b.values(), width);
        double norms = MathArrays.safeNorm(v) * MathArrays.safeNorm(w);
        return norms == 0 ? 0 : MathArrays.linearCombination(v, w) / norms;
    }

    private static double logSumExp(double[] x) {
        double most = Arrays.stream(x).max().orElse(0);
        return most
                + Math.log(Arrays.stream(x).map(value -> Math.exp(value - most)).sum());
    }
}
