/** Failures that are not bugs, by whose fault they are; {@link dev.prpf.base.error.ExitCode} turns them into exit statuses. */
@NullMarked
package dev.prpf.base.error;

import org.jspecify.annotations.NullMarked;
