package dev.prpf.mpp.network.definition;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.encode.SampleFeatures;
import java.util.List;

/** The labels of n samples: y_trig, shape (n), and y_scenario, shape (n, S). */
public record Labels(float[] trigger, float[][] scenarios) {
    /** @throws PrpfException 65 if a sample is unlabelled */
    public static Labels of(List<SampleFeatures> samples) {
        float[] trigger = new float[samples.size()];
        float[][] scenarios = new float[samples.size()][];
        for (int i = 0; i < trigger.length; i++) {
            SampleFeatures sample = samples.get(i);
            Boolean acts = sample.intervention();
            float[] multiHot = sample.scenarios();
            if (acts == null || multiHot == null) {
                throw new InvalidDataException("sample " + sample.id()
                        + " is unlabelled: training and tuning need its valid answers; leave it out or label it");
            }
            trigger[i] = acts ? 1 : 0;
            scenarios[i] = multiHot;
        }
        return new Labels(trigger, scenarios);
    }
}
