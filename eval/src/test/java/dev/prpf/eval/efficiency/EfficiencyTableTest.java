package dev.prpf.eval.efficiency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.eval.efficiency.EfficiencyTable.CostedRun;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PredictionCost;
import dev.prpf.par.cascade.PredictionCost.Parts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ten samples; the gate lets through those with the four longest prompts. */
class EfficiencyTableTest {
    private static final Offset<Double> EXACTLY = within(1e-9);
    private static final int N = 10;
    private static final int ROUTED_FROM = 6;
    private static final Parts PERCEIVED = Parts.of(100, 40, 10, 0, 0);
    private static final DecoderFacts DECODER = new DecoderFacts(1_000, 2, 16, 4, 8, "cpu");

    @TempDir
    private Path directory;

    /** 100, 200, …, 1000 operations for the samples in order. */
    private static double reasoning(int i) {
        return 100.0 * (i + 1);
    }

    private static Prediction prediction(int i, boolean gated, boolean perceived, double factor) {
        boolean routed = !gated || i >= ROUTED_FROM;
        Parts before = perceived ? PERCEIVED : Parts.of(0, 0, 0, 0, 0);
        double flops = routed ? reasoning(i) * factor : 0;
        Parts parts = before.plus(Parts.of(0, 0, 0, flops * 0.75, flops * 0.25));
        PredictionCost cost = routed
                ? new PredictionCost(i + 1, i, 0, 2, 3, parts, parts)
                : new PredictionCost(0, 0, 0, 0, 0, parts, parts);
        return new Prediction(
                "s" + i,
                routed ? Prediction.Route.REASONED : Prediction.Route.SILENT,
                0.5,
                Map.of(),
                null,
                List.of(),
                null,
                cost);
    }

    private CostedRun run(String name, boolean gated, boolean perceived, double factor) {
        List<Prediction> predictions = new ArrayList<>();
        for (int i = 0; i < N; i++) {
            predictions.add(prediction(i, gated, perceived, factor));
        }
        return run(name, predictions, RunResources.NONE, DECODER);
    }

    private CostedRun run(
            String name, List<Prediction> predictions, RunResources resources, @Nullable DecoderFacts decoder) {
        return run(
                name,
                predictions,
                resources,
                decoder,
                new RunDescription("eval run", List.of(), "a: 1\n", Map.of("data_sha256", "d")));
    }

    private CostedRun run(
            String name,
            List<Prediction> predictions,
            RunResources resources,
            @Nullable DecoderFacts decoder,
            RunDescription description) {
        Path file = directory.resolve(name).resolve("predictions.jsonl");
        try (RunDirectory run = RunDirectory.open(directory.resolve(name), Resume.NEVER, description)) {
            Prediction.write(file, predictions);
            run.finish(new Result(
                    resources.peakMemoryMb(),
                    resources.perceiverMemoryMb(),
                    resources.reasonerMemoryMb(),
                    resources.perceiverDeviceMb(),
                    resources.reasonerDeviceMb(),
                    resources.runSeconds(),
                    resources.encodingsReused(),
                    decoder));
        }
        return CostedRun.read(name, file);
    }

    /** The result of a run in run.json. */
    private record Result(
            @Nullable Double peakMemoryMb,
            @Nullable Double perceiverMemoryMb,
            @Nullable Double reasonerMemoryMb,
            @JsonProperty("perceiver_device_reserved_mb") @Nullable Double perceiverDeviceMb,
            @JsonProperty("reasoner_device_reserved_mb") @Nullable Double reasonerDeviceMb,
            double runSeconds,
            long encodingsReused,
            @Nullable DecoderFacts decoder) {}

    private static double flops(EfficiencyTable table, int row) {
        return Objects.requireNonNull(table.rows().get(row).flopsMean());
    }

    @Test
    void table10() {
        EfficiencyTable table = EfficiencyTable.of(
                List.of(
                        run("single stage", false, false, 1),
                        run("w/o compression", true, true, 1),
                        run("w/o recommend", false, true, 0.3),
                        run("full", true, true, 0.3)),
                null);
        double all = 5_500; // 100 + 200 + … + 1000
        double routed = 700 + 800 + 900 + 1_000;
        assertThat(flops(table, 0)).isEqualTo(all / N, EXACTLY);
        assertThat(flops(table, 1)).isEqualTo(150 + routed / N, EXACTLY);
        assertThat(flops(table, 2)).isEqualTo(150 + 0.3 * all / N, EXACTLY);
        assertThat(flops(table, 3)).isEqualTo(150 + 0.3 * routed / N, EXACTLY);
        assertThat(table.rows().get(0).flopsVsFirst()).isEqualTo(1.0);
        assertThat(Objects.requireNonNull(table.rows().get(3).flopsVsFirst())).isEqualTo(252.0 / 550, EXACTLY);
        assertThat(Objects.requireNonNull(table.rows().get(3).latencyVsFirst())).isEqualTo(252.0 / 550, EXACTLY);
        assertThat(table.rows()).extracting(EfficiencyTable.Row::routed).containsExactly(10, 4, 10, 4);
        assertThat(table.rows()).extracting(EfficiencyTable.Row::n).containsOnly(10);
    }

