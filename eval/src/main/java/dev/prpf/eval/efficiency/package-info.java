/**
 * What systems cost (PRPF 4.4, B.6): {@link dev.prpf.eval.efficiency.EfficiencyTable} compares runs by what their predictions cost,
 * {@link dev.prpf.eval.efficiency.EfficiencyReport} shows it. A {@link dev.prpf.eval.efficiency.CostedRun} is the predictions of a run with
 * what its {@code run.json} says of memory and model.
 */
@NullMarked
package dev.prpf.eval.efficiency;

import org.jspecify.annotations.NullMarked;
