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
 * Adds up the floating-point operations of all runs of a frozen network, for the costs in reports. Counting slows a network
 * down, so each run only records its input size. The operations of a convolution or a Transformer are a polynomial of degree 2
 * in that size. The first {@link #flops} call measures three sizes with {@link OperationCount}, of which only one may be open,
 * and interpolates. Thread-safe.
 */
public final class NetworkMeter {
    private final @Nullable NetworkMeter owner;
    private final IntConsumer probe;
    private final int[] sizes;
    private final Map<Integer, LongAdder> runs = new ConcurrentHashMap<>();
    private @Nullable UnivariateFunction operations;
    private boolean early;

    /**
     * Creates a meter for a network with inputs of various sizes.
     *
     * @param probe loads the network, runs one input of a size and closes the network
     * @param sizes distinct sizes to count, three for a polynomial of degree 2
     */
    public NetworkMeter(IntConsumer probe, int... sizes) {
        owner = null;
        this.probe = probe;
        this.sizes = sizes.clone();
    }

    /** Creates a meter for other runs of the same network. */
    public NetworkMeter(NetworkMeter owner) {
        this.owner = owner;
        probe = owner.probe;
        sizes = owner.sizes;
    }

    /** Creates a meter for a network with inputs of size 1 only. */
    public NetworkMeter(Runnable probe) {
        this(size -> probe.run(), 1);
    }

    /** Counts operations when the network is loaded, so that memory never holds a second copy of it. */
    public synchronized void countEarly() {
        early = true;
    }

    /** Call before the network is loaded. */
    public synchronized void loading() {
        if (early) {
            of(sizes[0]);
        }
    }

    /** Records a run on a number of inputs of one size. */
    public void ran(int size, int inputs) {
        runs.computeIfAbsent(size, other -> new LongAdder()).add(inputs);
    }

    /** Returns the operations of all runs so far, two per multiply-add. */
    public synchronized double flops() {
        if (runs.isEmpty()) {
            return 0;
        }
        return runs.entrySet().stream()
                .mapToDouble(run -> run.getValue().sum() * of(run.getKey()))
                .sum();
    }

    private synchronized double of(int size) {
        if (owner != null) {
            return owner.of(size);
        }
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
