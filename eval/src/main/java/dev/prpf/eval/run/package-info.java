/**
 * {@code eval run}: the cascade over a file of samples to a file of predictions, which an interrupted run goes on with. {@link
 * dev.prpf.eval.run.CascadeRun} is the loop, {@link dev.prpf.eval.run.LoadedCascade} what it runs.
 */
@NullMarked
package dev.prpf.eval.run;

import org.jspecify.annotations.NullMarked;
