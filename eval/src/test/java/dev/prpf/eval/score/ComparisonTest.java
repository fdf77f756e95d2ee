package dev.prpf.eval.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.MeanStd;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.eval.judge.Judge;
import dev.prpf.eval.score.SystemScores.ScoredRun;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.Prediction.Route;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    private static final List<FunctionCall> CALL = List.of(new FunctionCall("a", Map.of()));
    private static final FunctionPool POOL =
            new FunctionPool(List.of(new FunctionSpec("a", "does a", List.of(), List.of())));
    private static final Bootstrap BOOTSTRAP = new Bootstrap(500, 1, 95);
    private static final int N = 100;

    /** A hundred samples that want the call; right where the predicate holds, else silent. */
    private static SystemScores system(String name, IntPredicate... right) {
        List<Sample> gold = new ArrayList<>();
        for (int i = 0; i < N; i++) {
            gold.add(new Sample(
                    "s" + i,
                    1,
                    null,
                    null,
                    new DeviceContext("p", "d", "w"),
                    Trajectory.ofTexts(List.of("moment " + i)),
                    List.of(new Recommendation("", CALL))));
        }
        List<ScoredRun> runs = new ArrayList<>();
        for (IntPredicate predicate : right) {
            Map<String, Prediction> predictions = new LinkedHashMap<>();
            for (int i = 0; i < N; i++) {
                List<List<FunctionCall>> calls = predicate.test(i) ? List.of(CALL) : List.of();
                predictions.put("s" + i, new Prediction("s" + i, Route.REASONED, null, Map.of(), null, calls));
            }
            runs.add(new ScoredRun(
                    new RunFiles(Path.of(name + ".jsonl"), null),
                    "sha",
                    new Scorer(null, Judge.standard(), BOOTSTRAP).score(gold, predictions, POOL)));
        }
        return new SystemScores(name, runs);
    }

    private static Comparison.Difference sr(Comparison comparison) {
        return Objects.requireNonNull(comparison.metrics().get("sr"));
    }

    @Test
    void allPairsAreComparedAndTheTestsAreCorrectedOverThem() {
        List<Comparison> pairs = Comparison.of(
                List.of(system("a", i -> i < 50), system("b", i -> i < 56), system("c", i -> i >= 42)), BOOTSTRAP);
        assertThat(pairs)
                .extracting(Comparison::first, Comparison::second)
                .containsExactly(tuple("a", "b"), tuple("a", "c"), tuple("b", "c"));
        Comparison.Difference ab = sr(pairs.get(0));
        assertThat(ab.difference()).isCloseTo(6, within(1e-9));
        assertThat(Objects.requireNonNull(ab.interval()).low()).isBetween(1.0, 3.0);
        Comparison.Test test = Objects.requireNonNull(ab.test());
        assertThat(test.first()).isZero();
        assertThat(test.second()).isEqualTo(6);
        assertThat(test.p()).as("two of 64").isCloseTo(2.0 / 64, within(1e-9));
        // p: a-b 0.031; a-c 42 against 50, b-c 42 against 44: not small; the smallest of three is tripled
        assertThat(test.holm()).isCloseTo(3 * 2.0 / 64, within(1e-9));
        assertThat(Objects.requireNonNull(sr(pairs.get(2)).test()).first()).isEqualTo(42);
        assertThat(Objects.requireNonNull(sr(pairs.get(2)).test()).holm()).isGreaterThan(0.5);
    }

    @Test
    void whatIsNotRightOrWrongHasNoTestAndWhatDoesNotExistIsNull() {
        Comparison pair = Comparison.of(List.of(system("a", i -> i < 50), system("b", i -> i < 56)), BOOTSTRAP)
                .get(0);
        assertThat(pair.metrics().keySet())
                .containsExactly(
                        "type_acc", "sr", "sr_act", "names_act", "ftr", "precision", "recall", "f1", "malformed");
        assertThat(Objects.requireNonNull(pair.metrics().get("f1")).test()).isNull();
        assertThat(pair.metrics().get("ftr")).as("no sample is silent").isNull();
        Comparison.Difference malformed = Objects.requireNonNull(pair.metrics().get("malformed"));
        assertThat(malformed.difference()).isZero();
        assertThat(Objects.requireNonNull(malformed.test()).p()).isEqualTo(1);
    }

    @Test
    void aSystemOverSeedsIsTheMeanOfItsRunsAndHasNoTest() {
        SystemScores seeds = system("seeds", i -> i < 40, i -> i < 50, i -> i < 60);
        RunReport report = RunReport.of(List.of(system("one", i -> i < 50), seeds), List.of("be careful"));
        Comparison.Difference difference = sr(report.comparisons().get(0));
        assertThat(difference.second()).isCloseTo(50, within(1e-9));
        assertThat(difference.difference()).isCloseTo(0, within(1e-9));
        assertThat(Objects.requireNonNull(difference.interval()).low()).isLessThan(0);
        assertThat(difference.test()).isNull();
        MeanStd over = Objects.requireNonNull(
                Objects.requireNonNull(report.systems().get(1).overSeeds()).get(Metric.SR));
        assertThat(over.runs()).isEqualTo(3);
        assertThat(over.mean()).isCloseTo(50, within(1e-9));
        assertThat(over.std()).isCloseTo(10, within(1e-9));
        assertThat(report.systems().get(0).overSeeds()).isNull();
        assertThat(report.notes())
                .contains("be careful")
                .anyMatch(note -> note.startsWith("one: no run.json next to its predictions"))
                .anyMatch(note -> note.startsWith("seeds #3: no run.json"));
    }

    @Test
    void oneSystemHasNothingToCompareWithAndNoneIsRefused() {
        assertThat(Comparison.of(List.of(system("a", i -> true)), BOOTSTRAP)).isEmpty();
        assertThatThrownBy(() -> new SystemScores("x", List.of())).hasMessageContaining("system x has no runs");
    }
}
