/** The {@code data} command group and the options every command shares. */
@NullMarked
package dev.prpf.data.command;

import org.jspecify.annotations.NullMarked;
