/** The {@code par} command group. */
@NullMarked
package dev.prpf.par.command;

import org.jspecify.annotations.NullMarked;
