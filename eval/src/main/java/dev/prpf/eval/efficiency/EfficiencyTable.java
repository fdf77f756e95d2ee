package dev.prpf.eval.efficiency;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.eval.score.RunFiles;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PredictionCost;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares the operations, latency and memory of runs (PRPF Figure 3 and Table 10); the output of {@code eval efficiency --json}.
 *
 * @param rows the first is the reference
 * @param assumptions how the numbers were computed, and what they exclude
 */
public record EfficiencyTable(List<Row> rows, List<String> assumptions) {
    private static final int NAMED = 5;

    /**
     * One system, means a sample.
     *
     * @param name of the system
     * @param n samples
     * @param routed samples that went to the reasoner
     * @param flopsMean operations, counted; null where a part is not known
     * @param flopsVsFirst as a share of the first row's
     * @param latencyMeanS seconds; the wall clock of all samples, divided by them
     * @param latencyVsFirst as a share of the first row's
     * @param peakMemoryMb the most that was resident in 10⁶ bytes, perceiver and reasoner both loaded
     * @param routedShare r of PRPF eq. 32
     * @param flopsEq31Mean operations with the reasoner's estimated as PRPF eq. 31
     * @param promptTokens mean prompt tokens of a routed sample
     * @param visualTokens image tokens among the prompt tokens
     * @param newTokens tokens of its response
     * @param memory by stage
     * @param roofline null if no machine was measured or the reasoner is unknown
     */
    public record Row(
            String name,
            int n,
            int routed,
            @Nullable Double flopsMean,
            @Nullable Double flopsVsFirst,
            @Nullable Double latencyMeanS,
            @Nullable Double latencyVsFirst,
            @Nullable Double peakMemoryMb,
            double routedShare,
            @Nullable Double flopsEq31Mean,
            PredictionCost.Parts flops,
            PredictionCost.Parts seconds,
            @Nullable Double promptTokens,
            @Nullable Double visualTokens,
            @Nullable Double newTokens,
            Memory memory,
            MachineFigures.@Nullable Share roofline) {}

    /**
     * Memory in 10⁶ bytes (PRPF B.6).
     *
     * @param perceiverMb M_MPP
     * @param reasonerMb M_PAR
     * @param sequentialMb the paper's figure: the larger stage, since the stages run one after the other
     * @param coResidentBoundMb the conservative bound: their sum
     * @param perceiverDeviceMb M_MPP on a card: memory that the process reserved there
     * @param reasonerDeviceMb M_PAR on a card
     * @param deviceMb the larger one, as the stages run one after the other
     */
    public record Memory(
            @Nullable Double perceiverMb,
            @Nullable Double reasonerMb,
            @Nullable Double sequentialMb,
            @Nullable Double coResidentBoundMb,
            @Nullable Double perceiverDeviceMb,
            @Nullable Double reasonerDeviceMb,
            @Nullable Double deviceMb) {
        static Memory of(RunResources resources) {
            return new Memory(
                    resources.perceiverMemoryMb(),
                    resources.reasonerMemoryMb(),
                    resources.sequentialMb(),
                    resources.coResidentBoundMb(),
                    resources.perceiverDeviceMb(),
                    resources.reasonerDeviceMb(),
                    resources.deviceMb());
        }
    }

    /**
     * Compares runs of the same samples.
     *
     * @param runs at least one
     * @param machine that they ran on, or null
     * @throws PrpfException 65 if their data or, naming some, their samples differ
     */
    public static EfficiencyTable of(List<CostedRun> runs, @Nullable MachineFigures machine) {
        CostedRun first = runs.get(0);
        RunFiles.requireSameData(runs.stream().map(CostedRun::files).toList());
        runs.forEach(run -> requireSameSamples(first, run));
        List<Row> rows = runs.stream().map(run -> row(run, first, machine)).toList();
        return new EfficiencyTable(rows, Assumptions.of(runs, rows));
    }

