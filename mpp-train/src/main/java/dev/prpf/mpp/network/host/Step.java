package dev.prpf.mpp.network.host;

import java.util.List;

/**
 * A step of a network, in parts that may run in parallel.
 *
 * @param parts tasks, always on the same memory
 * @param reads memory that the step reads: matrices, or other objects as keys
 * @param writes memory that the step changes
 */
record Step(List<Runnable> parts, List<?> reads, List<?> writes) {
    Step {
        reads = memory(reads);
        writes = memory(writes);
    }

    private static List<?> memory(List<?> objects) {
        return objects.stream()
                .map(object -> object instanceof Matrix matrix ? matrix.memory() : object)
                .toList();
    }

    /** Makes the part of a step for units [from, to), with buffers of its own. */
    interface Work {
        Runnable on(int from, int to);
    }
}
