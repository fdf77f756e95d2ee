package dev.prpf.par.plan;

import dev.prpf.base.error.PrpfException;

/** A parsed command that can be estimated before its inputs exist. */
public interface PlannedCommand {
    /**
     * Estimates the command, and adds the models and sets that it makes to the plan.
     *
     * @throws PrpfException 78 for a wrong configuration, 65 for a model of an unknown family
     */
    StageNeed need(StagePlan plan);
}
