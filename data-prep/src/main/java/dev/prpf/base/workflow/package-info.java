/**
 * Commands that run other commands: {@link dev.prpf.base.workflow.Placeholders} fills the texts of a plan, {@link
 * dev.prpf.base.workflow.ParsedCommand} reads each command before anything runs, {@link dev.prpf.base.workflow.StageRunner} runs {@link
 * dev.prpf.base.workflow.Stage}s one after the other and remembers which are done; a {@link dev.prpf.base.workflow.CommandRunner} runs a
 * stage's commands, in this process or in a new one.
 *
 * <p>Invariant: a stage that was done before a kill is not done again.
 */
@NullMarked
package dev.prpf.base.workflow;

import org.jspecify.annotations.NullMarked;
