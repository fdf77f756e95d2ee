/** Failures that are not bugs, one class per cause; {@link dev.prpf.base.error.ExitCode} maps them to exit statuses. */
@NullMarked
package dev.prpf.base.error;

import org.jspecify.annotations.NullMarked;
