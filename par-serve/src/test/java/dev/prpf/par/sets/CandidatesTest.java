package dev.prpf.par.sets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScenarioCatalog.Scenario;
import dev.prpf.mpp.Perception;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.sets.SamplePrompts.CandidateSettings.OutOfPool;
import dev.prpf.par.sets.SamplePrompts.PerceivedSample;
import dev.prpf.par.sets.SftSet.DataSftConfig.SftSetSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Scenarios S0 to S9 with one function each, f0 to f9. */
class CandidatesTest {
    private static final int SCENARIOS = 10;
    private static final int TOP = 5;
    private static final ScenarioCatalog CATALOG;
    private static final FunctionPool POOL;

    static {
        List<Scenario> scenarios = new ArrayList<>();
        Map<String, String> scenarioOf = new LinkedHashMap<>();
        List<FunctionSpec> functions = new ArrayList<>();
        for (int i = 0; i < SCENARIOS; i++) {
            scenarios.add(new Scenario("S" + i, "景" + i));
            scenarioOf.put("f" + i, "S" + i);
            functions.add(new FunctionSpec("f" + i, "", List.of(), List.of()));
        }
        CATALOG = new ScenarioCatalog(scenarios, scenarioOf);
        POOL = new FunctionPool(functions);
    }

    private static Perception perception(double... probabilities) {
        Map<String, Double> scenarios = new LinkedHashMap<>();
        IntStream.range(0, SCENARIOS)
                .forEach(i -> scenarios.put("S" + i, i < probabilities.length ? probabilities[i] : 0));
        return new Perception(0.9, scenarios);
    }

    private static Recommendation answer(int... functions) {
        return new Recommendation(
                "做",
                Arrays.stream(functions)
                        .mapToObj(i -> new FunctionCall("f" + i, Map.of()))
                        .toList());
    }

    private static SamplePrompts.Candidates.Shown shown(String id, Perception perception, Recommendation target) {
        Sample sample = new Sample(id, 1, null, null, Prompts.CONTEXT, Prompts.TEXT.trajectory(), List.of(target));
        SamplePrompts.Candidates candidates = new SamplePrompts.Candidates(
                POOL, CATALOG, new SftSetSettings(SftSetSettings.Target.FIRST, null, TOP, OutOfPool.ADD, 7));
        return Objects.requireNonNull(candidates.of(new PerceivedSample(sample, perception), target));
    }

    /** Returns the probabilities in the prompt. */
    private static List<Double> probabilities(SamplePrompts.Candidates.Shown shown) {
        Map<String, Double> asShown = Objects.requireNonNull(shown.perception()).scenarios();
        return shown.pool().scenarios().stream().map(asShown::get).toList();
    }

    @Test
    void topScenariosAreShownAsInServing() {
        Perception perception = perception(0.1, 0.9, 0.05, 0.3, 0.2, 0.01);
        SamplePrompts.Candidates.Shown shown = shown("a", perception, answer(3));
        assertThat(shown.perception()).isSameAs(perception);
        assertThat(shown.pool().scenarios()).containsExactly("S1", "S3", "S4", "S0", "S2");
    }

    @Test
    void withoutKThePoolIsWhole() {
        ScenarioCatalog none = new ScenarioCatalog(CATALOG.scenarios(), Map.of());
        SamplePrompts.Candidates candidates = new SamplePrompts.Candidates(
                POOL, none, new SftSetSettings(SftSetSettings.Target.FIRST, null, null, OutOfPool.DROP, 7));
        Sample sample = new Sample("a", 1, null, null, Prompts.CONTEXT, Prompts.TEXT.trajectory(), List.of(answer(3)));
        SamplePrompts.Candidates.Shown shown =
                Objects.requireNonNull(candidates.of(new PerceivedSample(sample, null), answer(3)));
        assertThat(shown.pool().functions()).isEqualTo(List.copyOf(POOL.functions()));
        assertThat(shown.pool().scenarios()).isEmpty();
        assertThatThrownBy(() -> candidates.of(
                        new PerceivedSample(sample, null),
                        new Recommendation("x", List.of(new FunctionCall("fly", Map.of())))))
                .hasMessageContaining("sample a: its answer calls fly, which the pool does not have");
    }

    /** So neither a probability out of line nor a last place tells which one was added. */
    @Test
    void shownProbabilitiesAreAlwaysThoseOfTheTop() {
        Random random = new Random(3);
        for (int i = 0; i < 300; i++) {
            Perception perception =
                    perception(random.doubles(SCENARIOS).map(p -> p * p).toArray());
            List<Double> served = perception.top(TOP).stream()
                    .map(perception.scenarios()::get)
                    .toList();
            Recommendation target = i % 3 == 0 ? answer(i % 10, (i + 4) % 10) : answer(i % 10);
            SamplePrompts.Candidates.Shown shown = shown("s" + i, perception, target);
            assertThat(probabilities(shown)).isEqualTo(served).isSortedAccordingTo((a, b) -> Double.compare(b, a));
            assertThat(shown.pool().scenarios())
                    .doesNotHaveDuplicates()
                    .containsAll(target.names().stream()
                            .map(name -> "S" + name.charAt(1))
                            .toList());
            assertThat(shown.pool().functions()).hasSize(TOP);
        }
    }

    /** The added scenario has a shown probability of p with probability p (over their sum), like a perceived one. */
    @Test
    void ranksOfAddedScenariosFollowTheProbabilities() {
        double[] top = {0.5, 0.25, 0.15, 0.08, 0.02, 0.01};
        int[] ranks = new int[TOP];
        int draws = 20_000;
        for (int i = 0; i < draws; i++) {
            ranks[shown("s" + i, perception(top), answer(9)).pool().scenarios().indexOf("S9")]++;
        }
        for (int rank = 0; rank < TOP; rank++) {
            assertThat((double) ranks[rank] / draws)
                    .as("rank %d of %s", rank, Arrays.toString(ranks))
                    .isCloseTo(top[rank], within(0.015));
        }
    }

    @Test
    void leastProbableScenarioIsRemoved() {
        SamplePrompts.Candidates.Shown shown = shown("a", perception(0.5, 0.25, 0.15, 0.08, 0.02, 0.01), answer(9));
        assertThat(shown.pool().scenarios()).hasSize(TOP).contains("S9").containsSubsequence("S0", "S1", "S2", "S3");
        assertThat(shown.pool().functions())
                .extracting(FunctionSpec::name)
                .containsExactly("f0", "f1", "f2", "f3", "f9");
    }

    @Test
    void candidatesOfASampleAreDeterministic() {
        Perception perception = perception(0.5, 0.25, 0.15, 0.08, 0.02, 0.01);
        assertThat(shown("a", perception, answer(9))).isEqualTo(shown("a", perception, answer(9)));
    }

    @Test
    void moreTargetScenariosThanKAreAllShown() {
        Perception perception = perception(0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3);
        SamplePrompts.Candidates.Shown shown = shown("a", perception, answer(4, 5, 6, 7, 8, 9));
        assertThat(shown.pool().scenarios()).containsExactlyInAnyOrder("S4", "S5", "S6", "S7", "S8", "S9");
        assertThat(probabilities(shown)).containsExactly(0.9, 0.8, 0.7, 0.6, 0.5, 0.4);
    }
}
