package dev.prpf.mpp;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What a perceiver said of a labelled sample, and what would have been right.
 *
 * @param id the sample's
 * @param logit of the trigger head, before any calibration
 * @param perception probabilities, p_trigger calibrated
 * @param answers the scenarios of each valid answer's calls; an empty set is silence
 * @param inDistribution whether training had samples of its scenario
 */
public record LabelledPerception(
        String id, double logit, Perception perception, List<Set<String>> answers, boolean inDistribution) {
    public LabelledPerception {
        answers = answers.stream()
                .map(scenarios -> Collections.unmodifiableSet(new LinkedHashSet<>(scenarios)))
                .toList();
        if (answers.isEmpty()) {
            throw new IllegalArgumentException("sample " + id + " has no valid answer; silence is the empty set");
        }
    }

    /** Of a scenario that training had. */
    public LabelledPerception(String id, double logit, Perception perception, List<Set<String>> answers) {
        this(id, logit, perception, answers, true);
    }

    /** Whether the sample wants an intervention: some valid answer acts. */
    public boolean acts() {
        return answers.stream().anyMatch(scenarios -> !scenarios.isEmpty());
    }

    /** Whether silence is one of the valid answers. */
    public boolean allowsSilence() {
        return answers.stream().anyMatch(Set::isEmpty);
    }

    /** The scenarios of all valid answers, y_scenario of PRPF eq. 11. */
    public Set<String> scenarios() {
        Set<String> all = new LinkedHashSet<>();
        answers.forEach(all::addAll);
        return all;
    }

    /**
     * The scenarios of each valid answer. A call whose function has no scenario counts as {@link ScenarioCatalog#NONE}, which no
     * shortlist holds.
     */
    static List<Set<String>> scenariosOfAnswers(Sample sample, ScenarioCatalog catalog) {
        return sample.validSequences().stream()
                .map(calls -> scenarios(calls, catalog))
                .toList();
    }

    private static Set<String> scenarios(List<FunctionCall> calls, ScenarioCatalog catalog) {
        Set<String> scenarios = new LinkedHashSet<>();
        for (FunctionCall call : calls) {
            String scenario = catalog.scenarioOf(call.name());
            scenarios.add(scenario == null ? ScenarioCatalog.NONE : scenario);
        }
        return scenarios;
    }
}
