package dev.prpf.mpp.perceive;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.split.SampleSplit.Split;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.commons.lang3.ArrayUtils;

/** The best epoch's answers to the samples of a split. Thresholds, risk bounds and tables need only this, not the samples. */
public record LabelledPerceptions(Split split, List<LabelledPerception> samples) {
    /** Converts logits, (n, 1 + S), to perceptions; {@code trained} holds the scenarios of the training samples. */
    public static LabelledPerceptions of(
            Split split,
            List<Sample> samples,
            double[][] logits,
            ProbabilityCalibration calibration,
            ScenarioCatalog catalog,
            Set<String> trained) {
        List<LabelledPerception> all = new ArrayList<>();
        for (int i = 0; i < samples.size(); i++) {
            Sample sample = samples.get(i);
            Perception perception = Perception.of(logits[i], catalog.names(), calibration);
            List<Set<String>> answers = LabelledPerception.scenariosOfAnswers(sample, catalog);
            boolean known = trained.contains(catalog.scenarioOf(sample));
            all.add(new LabelledPerception(
                    sample.id(), logits[i][0], perception.pTrigger(), perception.scenarios(), answers, known));
        }
        return new LabelledPerceptions(split, all);
    }

    /** Returns the samples with a trained scenario, or the others. */
    public LabelledPerceptions part(boolean inDistribution) {
        Predicate<LabelledPerception> wanted = sample -> sample.inDistribution() == inDistribution;
        return new LabelledPerceptions(split, samples.stream().filter(wanted).toList());
    }

    /** Returns p_trigger, shape (n). */
    public double[] pTrigger() {
        return samples.stream().mapToDouble(LabelledPerception::pTrigger).toArray();
    }

    /** Returns the trigger logits, shape (n). */
    public double[] logits() {
        return samples.stream().mapToDouble(LabelledPerception::logit).toArray();
    }

    /** Whether each sample wants an intervention, shape (n). */
    public boolean[] acts() {
        return ArrayUtils.toPrimitive(
                samples.stream().map(LabelledPerception::acts).toArray(Boolean[]::new));
    }

    /**
     * A perceiver's answer to a labelled sample, with the labels: a line of a run's file.
     *
     * @param logit of the trigger head, before any calibration
     * @param pTrigger calibrated probability that an intervention is due
     * @param scenarios scenario name to its probability, in catalogue order
     * @param answers the scenarios of each valid answer's calls; an empty set is silence
     * @param inDistribution whether the training split has samples of its scenario
     */
    @JsonPropertyOrder({"id", "acts", "logit"})
    public record LabelledPerception(
            String id,
            double logit,
            double pTrigger,
            Map<String, Double> scenarios,
            List<Set<String>> answers,
            boolean inDistribution) {
        public LabelledPerception {
            scenarios = new Perception(pTrigger, scenarios).scenarios();
            answers = answers.stream()
                    .map(names -> Collections.unmodifiableSet(new LinkedHashSet<>(names)))
                    .toList();
            if (answers.isEmpty()) {
                throw new IllegalArgumentException("sample " + id + " has no valid answer; silence is the empty set");
            }
        }

        /** Returns the perceiver's answer. */
        public Perception perception() {
            return new Perception(pTrigger, scenarios);
        }

        /** Whether the sample wants an intervention: a valid answer acts. Derived from the answers; written for readers of the file. */
        @JsonProperty(access = JsonProperty.Access.READ_ONLY)
        public boolean acts() {
            return answers.stream().anyMatch(names -> !names.isEmpty());
        }

        /** Whether silence is one of the valid answers. */
        public boolean allowsSilence() {
            return answers.stream().anyMatch(Set::isEmpty);
        }

        /** The scenarios of all valid answers, y_scenario of PRPF eq. 11. */
        public Set<String> answerScenarios() {
            Set<String> all = new LinkedHashSet<>();
            answers.forEach(all::addAll);
            return all;
        }

        /** The scenarios of each valid answer. A function without a scenario counts as {@link ScenarioCatalog#NONE}, which no shortlist holds. */
        static List<Set<String>> scenariosOfAnswers(Sample sample, ScenarioCatalog catalog) {
            return sample.validSequences().stream()
                    .<Set<String>>map(calls -> calls.stream()
                            .map(call ->
                                    Objects.requireNonNullElse(catalog.scenarioOf(call.name()), ScenarioCatalog.NONE))
                            .collect(Collectors.toCollection(LinkedHashSet::new)))
                    .toList();
        }
    }
}
