package dev.prpf.cli.sweep;

import dev.prpf.base.run.AvailableMemory;
import dev.prpf.base.run.ProcessMemory;
import java.util.Collection;
import java.util.function.LongSupplier;

/**
 * Whether another member fits into memory beside those that run: what the system could give now must hold what each of them may still take.
 * A member is taken to need as much as the largest has so far, at least Java's heap limit ({@code PRPF_HEAP}).
 */
final class MemberMemory {
    private final LongSupplier available;
    private long need;

    /**
     * @param available bytes that processes could take now
     * @param atLeast bytes that a member is taken to need before one was seen
     */
    MemberMemory(LongSupplier available, long atLeast) {
        this.available = available;
        this.need = atLeast;
    }

    /** Of this machine, or of the container that this process is in. */
    static MemberMemory ofMachine() {
        return new MemberMemory(AvailableMemory::bytes, Runtime.getRuntime().maxMemory());
    }

    /** Looks at what the members take; false while another one might not fit. */
    boolean admits(Collection<Process> running) {
        long growth = 0;
        for (Process process : running) {
            Long peak = ProcessMemory.peakBytes(process.pid());
            need = peak == null ? need : Math.max(need, peak);
        }
        for (Process process : running) {
            Long resident = ProcessMemory.residentBytes(process.pid());
            growth += resident == null ? 0 : Math.max(0, need - resident);
        }
        return available.getAsLong() >= growth + need;
    }

    /** Bytes that a member is taken to need. */
    long need() {
        return need;
    }
}
