package dev.prpf.par.engine;

import ai.djl.Device;
import ai.djl.util.cuda.CudaUtils;
import org.jspecify.annotations.Nullable;

/** Memory in use on the card that libtorch works on. */
public final class DeviceMemory {
    private DeviceMemory() {}

    /** Bytes, of all processes that use the card; null where libtorch works on the processor. */
    public static @Nullable Long usedBytes() {
        Device device = TorchRuntime.root().getDevice();
        return device.isGpu() ? CudaUtils.getGpuMemory(device).getCommitted() : null;
    }
}
