package dev.prpf.mpp.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LaneDealTest {
    private static PlanStep step(String output, String... inputs) {
        Runnable neverRun = () -> {
            throw new IllegalStateException("dealing must not run " + output);
        };
        return new PlanStep(neverRun, List.of(inputs), List.of(output));
    }

    /** Two channels of equal work, given one after the other, are run side by side. */
    @Test
    void independentChainsGetALaneEach() {
        List<PlanStep> steps = new ArrayList<>();
        for (String chain : List.of("a", "b")) {
            for (int i = 0; i < 5; i++) {
                steps.add(i == 0 ? step(chain + i, "x") : step(chain + i, chain + (i - 1)));
            }
        }
        long[] nanos = new long[10];
        Arrays.fill(nanos, 10);
        LaneDeal deal = new LaneDeal(steps, nanos);
        assertThat(deal.makespan()).isEqualTo(50);
        assertThat(deal.steps(0)).hasSize(5);
    }

    @Test
    void theLongChainIsBegunFirst() {
        List<PlanStep> steps = List.of(step("s1"), step("s2"), step("long1"), step("long2", "long1"));
        assertThat(new LaneDeal(steps, new long[] {10, 10, 10, 10}).makespan()).isEqualTo(20);
    }

    /** Runs the lanes by their waits alone, as slow as they like, and sees every input made before it is read. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void noStepRunsBeforeItsInputs(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<PlanStep> steps = new ArrayList<>();
        long[] nanos = new long[80];
        for (int i = 0; i < nanos.length; i++) {
            Set<String> inputs = new HashSet<>();
            for (int k = random.nextInt(4); k > 0 && i > 0; k--) {
                inputs.add("v" + random.nextInt(i));
            }
            steps.add(step("v" + i, inputs.toArray(String[]::new)));
            nanos[i] = random.nextInt(1, 100);
        }
        LaneDeal deal = new LaneDeal(steps, nanos);
        Set<String> made = new HashSet<>();
        int[] done = new int[2];
        while (made.size() < steps.size()) {
            int lane = random.nextInt(2);
            boolean finished = done[lane] == deal.steps(lane).size();
            if (finished || deal.waits(lane).get(done[lane]) > done[1 - lane]) {
                lane = 1 - lane;
            }
            assertThat(deal.waits(lane).get(done[lane]))
                    .as("one lane can always go on")
                    .isLessThanOrEqualTo(done[1 - lane]);
            PlanStep next = deal.steps(lane).get(done[lane]);
            assertThat(made).containsAll(next.inputs());
            made.addAll(next.outputs());
            done[lane]++;
        }
        assertThat(deal.makespan())
                .isBetween(Arrays.stream(nanos).sum() / 2, Arrays.stream(nanos).sum());
    }
}
