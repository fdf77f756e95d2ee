/**
 * The card that libtorch works on, as NVIDIA's driver and its management library (NVML) describe it; both are called through JNA and need no
 * libtorch.
 *
 * <p>{@link dev.prpf.par.device.Card} names the card in logs and messages. {@link dev.prpf.par.device.Nvml} reads the memory that this
 * process has reserved there, {@link dev.prpf.par.device.PeakMemory} its peak while work runs.
 *
 * <p>Invariants: nothing here fails a command; a figure that cannot be read is null, with the reason.
 */
@NullMarked
package dev.prpf.par.device;

import org.jspecify.annotations.NullMarked;
