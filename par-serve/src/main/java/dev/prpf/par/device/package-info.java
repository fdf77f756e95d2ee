/**
 * The GPU that libtorch uses, by NVIDIA's driver and its management library (NVML), through JNA and without libtorch: {@link
 * dev.prpf.par.device.Card} names it, {@link dev.prpf.par.device.Nvml} reads the memory that this process has reserved, {@link
 * dev.prpf.par.device.PeakMemory} its peak while work runs. Nothing here fails a command: an unreadable figure is null, with the reason.
 *
 * <p>Before libtorch is loaded, {@link dev.prpf.par.device.LibtorchBuild} identifies its build and {@link dev.prpf.par.device.CudaRuntime} the
 * machine's CUDA. Each returns a refusal for a state that would fail later: {@code prpf doctor} reports it, {@code TorchRuntime} throws it.
 */
@NullMarked
package dev.prpf.par.device;

import org.jspecify.annotations.NullMarked;
