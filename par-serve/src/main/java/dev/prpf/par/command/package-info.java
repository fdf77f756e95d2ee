/** The commands of {@code prpf par}. */
@NullMarked
package dev.prpf.par.command;

import org.jspecify.annotations.NullMarked;