    private static void requireSameSamples(CostedRun first, CostedRun other) {
        List<String> differences = new ArrayList<>();
        note(first, other, differences);
        note(other, first, differences);
        if (!differences.isEmpty()) {
            throw new InvalidDataException("rows must be of the same samples: " + String.join("; ", differences)
                    + ". Run all systems over one file");
        }
    }

    private static void note(CostedRun one, CostedRun other, List<String> differences) {
        List<String> only =
                one.ids().stream().filter(id -> !other.ids().contains(id)).toList();
        if (!only.isEmpty()) {
            differences.add(String.format(
                    Locale.ROOT,
                    "%d of %s (%s) are not in %s: %s",
                    only.size(),
                    one.name(),
                    one.file(),
                    other.name(),
                    String.join(", ", only.subList(0, Math.min(NAMED, only.size())))));
        }
    }

    private static Row row(CostedRun run, CostedRun first, @Nullable MachineFigures machine) {
        CostSums sums = run.sums();
        PredictionCost.Parts flops = sums.flops();
        PredictionCost.Parts seconds = sums.seconds();
        return new Row(
                run.name(),
                run.n(),
                sums.routed(),
                flops.total(),
                share(flops.total(), first.sums().flops().total()),
                seconds.total(),
                share(seconds.total(), first.sums().seconds().total()),
                run.resources().peakMemoryMb(),
                (double) sums.routed() / run.n(),
                sums.eq31(),
                flops,
                seconds,
                perRouted(sums.promptTokens(), sums),
                perRouted(sums.visualTokens(), sums),
                perRouted(sums.newTokens(), sums),
                Memory.of(run.resources()),
                machine == null || run.decoder() == null ? null : machine.share(flops, seconds, run.decoder()));
    }

    private static @Nullable Double share(@Nullable Double value, @Nullable Double of) {
        return value == null || of == null || of == 0 ? null : value / of;
    }

    private static @Nullable Double perRouted(@Nullable Long sum, CostSums sums) {
        return sum == null || sums.routed() == 0 ? null : (double) sum / sums.routed();
    }

    /**
     * The summed costs of one run's predictions.
     *
     * @param name of the system
     * @param files predictions of the run and its {@code run.json}
     * @param ids of its samples
     * @param sums sums of their costs
     * @param resources of the run; {@link RunResources#NONE} if no finished run is known
     * @param decoder facts of its reasoner; null if unknown or on a server
     */
    public record CostedRun(
            String name,
            RunFiles files,
            Set<String> ids,
            CostSums sums,
            RunResources resources,
            @Nullable DecoderFacts decoder) {
        /**
         * Reads and sums a run's predictions.
         *
         * @param path a run directory, or a file of predictions
         * @throws PrpfException 65 for a file without predictions, or a prediction without cost
         */
        public static CostedRun read(String name, Path path) {
            RunFiles files = RunFiles.of(path);
            Path run = files.run();
            JsonNode result = run == null
                    ? MissingNode.getInstance()
                    : RunDirectory.result(
                            run.toAbsolutePath().resolveSibling(".").normalize());
            DecoderFacts decoder = DecoderFacts.of(result.path("decoder"));
            CostSums sums = new CostSums(decoder);
            Set<String> ids = new LinkedHashSet<>();
            Prediction.read(files.predictions(), prediction -> {
                ids.add(prediction.id());
                sums.add(prediction.route(), cost(files.predictions(), prediction));
            });
            return new CostedRun(name, files, ids, sums, RunResources.of(result), decoder);
        }

        private static PredictionCost cost(Path file, Prediction prediction) {
            if (prediction.cost() == null) {
                throw new InvalidDataException(file + ": the prediction of sample " + prediction.id()
                        + " has no \"cost\"; only `prpf eval run` measures it: run it again into another file");
            }
            return prediction.cost();
        }

        public Path file() {
            return files.predictions();
        }

        public int n() {
            return ids.size();
        }
    }
}
