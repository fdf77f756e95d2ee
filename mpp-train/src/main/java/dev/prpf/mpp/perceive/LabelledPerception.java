package dev.prpf.mpp.perceive;

import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.mpp.Perception;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a perceiver answered to a labelled sample, and what would have been right.
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

    /** A sample of a scenario that training had. */
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
                .map(calls -> {
                    Set<String> scenarios = new LinkedHashSet<>();
                    calls.forEach(call -> {
                        String scenario = catalog.scenarioOf(call.name());
                        scenarios.add(scenario == null ? ScenarioCatalog.NONE : scenario);
                    });
                    return scenarios;
                })
                .toList();
    }

    /** The line that a run's file keeps of it. */
    public Line line() {
        return new Line(id, acts(), logit, perception.pTrigger(), perception.scenarios(), answers, inDistribution);
    }

    /**
     * A line of a run's file; its components are those of {@link LabelledPerception} and its {@link Perception}.
     *
     * @param acts follows from the answers; written for readers
     */
    public record Line(
            String id,
            boolean acts,
            double logit,
            double pTrigger,
            Map<String, Double> scenarios,
            List<Set<String>> answers,
            boolean inDistribution) {
        public Line {
            new LabelledPerception(id, logit, new Perception(pTrigger, scenarios), answers);
        }

        /** What the line was written of. */
        public LabelledPerception read() {
            return new LabelledPerception(id, logit, new Perception(pTrigger, scenarios), answers, inDistribution);
        }
    }
}
