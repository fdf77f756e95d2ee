/**
 * The whole pipeline on one machine: {@link dev.prpf.cli.quickstart.QuickstartPlan} says which commands run, {@link dev.prpf.base.workflow.StageRunner} runs
 * and times them, {@code QuickstartResults} sets the cascade beside what needs no learning, {@code QuickstartReport} shows it.
 */
@NullMarked
package dev.prpf.cli.quickstart;

import org.jspecify.annotations.NullMarked;
