package dev.prpf.mpp.network;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Prepared steps on two lanes: the calling thread and a second one. The slow and the fast channel know nothing of each other until the
 * cross-attention, so each core gets half the work with single-threaded operations. The first runs measure each step on one lane,
 * then the steps are dealt out once, in order, to the lane that can start them first. Every step writes its own arrays, so the
 * values do not depend on the dealing.
 */
final class LaneSchedule {
    private static final int MEASURED_RUNS = 3;
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
        Map<String, int[]> placeOf = new HashMap<>(); // value -> lane, position
        Map<String, Long> finishOf = new HashMap<>();
        List<List<PlanStep>> dealt = List.of(new ArrayList<>(), new ArrayList<>());
        List<List<Integer>> waits = List.of(new ArrayList<>(), new ArrayList<>());
        long[] free = new long[2];
        for (int i = 0; i < nanos.length; i++) {
            PlanStep step = steps.get(i);
            long ready = step.inputs().stream()
                    .mapToLong(input -> finishOf.getOrDefault(input, 0L))
                    .max()
                    .orElse(0);
            int lane = choose(step, ready, free, placeOf);
            int wait = 0;
            for (String input : step.inputs()) {
                int[] place = placeOf.get(input);
                if (place != null && place[0] != lane) {
                    wait = Math.max(wait, place[1] + 1);
                }
            }
            free[lane] = Math.max(free[lane], ready) + nanos[i];
            int position = dealt.get(lane).size();
            for (String output : step.outputs()) {
                placeOf.put(output, new int[] {lane, position});
                finishOf.put(output, free[lane]);
            }
            dealt.get(lane).add(step);
            waits.get(lane).add(wait);
        }
        return new Lane[] {lane(dealt.get(0), waits.get(0)), lane(dealt.get(1), waits.get(1))};
    }

    /** The lane that can start first; between equals the one whose cache holds the newest input. */
    private static int choose(PlanStep step, long ready, long[] free, Map<String, int[]> placeOf) {
        long first = Math.max(free[0], ready);
        long second = Math.max(free[1], ready);
        if (first != second) {
            return first < second ? 0 : 1;
        }
        for (String input : step.inputs()) {
            int[] place = placeOf.get(input);
            if (place != null) {
                return place[0];
            }
        }
        return 0;
    }

    private static Lane lane(List<PlanStep> steps, List<Integer> waits) {
        return new Lane(
                steps.toArray(PlanStep[]::new),
                waits.stream().mapToInt(Integer::intValue).toArray());
    }
}