    /** The four routed prompts are the longest: r times the mean over all samples would be too little by a third. */
    @Test
    void routedSamplesCountWithTheirOwnCostNotWithRTimesAMean() {
        CostedRun full = run("full", true, true, 1);
        EfficiencyTable table = EfficiencyTable.of(List.of(full), null);
        double r = table.rows().get(0).routedShare();
        assertThat(r).isEqualTo(0.4);
        double meanOverAll = 550;
        assertThat(flops(table, 0) - 150).isEqualTo(340, EXACTLY).isGreaterThan(1.5 * r * meanOverAll);
        assertThat(table.rows().get(0).promptTokens()).as("of 7, 8, 9 and 10").isEqualTo(8.5);
        assertThat(table.rows().get(0).visualTokens()).as("of 6, 7, 8 and 9").isEqualTo(7.5);
        assertThat(table.rows().get(0).newTokens()).isEqualTo(2.0);
    }

    /** Checks the estimate by hand (PRPF eq. 31): N_p = 1000, L = 2, d = 16, prompts of 7 to 10 tokens, responses of 2. */
    @Test
    void eq31() {
        assertThat(DECODER.eq31(7, 2)).isEqualTo(2 * 1_000 * 9 + 4 * 2 * 16 * 7 * 9, EXACTLY);
        double sum = DECODER.eq31(7, 2) + DECODER.eq31(8, 2) + DECODER.eq31(9, 2) + DECODER.eq31(10, 2);
        EfficiencyTable table = EfficiencyTable.of(List.of(run("full", true, true, 1)), null);
        assertThat(Objects.requireNonNull(table.rows().get(0).flopsEq31Mean())).isEqualTo(150 + sum / N, EXACTLY);
    }

    @Test
    void aPromptThatWasTooLongToBeReadIsNoWork() {
        CostSums sums = new CostSums(DECODER);
        sums.add(Prediction.Route.REASONED, new PredictionCost(9_000, 0, 0, 0, 0, PERCEIVED, PERCEIVED));
        assertThat(sums.eq31()).isEqualTo(150);
    }

    /** Checks the numbers in PRPF eq. 32. */
    @Test
    void eq32() {
        CostSums sums = new CostSums(null);
        for (int i = 0; i < 3_660; i++) {
            sums.add(i < 2_340 ? Prediction.Route.REASONED : Prediction.Route.SILENT, PredictionCost.NOTHING);
        }
        assertThat(sums.routed() / 3_660.0).isEqualTo(0.639, within(5e-4));
    }

    @Test
    void memory_isThePapersAssumptionAndTheBound() {
        RunResources resources = new RunResources(900.0, 250.0, 700.0, 1500.0, 2500.0, null, 3, 12);
        EfficiencyTable table = EfficiencyTable.of(
                List.of(run("full", List.of(prediction(1, false, true, 1)), resources, DECODER)), null);
        EfficiencyTable.Row row = table.rows().get(0);
        assertThat(row.peakMemoryMb()).isEqualTo(900.0);
        assertThat(row.memory())
                .isEqualTo(new EfficiencyTable.Memory(250.0, 700.0, 700.0, 950.0, 1500.0, 2500.0, 2500.0));
        assertThat(table.assumptions())
                .anyMatch(line -> line.contains("full: 12 encodings came from a store"))
                .anyMatch(line -> line.contains("No reasoner ran on a CUDA device"));
    }

    /** Makes a prediction from a server's answer; seconds are null if an earlier process received it. */
    private static Prediction answered(String id, @Nullable Double seconds) {
        return new Prediction(
                id,
                Prediction.Route.REASONED,
                null,
                Map.of(),
                "",
                List.of(),
                null,
                new PredictionCost(
                        50,
                        null,
                        null,
                        5,
                        null,
                        new Parts(0.0, 0.0, 0.0, null, null, null),
                        new Parts(0.0, 0.0, 0.0, null, null, seconds)));
    }

