package dev.prpf.mpp.perceive;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.encode.SampleFeatures;
import java.util.List;

/** Features that are numbers: a NaN or an infinity would spread through a whole batch. */
public final class FiniteFeatures {
    private FiniteFeatures() {}

    /** @throws PrpfException 65 naming sample, vector and place of the first value that is not finite */
    public static void require(List<SampleFeatures> samples) {
        for (SampleFeatures sample : samples) {
            for (float[][] text : sample.context()) {
                require(sample, "context", text);
            }
            require(sample, "step", sample.steps());
        }
    }

    private static void require(SampleFeatures sample, String what, float[][] vectors) {
        for (int v = 0; v < vectors.length; v++) {
            for (int i = 0; i < vectors[v].length; i++) {
                if (!Float.isFinite(vectors[v][i])) {
                    throw new InvalidDataException(
                            "sample " + sample.id() + " has " + vectors[v][i] + " at place " + i + " of " + what
                                    + " vector " + v + ", every feature must be a finite number; encode it again");
                }
            }
        }
    }
}
