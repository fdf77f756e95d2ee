/** The {@code eval} command group; {@link dev.prpf.eval.command.CascadeRun} is the loop of {@code eval run}. */
@NullMarked
package dev.prpf.eval.command;

import org.jspecify.annotations.NullMarked;