    /** Two silent samples of 150 s each; two answers that were measured, 2 and 4 s; one that was not. */
    @Test
    void answersThatAnEarlierProcessHadAreLeftOutOfTheMeanLatencyOfTheirRoute() {
        List<Prediction> predictions = List.of(
                prediction(0, true, true, 1),
                prediction(1, true, true, 1),
                answered("a", 2.0),
                answered("b", null),
                answered("c", 4.0));
        EfficiencyTable table = EfficiencyTable.of(List.of(run("remote", predictions, RunResources.NONE, null)), null);
        assertThat(Objects.requireNonNull(table.rows().get(0).latencyMeanS()))
                .isEqualTo((2 * 150 + 3 * 3.0) / 5, EXACTLY);
        assertThat(table.assumptions())
                .anyMatch(line -> line.startsWith("remote: the seconds of 1 of 5 samples were not measured"));
        EfficiencyTable none =
                EfficiencyTable.of(List.of(run("none", List.of(answered("a", null)), RunResources.NONE, null)), null);
        assertThat(none.rows().get(0).latencyMeanS()).isNull();
        assertThat(none.assumptions())
                .anyMatch(line -> line.startsWith("none: operations and seconds of some predictions are not known"))
                .noneMatch(line -> line.contains("not measured ("));
    }

    @Test
    void whatIsNotKnownOfOneSampleHasNoMean() {
        List<Prediction> predictions = List.of(prediction(1, false, false, 1), answered("remote", 2.0));
        CostedRun remote = run("remote", predictions, RunResources.NONE, null);
        EfficiencyTable.Row row =
                EfficiencyTable.of(List.of(remote), null).rows().get(0);
        assertThat(row.flopsMean()).isNull();
        assertThat(row.flopsVsFirst()).isNull();
        assertThat(row.flopsEq31Mean()).isNull();
        assertThat(row.visualTokens()).as("of a server").isNull();
        assertThat(row.latencyMeanS()).isEqualTo((200 + 2.0) / 2);
        assertThat(row.latencyVsFirst()).isEqualTo(1.0);
        assertThat(EfficiencyTable.of(List.of(remote), null).assumptions())
                .anyMatch(line -> line.startsWith("remote: operations of some predictions are not known"));
    }

    private EfficiencyTable ofFormat(int weightBytes, double fp32, double bf16) {
        DecoderFacts decoder = new DecoderFacts(1_000, 2, 16, weightBytes, 8, "cpu");
        String name = weightBytes + " bytes, " + bf16;
        CostedRun run = run(name, List.of(prediction(7, false, false, 1)), RunResources.NONE, decoder);
        return EfficiencyTable.of(List.of(run), new MachineFigures(100, fp32, bf16));
    }

    private static MachineFigures.Share share(EfficiencyTable table) {
        return Objects.requireNonNull(table.rows().get(0).roofline());
    }

    /** Batch 8 at 4, 2 and 1 bytes a weight. Memory feeds 400, 800 and 1600 operations a second; the products' peaks are 1000 and 3000. */
    @Test
    void sharesOfTheRooflineAreOfThePeakOfTheWeightsFormat() {
        assertThat(share(ofFormat(4, 1_000, 3_000)))
                .isEqualTo(new MachineFigures.Share(1 / 1_000.0, 1 / 400.0, "fp32", false));
        assertThat(share(ofFormat(2, 1_000, 3_000)))
                .isEqualTo(new MachineFigures.Share(1 / 3_000.0, 1 / 800.0, "bf16", false));
        assertThat(share(ofFormat(1, 1_000, 3_000)))
                .isEqualTo(new MachineFigures.Share(1 / 3_000.0, 1 / 1_600.0, "bf16", true));
        assertThat(share(ofFormat(1, 1_000, 500)))
                .isEqualTo(new MachineFigures.Share(1 / 1_000.0, 1 / 1_000.0, "fp32", true));
        assertThat(ofFormat(1, 1_000, 400).assumptions())
                .contains(
                        "1 bytes, 400.0: its roofline is the peak of fp32 products, used for 8 bits, which reasoner bench does not"
                                + " measure.")
                .anyMatch(line -> line.startsWith("Seconds of prefill hold the prompt's rendering and tokenizing"));
    }

    @Test
    void theMachinesFiguresAreThoseOfParBench() throws IOException {
        Path bench = directory.resolve("bench.json");
        Files.writeString(
                bench, "{\"machine\":{\"read_gb_s\":1e-7,\"gemm_fp32_gflop_s\":1e-6,\"gemm_bf16_gflop_s\":5e-7}}");
        MachineFigures machine = MachineFigures.read(bench);
        assertThat(machine.fp32Flops()).isCloseTo(1_000, EXACTLY);
        assertThat(machine.bf16Flops()).isCloseTo(500, EXACTLY);
        Files.writeString(bench, "{\"machine\":{\"read_gb_s\":1,\"gemm_fp32_gflop_s\":1}}");
        assertThatThrownBy(() -> MachineFigures.read(bench))
                .hasMessageContaining("bench.json: /machine must hold read_gb_s, gemm_fp32_gflop_s and"
                        + " gemm_bf16_gflop_s above 0");
    }

