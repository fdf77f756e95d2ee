package dev.prpf.cli.sweep;

import dev.prpf.base.run.AvailableMemory;
import dev.prpf.base.run.ProcessMemory;
import java.util.Collection;
import java.util.function.LongSupplier;

/**
 * Decides whether another member fits into memory: available memory must hold the growth still expected of all members. A member is expected to
 * need as much as the largest so far, at least Java's heap limit ({@code PRPF_HEAP}).
 */
final class MemberMemory {
    private final LongSupplier available;
    private long need;

    /**
     * @param available bytes available to processes now
     * @param atLeast minimum bytes that a member is expected to need
     */
    MemberMemory(LongSupplier available, long atLeast) {
        this.available = available;
        this.need = atLeast;
    }

    /** Reads the memory of this machine or of this process's container. */
    static MemberMemory ofMachine() {
        return new MemberMemory(AvailableMemory::bytes, Runtime.getRuntime().maxMemory());
    }

    /** Measures the running members; returns false while another one might not fit. */
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

    /** Returns the bytes that a member is expected to need. */
    long need() {
        return need;
    }
}
