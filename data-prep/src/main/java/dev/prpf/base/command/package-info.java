/** What every command line shares: options of configurations and runs, the one way to standard output, and exit statuses. */
@NullMarked
package dev.prpf.base.command;

import org.jspecify.annotations.NullMarked;
