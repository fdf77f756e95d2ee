package dev.prpf.mpp.tables;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.mpp.gate.ConfusionMatrix;
import dev.prpf.mpp.perceive.LabelledPerceptions;
import dev.prpf.mpp.run.SeedPlan;
import dev.prpf.mpp.run.TrainedRun;
import dev.prpf.mpp.run.TrainedRun.PoolSizes;
import dev.prpf.mpp.split.SampleSplit.Split;
import dev.prpf.mpp.threshold.TriggerThreshold;

/**
 * A trained run with its threshold, evaluated on its test samples, or on dev if it has none.
 *
 * @param evaluated the samples of the metrics
 */
record EvaluatedRun(
        TrainedRun run,
        SeedPlan.Variant variant,
        long seed,
        TriggerThreshold threshold,
        LabelledPerceptions evaluated,
        PoolSizes pool) {

    /** @throws PrpfException 69 if the run is not finished, 65 if one of its files is damaged or missing or a class is empty */
    static EvaluatedRun load(SeedPlan.Run one, TrainedRun run, TriggerThreshold threshold) {
        Split split = split(run);
        EvaluatedRun evaluated =
                new EvaluatedRun(run, one.variant(), one.seed(), threshold, run.perceptions(split), run.poolSizes());
        ConfusionMatrix counts = evaluated.counts();
        String file = run.perceptionsFile(split).toString();
        ConfusionMatrix.requireBothClasses(file, counts.acting(), counts.silent());
        return evaluated;
    }

    /** Returns the split of the metrics: dev only if the run had no test samples, since its metrics are too good. */
    private static Split split(TrainedRun run) {
        if (run.has(Split.TEST)) {
            return Split.TEST;
        }
        int counted = RunDirectory.result(run.path()).path(Split.TEST.label()).asInt();
        if (counted > 0) {
            throw new InvalidDataException(run.perceptionsFile(Split.TEST) + ": is missing, and run.json counts "
                    + counted + " test samples; the training's command writes it again; if " + run.path()
                    + " is one of several (--seeds), restore it or remove that folder first");
        }
        return Split.DEV;
    }

    /** The gate's decisions against the labels (PRPF Table 6). */
    public ConfusionMatrix counts() {
        return counts(evaluated, threshold.threshold());
    }

    static ConfusionMatrix counts(LabelledPerceptions some, double tau) {
        return ConfusionMatrix.at(tau, some.pTrigger(), some.acts());
    }
}
