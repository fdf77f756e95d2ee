package dev.prpf.mpp.tables;

import dev.prpf.mpp.LabelledPerceptions;
import dev.prpf.mpp.PoolSizes;
import dev.prpf.mpp.SeedRun;
import dev.prpf.mpp.Split;
import dev.prpf.mpp.TriggerThreshold;
import dev.prpf.mpp.gate.ClassCounts;
import dev.prpf.mpp.gate.GateCounts;
import java.nio.file.Path;

/**
 * A trained run under its threshold, on its test samples where it has some, else on dev.
 *
 * @param path its run directory
 * @param variant its network
 * @param seed its seed
 * @param threshold its τ
 * @param evaluated the samples that figures are over
 * @param pool sizes of its function pool
 */
public record EvaluatedRun(
        Path path,
        SeedRun.Variant variant,
        long seed,
        TriggerThreshold threshold,
        LabelledPerceptions evaluated,
        PoolSizes pool) {

    /**
     * Under a threshold that need not be kept yet.
     *
     * @throws dev.prpf.data.run.PrpfException 69 if the run is not finished, 65 if a file of it is damaged or a class is empty
     */
    static EvaluatedRun load(SeedRun one, Path path, TriggerThreshold threshold) {
        Split split = LabelledPerceptions.exists(path, Split.TEST) ? Split.TEST : Split.DEV;
        LabelledPerceptions evaluated = LabelledPerceptions.load(path, split);
        EvaluatedRun run =
                new EvaluatedRun(path, one.variant(), one.seed(), threshold, evaluated, PoolSizes.load(path));
        GateCounts counts = run.counts();
        int acting = counts.truePositives() + counts.falseNegatives();
        new ClassCounts(acting, counts.total() - acting)
                .requireBoth(LabelledPerceptions.file(path, split).toString());
        return run;
    }

    /** The gate's decisions against the labels (PRPF Table 6). */
    public GateCounts counts() {
        return counts(evaluated, threshold.threshold());
    }

    /** The decisions of a threshold on some samples. */
    static GateCounts counts(LabelledPerceptions some, double tau) {
        double[] pTrigger = some.pTrigger();
        boolean[] decisions = new boolean[pTrigger.length];
        for (int i = 0; i < decisions.length; i++) {
            decisions[i] = pTrigger[i] >= tau;
        }
        return GateCounts.of(decisions, some.acts());
    }

    /** Eq. 27 with the paper's K = 5, or all scenarios where there are fewer. */
    Proportion intentTop5() {
        return TopKRecall.intentAccuracy(Math.min(5, pool.functions().size()), evaluated.samples());
    }
}
