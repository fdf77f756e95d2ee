package dev.prpf.mpp.network.host;

import java.util.List;

/**
 * A piece of a network's work, in parts that may run at the same time.
 *
 * @param parts what is done, always on the same memory
 * @param reads what must be complete before: matrices, or other objects that stand for memory
 * @param writes what it changes
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

    /** Makes the part of a step that does units [from, to), with buffers of its own. */
    interface Work {
        Runnable on(int from, int to);
    }
}
