package dev.prpf.eval.score;

import dev.prpf.base.config.Rule;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.statistics.MeanStd;
import dev.prpf.data.Sample.Modality;
import dev.prpf.eval.score.ErrorAnalysis.ErrorCategory;
import dev.prpf.eval.score.ErrorAnalysis.MismatchPattern;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts a system's errors in each scenario and cluster of scenarios (PRPF Appendix C.3).
 *
 * @param textMinusMultimodal by scenario: Type-Acc of text samples minus that of multimodal ones, in points; null without both
 * @param offScene by scenario: predictions with calls that share no function with a best-matched answer with calls
 * @param clusters Table 14, without empty clusters
 */
public record ScenarioAnalysis(
        Map<String, @Nullable Double> textMinusMultimodal, Map<String, Integer> offScene, List<Cluster> clusters) {
    static final ScenarioAnalysis NONE = new ScenarioAnalysis(Map.of(), Map.of(), List.of());

    /**
     * A row of Table 14.
     *
     * @param scenarios the scenarios that occur
     * @param n number of samples
     * @param typeAcc over its samples, in percent
     * @param textMinusMultimodal the mean over its scenarios that have both modalities, in points; null without one
     */
    public record Cluster(
            String name,
            List<String> scenarios,
            int n,
            @Nullable Double typeAcc,
            @Nullable Double textMinusMultimodal) {}

    static ScenarioAnalysis of(List<SampleScore> scores, ScenarioGroups groups) {
        Map<String, List<SampleScore>> byScenario = new TreeMap<>();
        scores.forEach(score -> byScenario
                .computeIfAbsent(Objects.requireNonNull(score.scenario()), unseen -> new ArrayList<>())
                .add(score));
        Map<String, @Nullable Double> gaps = new LinkedHashMap<>();
        Map<String, Integer> offScene = new LinkedHashMap<>();
        byScenario.forEach((scenario, members) -> {
            gaps.put(scenario, gap(Metric.TYPE_ACC, members));
            offScene.put(scenario, (int)
                    members.stream().filter(ScenarioAnalysis::isOffScene).count());
        });
        List<Cluster> clusters = groups.clusters().stream()
                .map(cluster -> cluster(cluster, byScenario, gaps))
                .filter(cluster -> cluster.n() > 0)
                .toList();
        return new ScenarioAnalysis(gaps, offScene, clusters);
    }

    private static Cluster cluster(
            ScenarioGroups.Group group, Map<String, List<SampleScore>> byScenario, Map<String, @Nullable Double> gaps) {
        List<String> scenarios =
                group.scenarios().stream().filter(byScenario::containsKey).toList();
        List<SampleScore> samples = scenarios.stream()
                .flatMap(scenario -> byScenario.getOrDefault(scenario, List.of()).stream())
                .toList();
        List<@Nullable Double> each = new ArrayList<>();
        scenarios.forEach(scenario -> each.add(gaps.get(scenario)));
        Double mean = MeanStd.of(each).mean();
        return new Cluster(group.name(), scenarios, samples.size(), Metric.TYPE_ACC.mean(samples), mean);
    }

    private static boolean isOffScene(SampleScore score) {
        List<String> predicted = score.predicted();
        return ErrorCategory.of(score) == ErrorCategory.NON_EMPTY_MISMATCH
                && predicted != null
                && MismatchPattern.of(predicted, score.match().answer()) == MismatchPattern.OFF_SCENE;
    }

    /** Returns the metric of text samples minus that of multimodal ones; null if either is missing. */
    static @Nullable Double gap(Metric metric, List<SampleScore> scores) {
        Double text = mean(metric, scores, Modality.TEXT);
        Double multimodal = mean(metric, scores, Modality.MULTIMODAL);
        return text == null || multimodal == null ? null : (Double) (text - multimodal);
    }

    private static @Nullable Double mean(Metric metric, List<SampleScore> scores, Modality modality) {
        return metric.mean(
                scores.stream().filter(score -> score.modality() == modality).toList());
    }

    /**
     * The groups of scenarios in the papers.
     *
     * @param clusters PRPF Table 14
     * @param unseen scenarios that training never saw, ProactiveMobile Table 4
     */
    public record ScenarioGroups(List<Group> clusters, List<String> unseen) {
        /** Groups of the papers; scenarios that a catalogue lacks have no effect. */
        public static final ScenarioGroups PAPERS = shipped();

        /** A group of scenarios with similar errors. */
        public record Group(String name, List<String> scenarios) {
            public Group {
                Rule.require(!scenarios.isEmpty(), "scenarios", scenarios, "at least one");
            }
        }

        /** Returns these clusters with other unseen scenarios. */
        public ScenarioGroups withUnseen(List<String> others) {
            return new ScenarioGroups(clusters, others);
        }

        private static ScenarioGroups shipped() {
            return StrictYaml.shipped("scenario-groups.yaml", ScenarioGroups.class);
        }
    }
}
