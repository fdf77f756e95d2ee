/** The {@code eval} command group. */
@NullMarked
package dev.prpf.eval.command;

import org.jspecify.annotations.NullMarked;
