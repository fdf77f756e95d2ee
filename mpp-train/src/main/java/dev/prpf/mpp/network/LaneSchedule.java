package dev.prpf.mpp.network;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Prepared steps on two lanes: the calling thread and a second one. The slow and the fast channel know nothing of each other until the
 * cross-attention, so each core gets half the work with single-threaded operations. The first runs measure each step on one lane,
 * then {@link LaneDeal} deals the steps out once. Every step writes its own arrays, so the values do not depend on the dealing.
 */
final class LaneSchedule {
    private static final int MEASURED_RUNS = 10;
    private static final long WORTH_A_LANE_NANOS = 300_000;

    private final List<PlanStep> steps;
    private final long[] nanos;
    private int runs;
    private Lane[] lanes = new Lane[0];

    /**
     * @param steps its steps, by index
     * @param waitsFor for each, how many steps of the other lane must be done before
     */
    private record Lane(PlanStep[] steps, int[] waitsFor) {}

    LaneSchedule(List<PlanStep> steps) {
        this.steps = List.copyOf(steps);
        this.nanos = new long[steps.size()];
        Arrays.fill(nanos, Long.MAX_VALUE);
    }

    List<PlanStep> steps() {
        return steps;
    }

    /** Fastest measured time of each step, nanoseconds. */
    long[] nanos() {
        return nanos.clone();
    }

    void run() {
        if (runs < MEASURED_RUNS) {
            measure();
            runs++;
            if (runs == MEASURED_RUNS && onCpu() && SecondLane.available() && total() > WORTH_A_LANE_NANOS) {
                lanes = deal();
            }
        } else if (lanes.length == 0) {
            steps.forEach(PlanStep::run);
        } else {
            runOnLanes();
        }
    }

    /** Two threads would be two devices' contexts elsewhere. */
    private static boolean onCpu() {
        return Nd4j.getEnvironment().isCPU();
    }

    private void measure() {
        for (int i = 0; i < nanos.length; i++) {
            long start = System.nanoTime();
            steps.get(i).run();
            nanos[i] = Math.min(nanos[i], System.nanoTime() - start);
        }
    }

    private long total() {
        return Arrays.stream(nanos).sum();
    }

    private void runOnLanes() {
        AtomicIntegerArray done = new AtomicIntegerArray(2 * SecondLane.CACHE_LINE_INTS);
        SecondLane.Ticket ticket = SecondLane.start(() -> runLane(1, done));
        try {
            runLane(0, done);
        } finally {
            ticket.join();
        }
    }

    private void runLane(int index, AtomicIntegerArray done) {
        Lane lane = lanes[index];
        int mine = index * SecondLane.CACHE_LINE_INTS;
        int other = (1 - index) * SecondLane.CACHE_LINE_INTS;
        try {
            for (int i = 0; i < lane.steps.length; i++) {
                SecondLane.spinUntil(done, other, lane.waitsFor[i]);
                lane.steps[i].run();
                done.set(mine, i + 1);
            }
        } catch (RuntimeException | Error e) {
            done.set(mine, Integer.MAX_VALUE);
            throw e;
        }
    }

    private Lane[] deal() {
        LaneDeal deal = new LaneDeal(steps, nanos);
        return new Lane[] {lane(deal, 0), lane(deal, 1)};
    }

    private static Lane lane(LaneDeal deal, int index) {
        return new Lane(
                deal.steps(index).toArray(PlanStep[]::new),
                deal.waits(index).stream().mapToInt(Integer::intValue).toArray());
    }
}
