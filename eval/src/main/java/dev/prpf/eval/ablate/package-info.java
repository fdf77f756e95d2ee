/**
 * The tables of both papers that take parts of the cascade away, from one configuration.
 *
 * <p>Flow: {@link dev.prpf.eval.ablate.AblateConfig} names models, runs and rows; {@link dev.prpf.eval.ablate.AblationPlan} is the commands
 * that its rows need, in order, each once; what they predicted, scored, becomes {@link dev.prpf.eval.ablate.AblationReport} (an {@link
 * dev.prpf.eval.ablate.AblationRow} a system) and {@link dev.prpf.eval.ablate.AblationPage} shows it beside the published rows.
 *
 * <p>Invariants: a model is made and a run predicts once, however many rows name it; costs stand only where a run had a process and a store
 * of its own; all that is wrong with a configuration is said at once, before anything runs.
 */
@NullMarked
package dev.prpf.eval.ablate;

import org.jspecify.annotations.NullMarked;
