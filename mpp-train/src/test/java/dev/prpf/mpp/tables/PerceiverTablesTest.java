package dev.prpf.mpp.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.report.Shown;
import dev.prpf.base.statistics.MeanStd;
import dev.prpf.mpp.perceive.LabelledPerceptions;
import dev.prpf.mpp.perceive.LabelledPerceptions.LabelledPerception;
import dev.prpf.mpp.split.SampleSplit.Split;
import dev.prpf.mpp.tables.PerceiverTables.EvaluatedRun;
import dev.prpf.mpp.tables.PerceiverTables.GateMetric;
import dev.prpf.mpp.threshold.ThresholdRule;
import dev.prpf.mpp.threshold.TriggerThreshold;
import dev.prpf.mpp.threshold.TriggerThreshold.Risk;
import dev.prpf.mpp.threshold.TriggerThreshold.RiskControl;
import dev.prpf.mpp.training.MppRun;
import dev.prpf.mpp.training.SeedPlan;
import dev.prpf.mpp.training.SeedPlan.Variant;
import dev.prpf.mpp.training.TrainedRun;
import dev.prpf.mpp.training.TrainedRun.PoolSizes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PerceiverTablesTest {
    private static final PoolSizes POOL = new PoolSizes(pool());

    @TempDir
    Path directory;

    private static Map<String, Integer> pool() {
        Map<String, Integer> pool = new LinkedHashMap<>();
        pool.put("A", 3);
        pool.put("B", 5);
        pool.put("C", 7);
        return pool;
    }

    /** A sample with probabilities of A, B and C. */
    private static LabelledPerception sample(String id, double p, double[] abc, List<Set<String>> answers) {
        Map<String, Double> scenarios = new LinkedHashMap<>();
        scenarios.put("A", abc[0]);
        scenarios.put("B", abc[1]);
        scenarios.put("C", abc[2]);
        return new LabelledPerception(id, Math.log(p / (1 - p)), p, scenarios, answers, true);
    }

    private static List<LabelledPerception> samples() {
        double[] abc = {0.9, 0.5, 0.1};
        return List.of(
                sample("acts", 0.9, abc, List.of(Set.of("A"))),
                sample("two scenarios", 0.8, abc, List.of(Set.of("A", "C"))),
                sample("either", 0.7, abc, List.of(Set.of("C"), Set.of("B"))),
                sample("or silent", 0.3, abc, List.of(Set.of("C"), Set.of())),
                sample("silent", 0.6, abc, List.of(Set.of())),
                sample("silent too", 0.1, abc, List.of(Set.of())));
    }

    @Test
    void anyShortlistCoversSilence() {
        TopKRecall one = TopKRecall.of(1, samples(), POOL);
        assertThat(one.all()).as("acts, or silent and the two silent").isEqualTo(Share.of(4, 6));
        assertThat(one.triggering()).isEqualTo(Share.of(1, 4));
        assertThat(one.meanPool()).isEqualTo(3);
        TopKRecall two = TopKRecall.of(2, samples(), POOL);
        assertThat(two.all()).isEqualTo(Share.of(5, 6));
        assertThat(two.triggering()).isEqualTo(Share.of(2, 4));
        assertThat(two.largestPool()).isEqualTo(8);
        assertThat(TopKRecall.of(3, samples(), POOL).triggering()).isEqualTo(Share.of(4, 4));
    }

    @Test
    void intentAccuracyCountsASampleInEachOfItsScenarios() {
        assertThat(TopKRecall.intentAccuracy(1, samples())).isEqualTo(Share.of(2, 6));
        assertThat(TopKRecall.intentAccuracy(2, samples())).isEqualTo(Share.of(3, 6));
    }

    @Test
    void scenariosThatTrainingLackedStandApart() {
        List<LabelledPerception> all = samples();
        LabelledPerceptions marked = new LabelledPerceptions(
                Split.TEST,
                all.stream()
                        .map(one -> new LabelledPerception(
                                one.id(),
                                one.logit(),
                                one.pTrigger(),
                                one.scenarios(),
                                one.answers(),
                                !one.id().equals("either") && !one.id().equals("silent")))
                        .toList());
        run("apart", Variant.FULL, 42, 0.5);
        new MppRun.Single(directory.resolve("apart")).write(marked);
        SeedPlan.Run one = new SeedPlan.Run(Variant.FULL, 42, "apart");
        MppRun.Single path = new MppRun.Single(directory.resolve("apart"));
        TriggerThreshold half = path.choose(new ThresholdRule.Fixed(0.5));
        EvaluatedRun run = EvaluatedRun.load(one, path, half);
        PerceiverTables.DistributionPart trained = PerceiverTables.DistributionPart.of(true, run, List.of(1, 2, 3));
        assertThat(trained.samples()).isEqualTo(4);
        assertThat(trained.recall()).isEqualTo(Share.of(2, 3));
        assertThat(trained.specificity()).isEqualTo(Share.of(1, 1));
        assertThat(trained.shortlist())
                .extracting(PerceiverTables.DistributionPart.TopK::recall)
                .containsExactly(Share.of(1, 3), Share.of(1, 3), Share.of(3, 3));
        PerceiverTables.DistributionPart other = PerceiverTables.DistributionPart.of(false, run, List.of(2));
        assertThat(other.recall()).isEqualTo(Share.of(1, 1));
        assertThat(other.specificity()).isEqualTo(Share.of(0, 1));
        assertThat(other.shortlist()).containsExactly(new PerceiverTables.DistributionPart.TopK(2, Share.of(1, 1)));
        PerceiverTables tables = PerceiverTables.of(planned(one), List.of(half), List.of(1, 2, 3));
        assertThat(tables.distribution()).hasSize(2);
        assertThat(new PerceiverReport(tables).text())
                .contains("scenarios of training, n = 4")
                .contains("other scenarios, n = 2")
                .contains("top-3, triggering");
        JsonNode json = JsonRecords.tree(tables).get("distribution");
        assertThat(json.get(1).get("in_distribution").booleanValue()).isFalse();
        assertThat(json.get(1)
                        .get("shortlist")
                        .get(0)
                        .get("recall_triggering")
                        .get("n")
                        .intValue())
                .isEqualTo(1);
    }

    private MppRun.Seeds planned(SeedPlan.Run... runs) {
        MppRun.Seeds above = new MppRun.Seeds(directory);
        above.write(new SeedPlan(List.of(runs)));
        return above;
    }

    private EvaluatedRun run(String name, Variant variant, long seed, double tau) {
        MppRun.Single run = new MppRun.Single(directory.resolve(name));
        run.write(new LabelledPerceptions(Split.DEV, samples()));
        run.write(new LabelledPerceptions(Split.TEST, samples()));
        run.write(POOL);
        run.write(run.choose(new ThresholdRule.Fixed(tau)));
        return EvaluatedRun.load(new SeedPlan.Run(variant, seed, name), run, run.threshold());
    }

    @Test
    void aRunsMetricsAreOverItsTestSamplesWithExactIntervals() {
        EvaluatedRun run = run("one", Variant.FULL, 42, 0.5);
        assertThat(run.evaluated().split()).isEqualTo(Split.TEST);
        assertThat(GateMetric.RECALL.of(run).value()).isEqualTo(75);
        assertThat(GateMetric.SPECIFICITY.of(run).value()).isEqualTo(50);
        assertThat(GateMetric.ACCURACY.of(run).value()).isCloseTo(400 / 6.0, within(1e-9));
        assertThat(GateMetric.PRECISION.of(run).value()).isEqualTo(75);
        assertThat(GateMetric.F1.of(run).value()).isEqualTo(75);
        assertThat(GateMetric.INTENT_TOP5.of(run).value()).isEqualTo(100);
        Share recall = GateMetric.RECALL.of(run);
        assertThat(recall.n()).isEqualTo(4);
        assertThat(Objects.requireNonNull(recall.interval()).low()).isCloseTo(19.41, within(0.01));
        assertThat(recall.interval().high()).isCloseTo(99.37, within(0.01));
        assertThat(Objects.requireNonNull(GateMetric.F1.of(run).interval()).low())
                .isLessThan(75);
    }

    @Test
    void overSeedsTheMeanAndTheSampleDeviationAreTaken() {
        MeanStd over = MeanStd.of(Arrays.asList(80.0, 90.0, null, 85.0));
        assertThat(over.runs()).isEqualTo(3);
        assertThat(over.mean()).isEqualTo(85);
        assertThat(over.std()).isEqualTo(5);
        assertThat(Objects.requireNonNull(over.interval()).low())
                .isCloseTo(85 - 4.302653 * 5 / Math.sqrt(3), within(1e-4));
        assertThat(Shown.meanStd(over, 3)).isEqualTo("85.00 ± 5.00");
        assertThat(Shown.meanStd(over, 4)).as("a run without the metric").isEqualTo("85.00 ± 5.00 (3 of 4 runs)");
        assertThat(Shown.meanStd(MeanStd.of(List.of(3.0)), 1)).isEqualTo("3.00");
        assertThat(MeanStd.of(List.of()).mean()).isNull();
    }

    @Test
    void onePageHoldsEveryTableAndPlot() throws IOException {
        List<SeedPlan.Run> planned = new ArrayList<>();
        for (Variant variant : Variant.values()) {
            for (long seed = 1; seed <= 2; seed++) {
                String path = variant.name() + seed;
                run(path, variant, seed, seed == 1 ? 0.5 : 0.2);
                planned.add(new SeedPlan.Run(variant, seed, path));
            }
        }
        MppRun.Seeds above = planned(planned.toArray(SeedPlan.Run[]::new));
        PerceiverTables tables = PerceiverTables.of(
                above, above.runs().stream().map(TrainedRun::threshold).toList(), List.of(1, 2, 3));
        new PerceiverReport(tables).write(directory);
        assertThat(Files.readString(directory.resolve("report.html")))
                .contains(
                        "PRPF Table 6",
                        "PRPF Table 7",
                        "PRPF Table 8",
                        "w/o slow",
                        "w/o fast",
                        "ROC of the trigger head",
                        "Precision over recall",
                        "Reliability of p_trigger",
                        "over the test split",
                        "Risk is not controlled",
                        "0.35 ± 0.21")
                .doesNotContain("NaN");
        for (String plot : List.of("roc", "pr", "threshold", "reliability", "shortlist")) {
            assertThat(directory.resolve(plot + ".svg"))
                    .content()
                    .startsWith("<svg")
                    .contains("polyline");
        }
        JsonNode json =
                new ObjectMapper().readTree(directory.resolve("tables.json").toFile());
        assertThat(json.at("/confusion/tp").intValue()).isEqualTo(3);
        assertThat(json.at("/confusion/fn").intValue()).isEqualTo(1);
        assertThat(json.get("variants")).hasSize(3);
        assertThat(json.at("/variants/0/figures/recall/mean").doubleValue()).isEqualTo(87.5);
        assertThat(json.at("/variants/2/name").textValue()).isEqualTo("w/o fast");
        assertThat(json.at("/shortlist/1/recall_triggering/value").doubleValue())
                .isEqualTo(50);
        assertThat(json.at("/shortlist/1/pool_mean").doubleValue()).isEqualTo(8);
        assertThat(new PerceiverReport(tables).text()).contains("predicted silent", "mean pool");
    }

    @Test
    void aThresholdIsShownAsCsvChartAndSentence() {
        TriggerThreshold half = run("one", Variant.FULL, 42, 0.5).threshold();
        ThresholdReport.write(directory, half);
        assertThat(directory.resolve("threshold.csv")).content().startsWith("tau,recall,specificity\n0.05,");
        assertThat(directory.resolve("threshold.svg")).content().startsWith("<svg");
        assertThat(ThresholdReport.sentence(half))
                .isEqualTo("tau 0.50 (tau = 0.5; on dev recall 75.00, specificity 50.00), no risk control");
        RiskControl control = new RiskControl(Risk.FTR, 5, 90, 4.8, 200, 3, 91, "abc");
        TriggerThreshold bounded = new TriggerThreshold(0.31, 100, 99, "ftr <= 5", half.curve(), control, null);
        assertThat(ThresholdReport.sentence(bounded))
                .contains("tau 0.31", "ftr <= 5 % with confidence 90 %: 3 errors in 200 silent", "over 91 thresholds");
    }

    @Test
    void aShortlistBeyondTheCatalogueIsRefused() {
        TriggerThreshold half = run("one", Variant.FULL, 42, 0.5).threshold();
        MppRun.Seeds above = planned(new SeedPlan.Run(Variant.FULL, 42, "one"));
        assertThatThrownBy(() -> PerceiverTables.of(above, List.of(half), List.of(1, 2, 3, 4)))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.USAGE))
                .hasMessageContaining("--shortlist = 4, the catalogue has 3 scenarios");
        assertThat(PerceiverTables.paperLengths(3)).containsExactly(1, 2, 3);
        assertThat(PerceiverTables.paperLengths(14)).hasSize(10);
    }

    @Test
    void runWithLostTestSamplesIsNotEvaluatedOnDev() throws IOException {
        MppRun.Single run = new MppRun.Single(directory.resolve("one"));
        TriggerThreshold half = run("one", Variant.FULL, 42, 0.5).threshold();
        SeedPlan.Run one = new SeedPlan.Run(Variant.FULL, 42, "one");
        Files.delete(run.perceptionsFile(Split.TEST));
        Files.writeString(run.path().resolve("run.json"), "{\"state\":\"done\",\"result\":{\"dev\":6,\"test\":0}}");
        assertThat(EvaluatedRun.load(one, run, half).evaluated().split())
                .as("trained without --test")
                .isEqualTo(Split.DEV);
        Files.writeString(run.path().resolve("run.json"), "{\"state\":\"done\",\"result\":{\"dev\":6,\"test\":6}}");
        assertThatThrownBy(() -> EvaluatedRun.load(one, run, half))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("test.jsonl: is missing, and run.json counts 6 test samples");
    }

    @Test
    void testSamplesOfOneClassAreBadData() {
        MppRun.Single run = new MppRun.Single(directory.resolve("one"));
        TriggerThreshold half = run("one", Variant.FULL, 42, 0.5).threshold();
        run.write(new LabelledPerceptions(Split.TEST, samples().subList(0, 3)));
        assertThatThrownBy(() -> EvaluatedRun.load(new SeedPlan.Run(Variant.FULL, 42, "one"), run, half))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("test.jsonl: holds 3 samples that want an intervention and 0 silent");
    }
}
