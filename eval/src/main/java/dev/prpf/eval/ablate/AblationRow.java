package dev.prpf.eval.ablate;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.workflow.Stage;
import dev.prpf.eval.compare.Comparison;
import dev.prpf.eval.compare.SystemScores;
import dev.prpf.eval.efficiency.EfficiencyTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One system in a table.
 *
 * @param name of the system
 * @param overall metrics over all samples
 * @param byModality by "text" and "multimodal", if they occur
 * @param flopsMean operations a sample; null if not measured or unknown
 * @param latencyMeanS mean seconds of a sample; null if not measured or unknown
 * @param peakMemoryMb peak resident memory in 10⁶ bytes; null if not measured or unknown
 * @param runs of the system
 * @param comparison with its reference row; null without one
 */
record AblationRow(
        String name,
        @JsonUnwrapped AblationCell overall,
        Map<String, AblationCell> byModality,
        @Nullable Double flopsMean,
        @Nullable Double latencyMeanS,
        @Nullable Double peakMemoryMb,
        List<Source> runs,
        @Nullable Comparison comparison) {
    private static final List<String> MODALITIES = List.of("multimodal", "text");

    /** A set of predictions with its hash and the command line that made it. */
    public record Source(String predictions, String sha256, String command) {}

    /**
     * Makes the row of a system.
     *
     * @param evaluations of the system, in the order of its runs
     * @param costs of the measured runs
     */
    static AblationRow of(
            SystemScores system,
            List<AblationPlan.Evaluation> evaluations,
            List<EfficiencyTable.Row> costs,
            @Nullable Comparison comparison) {
        Map<String, AblationCell> modalities = new LinkedHashMap<>();
        for (String modality : MODALITIES) {
            AblationCell cell =
                    AblationCell.of(system, scores -> scores.byModality().get(modality));
            if (cell != null) {
                modalities.put(modality, cell);
            }
        }
        return new AblationRow(
                system.name(),
                Objects.requireNonNull(AblationCell.of(system, scores -> scores.overall())),
                modalities,
                mean(costs, EfficiencyTable.Row::flopsMean),
                mean(costs, EfficiencyTable.Row::latencyMeanS),
                mean(costs, EfficiencyTable.Row::peakMemoryMb),
                IntStream.range(0, evaluations.size())
                        .mapToObj(i -> new Source(
                                evaluations.get(i).predictions().toString(),
                                system.runs().get(i).sha256(),
                                Stage.typed(evaluations.get(i).command().words())))
                        .toList(),
                comparison);
    }

    /** Returns the mean; null without costs, or if one is unknown. */
    private static @Nullable Double mean(
            List<EfficiencyTable.Row> costs, Function<EfficiencyTable.Row, @Nullable Double> of) {
        List<Double> known = costs.stream().map(of).filter(Objects::nonNull).toList();
        return costs.isEmpty() || known.size() < costs.size()
                ? null
                : known.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
    }

    /** Returns the group of a published column: "all", "multimodal" or "text"; null if it has no sample. */
    @Nullable
    AblationCell cell(String group) {
        return group.equals("all") ? overall : byModality.get(group);
    }
}
