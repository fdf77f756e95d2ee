/**
 * Estimates of the commands' needs before their inputs exist.
 *
 * <p>Flow: the commands of a plan are parsed in order. Each {@link dev.prpf.par.plan.PlannedCommand} reads the outputs of earlier ones from {@link
 * dev.prpf.par.plan.StagePlan}, adds its own, and returns its {@link dev.prpf.par.plan.StageNeed}.
 *
 * <p>Invariants: memory is the estimate that a command checks before its first step, for the longest sequences of its configuration. Of a model only
 * {@code config.json} is read.
 */
@NullMarked
package dev.prpf.par.plan;

import org.jspecify.annotations.NullMarked;
