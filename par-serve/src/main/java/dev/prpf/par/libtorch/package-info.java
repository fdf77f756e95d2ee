/**
 * The libtorch of this process before it is loaded: {@link dev.prpf.par.libtorch.LibtorchBuild} reads which one it is, {@link
 * dev.prpf.par.libtorch.CudaRuntime} which CUDA and which card the machine has. Each returns a {@link dev.prpf.par.libtorch.Refusal} for a state
 * that would fail later. {@code prpf doctor} reports it; {@link dev.prpf.par.engine.TorchRuntime} throws it instead of loading.
 */
@NullMarked
package dev.prpf.par.libtorch;

import org.jspecify.annotations.NullMarked;
