/**
 * Commands that run other commands: {@link dev.prpf.base.stage.StageRunner} runs {@link dev.prpf.base.stage.Stage}s one after the other
 * and remembers which are done; a {@link dev.prpf.base.stage.CommandRunner} runs a stage's commands, in this process or in one of their own.
 *
 * <p>Invariant: a stage that was done before a kill is not done again.
 */
@NullMarked
package dev.prpf.base.stage;

import org.jspecify.annotations.NullMarked;
