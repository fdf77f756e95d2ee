/** The {@code mpp} command group. */
@NullMarked
package dev.prpf.mpp.command;

import org.jspecify.annotations.NullMarked;
