/** Options and output shared by all commands: configuration, runs, trackers, and standard output. */
@NullMarked
package dev.prpf.base.command;

import org.jspecify.annotations.NullMarked;
