/** {@code prpf runs}: {@link dev.prpf.cli.runs.RunsCommand} lists runs with the command that resumes each. */
@NullMarked
package dev.prpf.cli.runs;

import org.jspecify.annotations.NullMarked;
