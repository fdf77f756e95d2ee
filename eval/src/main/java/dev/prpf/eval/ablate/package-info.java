/**
 * Makes both papers' ablation tables from one configuration.
 *
 * <p>Flow: {@link dev.prpf.eval.ablate.AblateConfig} names models, runs and rows; {@link dev.prpf.eval.ablate.AblationPlan} lists the commands
 * that its rows need, in order, each once. Their scored predictions become an {@link dev.prpf.eval.ablate.AblationReport} with an {@link
 * dev.prpf.eval.ablate.AblationReport.AblationRow} for each system. {@link dev.prpf.eval.ablate.AblationPage} shows them with the published rows.
 *
 * <p>Invariants: a model is made and a run predicts once, however many rows name it. Only runs with their own process and store have costs. All
 * defects of a configuration are reported together, before the first command runs.
 */
@NullMarked
package dev.prpf.eval.ablate;

import org.jspecify.annotations.NullMarked;
