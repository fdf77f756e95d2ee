/**
 * Commands that run other commands: {@link dev.prpf.base.workflow.Placeholders} fills the texts of a plan,
 * {@link dev.prpf.base.workflow.ParsedCommand} parses each command before any runs. {@link dev.prpf.base.workflow.StageRunner}
 * runs {@link dev.prpf.base.workflow.Stage}s in order and records which are done; a {@link dev.prpf.base.workflow.StageRunner.CommandRunner}
 * runs a stage's commands, in this process or in a new one.
 *
 * <p>Invariant: a stage that finished before a kill is not repeated.
 */
@NullMarked
package dev.prpf.base.workflow;

import org.jspecify.annotations.NullMarked;
