/** The commands of {@code prpf reasoner}. */
@NullMarked
package dev.prpf.par.command;

import org.jspecify.annotations.NullMarked;
