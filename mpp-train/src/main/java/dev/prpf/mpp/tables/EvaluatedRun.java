package dev.prpf.mpp.tables;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.RunDirectory;
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
     * @throws PrpfException 69 if the run is not finished, 65 if a file of it is damaged or lost or a class is empty
     */
    static EvaluatedRun load(SeedRun one, Path path, TriggerThreshold threshold) {
        Split split = split(path);
        LabelledPerceptions evaluated = LabelledPerceptions.load(path, split);
        EvaluatedRun run =
                new EvaluatedRun(path, one.variant(), one.seed(), threshold, evaluated, PoolSizes.load(path));
        GateCounts counts = run.counts();
        int acting = counts.truePositives() + counts.falseNegatives();
        new ClassCounts(acting, counts.total() - acting)
                .requireBoth(LabelledPerceptions.file(path, split).toString());
        return run;
    }

    /** Figures over dev flatter: they are not taken where the run had test samples. */
    private static Split split(Path run) {
        if (LabelledPerceptions.exists(run, Split.TEST)) {
            return Split.TEST;
        }
        int counted = RunDirectory.result(run).path(Split.TEST.label()).asInt();
        if (counted > 0) {
            throw new InvalidDataException(
                    LabelledPerceptions.file(run, Split.TEST) + ": is missing, and run.json counts " + counted
                            + " test samples; the training's command writes it again; where " + run
                            + " is one of several (--seeds), restore it or remove that folder first");
        }
        return Split.DEV;
    }

    /** The gate's decisions against the labels (PRPF Table 6). */
    public GateCounts counts() {
        return counts(evaluated, threshold.threshold());
    }

    /** The decisions of a threshold on some samples. */
    static GateCounts counts(LabelledPerceptions some, double tau) {
        return GateCounts.at(tau, some.pTrigger(), some.acts());
    }

    /** Eq. 27 with the paper's K = 5, or all scenarios where there are fewer. */
    Proportion intentTop5() {
        return TopKRecall.intentAccuracy(Math.min(5, pool.functions().size()), evaluated.samples());
    }
}
