/**
 * Long work that survives a kill. A {@link RunDirectory} holds a run's description, metrics and samples, and its {@link
 * CheckpointStore} the checkpoints. A {@link StopSignal} tells loops to save and end; {@link RunDirectory.Resume} decides whether a run
 * continues. {@link RunOverview} reads runs of other processes. {@link Progress} shows the progress, and {@link AvailableMemory}
 * and {@link ProcessMemory} measure memory.
 */
@NullMarked
package dev.prpf.base.run;

import org.jspecify.annotations.NullMarked;
