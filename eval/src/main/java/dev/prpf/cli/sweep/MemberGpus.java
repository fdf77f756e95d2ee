package dev.prpf.cli.sweep;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.cli.doctor.VisibleGpus;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Assigns a GPU to each running member, since members on one GPU share its memory without limits. */
final class MemberGpus {
    private final List<String> devices;
    private final Map<Integer, Process> members = new HashMap<>();

    /** @param devices names as in {@code CUDA_VISIBLE_DEVICES}; a duplicate takes two members. If empty, members inherit the variable */
    MemberGpus(List<String> devices) {
        this.devices = List.copyOf(devices);
    }

    /**
     * Returns the visible GPUs for n members.
     *
     * @throws PrpfException 2 for fewer GPUs than members
     */
    static MemberGpus of(List<String> visible, int workers) {
        if (workers > 1 && !visible.isEmpty() && workers > visible.size()) {
            throw new UsageException("--workers = " + workers + ", must be at most " + visible.size()
                    + ", a member for each GPU that this build sees (" + String.join(",", visible)
                    + "); for members that use none set " + VisibleGpus.VARIABLE + "= , and for several on one name it"
                    + " several times: " + VisibleGpus.VARIABLE + "=" + visible.get(0) + "," + visible.get(0));
        }
        return new MemberGpus(workers == 1 ? List.of() : visible);
    }

    /** Starts a process that sees one GPU, which no other running member has. */
    Process start(ProcessBuilder builder) throws IOException {
        if (devices.isEmpty()) {
            return builder.start();
        }
        members.values().removeIf(member -> !member.isAlive());
        int place = 0;
        while (members.containsKey(place)) {
            place++;
        }
        builder.environment().put(VisibleGpus.VARIABLE, devices.get(place));
        Process process = builder.start();
        members.put(place, process);
        return process;
    }
}
