package dev.prpf.data.onnx;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.apache.commons.math3.analysis.UnivariateFunction;
import org.apache.commons.math3.analysis.polynomials.PolynomialFunctionLagrangeForm;
import org.jspecify.annotations.Nullable;

/**
 * What a frozen network did since it was opened, in floating-point operations as {@link OperationCount} counts them. Counting slows a network
 * down, so runs are only remembered by the size of their input. The operations of a convolution or a Transformer are a polynomial of at most
 * degree 2 in that size; it goes through three sizes that are counted once, when the operations are first asked for. Safe for several threads;
 * that first question must not be put while another count is open.
 */
public final class NetworkMeter {
    private final IntConsumer probe;
    private final int[] sizes;
    private final Map<Integer, LongAdder> runs = new ConcurrentHashMap<>();
    private @Nullable UnivariateFunction operations;
    private boolean early;

    /**
     * A network whose inputs differ in size.
     *
     * @param probe loads the network, runs it on one input of a size and closes it
     * @param sizes different ones to count at, three for a polynomial of degree 2
     */
    public NetworkMeter(IntConsumer probe, int... sizes) {
        this.probe = probe;
        this.sizes = sizes.clone();
    }

    /** A network whose inputs all have size 1. */
    public NetworkMeter(Runnable probe) {
        this(size -> probe.run(), 1);
    }

    /** Operations will be asked for: they are counted when the network is loaded, so that no second copy of it is ever in memory. */
    public synchronized void countEarly() {
        early = true;
    }

    /** The network is about to be loaded. */
    public synchronized void loading() {
        if (early) {
            of(sizes[0]);
        }
    }

    /** The network ran on a number of inputs of one size. */
    public void ran(int size, int inputs) {
        runs.computeIfAbsent(size, other -> new LongAdder()).add(inputs);
    }

    /** Operations of all runs so far: two a multiply-add. */
    public synchronized double flops() {
        if (runs.isEmpty()) {
            return 0;
        }
        return runs.entrySet().stream()
                .mapToDouble(run -> run.getValue().sum() * of(run.getKey()))
                .sum();
    }

    private double of(int size) {
        if (operations == null) {
            double[] counted = IntStream.of(sizes).mapToDouble(this::counted).toArray();
            operations = counted.length == 1
                    ? other -> counted[0]
                    : new PolynomialFunctionLagrangeForm(
                            IntStream.of(sizes).asDoubleStream().toArray(), counted);
        }
        return operations.value(size);
    }

    private double counted(int size) {
        try (OperationCount count = OperationCount.open()) {
            probe.accept(size);
            return count.flops();
        }
    }
}
