/** The {@code data} commands and options shared by all commands. */
@NullMarked
package dev.prpf.data.command;

import org.jspecify.annotations.NullMarked;
