/** The commands of {@code prpf gate}: train, sweep (chooses the threshold) and predict. */
@NullMarked
package dev.prpf.mpp.command;

import org.jspecify.annotations.NullMarked;