    @Test
    void runsOverOtherDataAreRefusedThoughTheirIdsAreTheSame() {
        List<Prediction> one = List.of(prediction(1, false, false, 1));
        CostedRun first = run("first", one, RunResources.NONE, DECODER);
        CostedRun other = run(
                "other",
                one,
                RunResources.NONE,
                DECODER,
                new RunDescription("eval run", List.of(), "a: 1\n", Map.of("data_sha256", "e")));
        assertThatThrownBy(() -> EfficiencyTable.of(List.of(first, other), null))
                .hasMessageContaining("cannot compare runs over different data: ")
                .hasMessageContaining("other/predictions.jsonl is of samples with SHA-256 e;")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
    }

    @Test
    void whatElseDiffersBetweenRowsIsSaid() {
        List<Prediction> one = List.of(prediction(1, false, false, 1));
        CostedRun first = run("first", one, RunResources.NONE, DECODER);
        Map<String, Object> facts = Map.of("data_sha256", "d", "model_sha256", "0123456789".repeat(5));
        CostedRun other = run(
                "other", one, RunResources.NONE, DECODER, new RunDescription("eval run", List.of(), "a: 2\n", facts));
        assertThat(EfficiencyTable.of(List.of(first, other), null).assumptions())
                .contains(
                        "Rows differ in config.a (settings): first 1, other 2.",
                        "Rows differ in model_sha256 (weights): first –, other 012345678901….");
    }

    @Test
    void aRunThatDidNotMakeTheFileSaysNothingOfIt() throws IOException {
        RunResources resources = new RunResources(900.0, 250.0, 700.0, null, null, "no card", 3, 0);
        CostedRun known = run("known", List.of(prediction(1, false, false, 1)), resources, DECODER);
        Path copy = Files.copy(known.file(), known.file().resolveSibling("other.jsonl"));
        CostedRun unknown = CostedRun.read("unknown", copy);
        assertThat(unknown.resources()).isEqualTo(RunResources.NONE);
        assertThat(unknown.decoder()).isNull();
        assertThat(EfficiencyTable.of(List.of(known, unknown), null).assumptions())
                .anyMatch(line -> line.startsWith("unknown: the run.json of the run that made "))
                .noneMatch(line -> line.startsWith("known: "));
        assertThat(CostedRun.read("folder", directory.resolve("known")).n())
                .as("a run directory is a run, too")
                .isEqualTo(1);
    }

    @Test
    void rowsOfOtherSamplesAreRefusedAndNamed() {
        CostedRun ten = run("ten", false, false, 1);
        CostedRun one = run("one", List.of(prediction(3, false, false, 1)), RunResources.NONE, DECODER);
        assertThatThrownBy(() -> EfficiencyTable.of(List.of(ten, one), null))
                .hasMessageContaining("rows must be of the same samples: 9 of ten (")
                .hasMessageContaining("are not in one: s0, s1, s2, s4, s5. Run all systems over one file")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
    }

    @Test
    void predictionsWithoutCostAreRefused() {
        Path file = directory.resolve("old.jsonl");
        Prediction.write(file, List.of(prediction(1, false, false, 1).withoutCost()));
        assertThatThrownBy(() -> CostedRun.read("old", file))
                .hasMessageContaining("old.jsonl: the prediction of sample s1 has no \"cost\"")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
    }

    @Test
    void thePageHasTheTablesTheDrawingsAndTheAssumptions() throws IOException {
        EfficiencyTable table = EfficiencyTable.of(
                List.of(run("single <stage>", false, false, 1), run("full", true, true, 0.3)),
                new MachineFigures(1e9, 1e9, 1e9));
        EfficiencyReport report = new EfficiencyReport(table, Map.of("command", "prpf eval efficiency"));
        report.write(directory);
        String html = Files.readString(directory.resolve("efficiency.html"));
        assertThat(html)
                .contains("single &lt;stage&gt;", "<svg", "Compute a sample", "Latency a sample")
                .contains("not r times a mean", "one after the other", "roofline")
                .doesNotContain("<script ", "<stage>", "src=\"http");
        assertThat(Files.readString(directory.resolve("efficiency.md"))).contains("Means of a sample", "eq. 31");
        assertThat(Files.readString(directory.resolve("efficiency.json"))).contains("\"flops_vs_first\"");
        assertThat(report.text()).contains("GFLOP a sample by part", "0.458");
    }
}
