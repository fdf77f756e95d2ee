/**
 * What a sample is: the words every other room uses.
 *
 * <p>Key types: {@link dev.prpf.data.Sample} (context, trajectory, valid answers), {@link dev.prpf.data.FunctionPool} (the
 * callable functions), {@link dev.prpf.data.ScenarioCatalog} (the intent scenarios and the map function to scenario). All are
 * immutable values checked on construction. Reading and writing live in {@code io}, checking in {@code check}, making in
 * {@code synth}, encoding in {@code encode}, configuration in {@code config}, runs and checkpoints in {@code run}.
 */
@NullMarked
package dev.prpf.data;

import org.jspecify.annotations.NullMarked;
