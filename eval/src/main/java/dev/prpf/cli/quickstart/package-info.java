/**
 * The whole pipeline on one machine: {@link dev.prpf.cli.quickstart.QuickstartPlan} lists the commands, {@link
 * dev.prpf.base.workflow.StageRunner} runs and times them, {@code QuickstartResults} compares the cascade with baselines without learning,
 * {@code QuickstartReport} is the page.
 */
@NullMarked
package dev.prpf.cli.quickstart;

import org.jspecify.annotations.NullMarked;
