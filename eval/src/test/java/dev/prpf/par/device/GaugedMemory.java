package dev.prpf.par.device;

import java.util.function.LongSupplier;

/** Memory of a card that a test sets. */
public final class GaugedMemory {
    private GaugedMemory() {}

    /** Measures by a number that the test changes, in place of NVML. */
    public static PeakMemory of(LongSupplier bytes) {
        return new PeakMemory(bytes::getAsLong, "");
    }
}
