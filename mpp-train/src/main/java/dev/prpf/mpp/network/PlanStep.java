package dev.prpf.mpp.network;

import java.util.List;

/**
 * One prepared piece of a plan's work.
 *
 * @param work what it does, always with the same arrays
 * @param inputs names of the values it reads
 * @param outputs names of the values it writes
 */
record PlanStep(Runnable work, List<String> inputs, List<String> outputs) {
    void run() {
        work.run();
    }
}
