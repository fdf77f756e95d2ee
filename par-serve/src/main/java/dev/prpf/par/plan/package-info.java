/**
 * Estimates of what commands need before their inputs exist.
 *
 * <p>Flow: the commands of a plan are parsed in order; each {@link dev.prpf.par.plan.PlannedCommand} reads from {@link
 * dev.prpf.par.plan.StagePlan} what earlier ones make, adds what it makes, and returns its {@link dev.prpf.par.plan.StageNeed}.
 *
 * <p>Invariants: memory comes from the estimates that commands refuse with before their first step, for the longest sequences that their
 * configuration allows; of a model only {@code config.json} is read.
 */
@NullMarked
package dev.prpf.par.plan;

import org.jspecify.annotations.NullMarked;
