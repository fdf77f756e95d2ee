package dev.prpf.cli.sweep;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import dev.prpf.cli.doctor.VisibleGpus;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A GPU for each member that runs, since members that share one share its memory without a bound. */
final class MemberGpus {
    private final List<String> devices;
    private final Map<Integer, Process> members = new HashMap<>();

    /** @param devices as {@code CUDA_VISIBLE_DEVICES} names them, one that stands twice for two members; none: members are told nothing */
    MemberGpus(List<String> devices) {
        this.devices = List.copyOf(devices);
    }

    /**
     * Those of this build that so many members run on.
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

    /** Starts a process that sees one GPU, which no other member that is running was given. */
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
