/** Runs, checkpoints, signals, memory and exit codes: everything that lets long work survive a kill. */
@NullMarked
package dev.prpf.base.run;

import org.jspecify.annotations.NullMarked;
