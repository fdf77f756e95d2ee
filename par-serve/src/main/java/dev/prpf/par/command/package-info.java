/**
 * The commands of {@code prpf reasoner}, the commands of {@code prpf data} that need the reasoner's prompts, and {@code prpf
 * serve}'s base. {@link TrainingCommand} is the base of the commands that train. Classes named {@code …Options} are the options
 * that several commands share.
 */
@NullMarked
package dev.prpf.par.command;

import org.jspecify.annotations.NullMarked;
