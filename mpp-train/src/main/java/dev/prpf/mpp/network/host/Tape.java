package dev.prpf.mpp.network.host;

import java.util.ArrayList;
import java.util.List;

/**
 * The steps of a network under construction. Operations append forward steps and register actions that append backward steps. The actions run
 * in reverse order, so that a gradient is complete before it is used.
 */
final class Tape {
    /** Least number of samples of a part; smaller parts gain little from a second thread. */
    static final int LEAST_SAMPLES = 4;

    private final int batch;
    private final int threads;
    private final boolean training;
    private final List<Step> forward = new ArrayList<>();
    private final List<Step> backward = new ArrayList<>();
    private final List<Runnable> pending = new ArrayList<>();

    /** Makes an empty tape for B samples; values have gradients in training. */
    Tape(int batch, int threads, boolean training) {
        this.batch = batch;
        this.threads = threads;
        this.training = training;
    }

    int batch() {
        return batch;
    }

    boolean training() {
        return training;
    }

    Value value(int rows, int columns) {
        return new Value(Matrix.zeros(rows, columns), training ? Matrix.zeros(rows, columns) : null);
    }

    /**
     * Splits a step on units (samples or columns) into parts of at least {@code least} units. Two threads are busy with the slow and the fast
     * channel's steps; more threads share each step.
     */
    List<Runnable> parts(int units, int least, Step.Work work) {
        int n = Math.max(1, Math.min(threads / 2, units / least));
        List<Runnable> parts = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            parts.add(work.on((int) ((long) units * i / n), (int) ((long) units * (i + 1) / n)));
        }
        return parts;
    }

    void forward(List<Runnable> parts, Value output, List<Value> inputs) {
        forward.add(new Step(parts, inputs.stream().map(Value::matrix).toList(), List.of(output.matrix())));
    }

    /** Registers the action that appends an operation's backward steps. */
    void later(Runnable backwardSteps) {
        if (training) {
            pending.add(backwardSteps);
        }
    }

    void backward(List<Runnable> parts, List<?> reads, List<?> writes) {
        backward.add(new Step(parts, reads, writes));
    }

    /** Appends the backward step that adds the flat sums of a step's parts into a parameter's gradient. */
    void sum(List<float[]> summed, Value parameter) {
        boolean adds = parameter.contribute();
        Matrix gradient = parameter.gradient();
        float[] total = new float[gradient.columns()];
        float[] other = new float[gradient.columns()];
        Runnable work = () -> {
            for (int row = 0; row < gradient.rows(); row++) {
                System.arraycopy(summed.get(0), row * total.length, total, 0, total.length);
                for (int part = 1; part < summed.size(); part++) {
                    System.arraycopy(summed.get(part), row * total.length, other, 0, total.length);
                    RowMath.add(other, total);
                }
                gradient.write(row, total, adds, other);
            }
        };
        backward(List.of(work), List.of(summed), List.of(gradient));
    }

    Schedule forwardSchedule() {
        return new Schedule(forward, threads);
    }

    /** Appends all backward steps; call once, after the last forward step. */
    Schedule backwardSchedule() {
        for (int i = pending.size() - 1; i >= 0; i--) {
            pending.get(i).run();
        }
        return new Schedule(backward, threads);
    }
}
