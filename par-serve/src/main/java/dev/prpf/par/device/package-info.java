/**
 * The GPU that libtorch uses, by NVIDIA's driver and its management library (NVML), through JNA and without libtorch: {@link
 * dev.prpf.par.device.Card} names it, {@link dev.prpf.par.device.Nvml} reads the memory that this process has reserved, {@link
 * dev.prpf.par.device.PeakMemory} its peak while work runs. Nothing here fails a command: an unreadable figure is null, with the reason.
 */
@NullMarked
package dev.prpf.par.device;

import org.jspecify.annotations.NullMarked;
