/**
 * Cost of systems (PRPF 4.4, B.6): {@link dev.prpf.eval.efficiency.EfficiencyTable} compares runs by the cost of their predictions, {@link
 * dev.prpf.eval.efficiency.EfficiencyReport} formats it. A {@link dev.prpf.eval.efficiency.EfficiencyTable.CostedRun} holds the predictions of a run and its
 * {@code run.json}'s facts on memory and model.
 */
@NullMarked
package dev.prpf.eval.efficiency;

import org.jspecify.annotations.NullMarked;
