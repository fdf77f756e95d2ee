/**
 * The libtorch of this process before it is loaded: {@link dev.prpf.par.libtorch.LibtorchBuild} identifies the build, {@link
 * dev.prpf.par.libtorch.CudaRuntime} the machine's CUDA and GPU. Each returns a {@link dev.prpf.par.libtorch.LibtorchBuild.Refusal} for a state that would fail
 * later. {@code prpf doctor} reports it; {@link dev.prpf.par.engine.TorchRuntime} throws it instead of loading.
 */
@NullMarked
package dev.prpf.par.libtorch;

import org.jspecify.annotations.NullMarked;
