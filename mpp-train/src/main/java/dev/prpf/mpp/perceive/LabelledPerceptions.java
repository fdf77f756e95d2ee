package dev.prpf.mpp.perceive;

import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.split.SampleSplit.Split;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.commons.lang3.ArrayUtils;

/** The best epoch's answers to the samples of a split. Thresholds, risk bounds and tables need only this, not the samples. */
public record LabelledPerceptions(Split split, List<LabelledPerception> samples) {
    public LabelledPerceptions {
        samples = List.copyOf(samples);
    }

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
}
