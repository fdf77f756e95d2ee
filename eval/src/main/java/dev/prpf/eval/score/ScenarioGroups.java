package dev.prpf.eval.score;

import dev.prpf.base.config.Rule;
import dev.prpf.base.config.StrictYaml;
import java.util.List;

/**
 * The groups of scenarios in the papers.
 *
 * @param clusters PRPF Table 14
 * @param unseen scenarios that training never saw, ProactiveMobile Table 4
 */
public record ScenarioGroups(List<Cluster> clusters, List<String> unseen) {
    /** Groups of the papers; scenarios that a catalogue lacks have no effect. */
    public static final ScenarioGroups PAPERS = shipped();

    public ScenarioGroups {
        clusters = List.copyOf(clusters);
        unseen = List.copyOf(unseen);
    }

    /** A cluster of scenarios with similar errors. */
    public record Cluster(String name, List<String> scenarios) {
        public Cluster {
            Rule.require(!scenarios.isEmpty(), "scenarios", scenarios, "at least one");
            scenarios = List.copyOf(scenarios);
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
