package dev.prpf.par.device;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import dev.prpf.par.device.LibtorchBuild.Refusal;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * CUDA as its runtime library reports it. DJL calls the same {@code libcudart.so}.
 *
 * @param version of the library, 12040 for 12.4; 0 if none is found
 * @param driver the newest CUDA that the driver supports; 0 without a driver
 * @param error the library's message if it finds no GPU; else empty
 * @param capability the compute capability of the first GPU, 90 for 9.0; 0 without one
 */
public record CudaRuntime(int version, int driver, String error, int capability) {
    private static final int MAJOR = 75;
    private static final int MINOR = 76;
    private static final int MAJOR_UNIT = 1000;
    private static final String ON_PROCESSOR = "PRPF_PROFILE=cpu ./prpf runs on the processor";

    /** The called functions of libcudart.so. */
    private interface Cudart extends Library {
        int cudaRuntimeGetVersion(int[] version);

        int cudaDriverGetVersion(int[] version);

        int cudaGetDeviceCount(int[] count);

        int cudaDeviceGetAttribute(int[] value, int attribute, int device);

        String cudaGetErrorString(int code);
    }

    /** Loads {@code libcudart.so} and returns what it reports; with a wheel's libtorch also from the wheel of CUDA's runtime next to it. */
    public static CudaRuntime find(LibtorchBuild build) {
        if (build.onPath()) {
            Path runtime = Path.of(build.places().get(0), "../../nvidia/cuda_runtime/lib");
            NativeLibrary.addSearchPath("cudart", runtime.normalize().toString());
        }
        Cudart cudart;
        try {
            cudart = Native.load("cudart", Cudart.class);
        } catch (UnsatisfiedLinkError e) {
            return new CudaRuntime(0, 0, "", 0);
        }
        int[] version = new int[1];
        int[] driver = new int[1];
        int[] value = new int[1];
        cudart.cudaRuntimeGetVersion(version);
        cudart.cudaDriverGetVersion(driver);
        int code = cudart.cudaGetDeviceCount(value);
        if (code != 0 || value[0] == 0) {
            return new CudaRuntime(version[0], driver[0], cudart.cudaGetErrorString(code), 0);
        }
        cudart.cudaDeviceGetAttribute(value, MAJOR, 0);
        int capability = 10 * value[0];
        cudart.cudaDeviceGetAttribute(value, MINOR, 0);
        return new CudaRuntime(version[0], driver[0], "", capability + value[0]);
    }

    /** Returns why a libtorch for CUDA cannot run on this machine, or null. */
    @Nullable
    Refusal refusal(LibtorchBuild build, Map<String, String> environment) {
        String needed = "CUDA " + dotted(build.cuda());
        if (version == 0) {
            return new Refusal(
                    "it is built for " + needed
                            + ", and the loader finds no libcudart.so, without a version in its name"
                            + " (LD_LIBRARY_PATH=" + environment.getOrDefault("LD_LIBRARY_PATH", "") + ")",
                    "install the runtime of " + needed + " or newer and name its folder, as"
                            + " LD_LIBRARY_PATH=/usr/local/cuda/lib64; " + ON_PROCESSOR);
        }
        if (!build.onPath() && version < build.cuda()) {
            return new Refusal(
                    "libcudart.so is of CUDA " + dotted(version) + ", and this build needs " + needed + " or newer",
                    "name the folder of a newer one first in LD_LIBRARY_PATH");
        }
        int newest = Math.max(version, build.cuda());
        if (driver / MAJOR_UNIT < newest / MAJOR_UNIT) {
            String found =
                    driver == 0 ? "no NVIDIA driver answers" : "the driver serves CUDA " + dotted(driver) + " at most";
            return new Refusal(
                    found + ", and " + (version < newest ? "libtorch" : "libcudart.so") + " is of CUDA "
                            + dotted(newest),
                    "install a driver for CUDA " + newest / MAJOR_UNIT + " or newer; " + ON_PROCESSOR);
        }
        return cardRefusal(build, environment);
    }

    private @Nullable Refusal cardRefusal(LibtorchBuild build, Map<String, String> environment) {
        if (!error.isEmpty()) {
            return new Refusal(
                    "CUDA sees no card (\"" + error + "\", CUDA_VISIBLE_DEVICES "
                            + environment.getOrDefault("CUDA_VISIBLE_DEVICES", "is not set") + ")",
                    "CUDA_VISIBLE_DEVICES must name a card that nvidia-smi lists; a container needs --gpus all; "
                            + ON_PROCESSOR);
        }
        if (!build.runsOn(capability)) {
            return new Refusal(
                    "the first card has compute capability " + capability / 10 + "." + capability % 10
                            + ", and libtorch " + build.version() + " for CUDA " + dotted(build.cuda())
                            + " has kernels for " + build.capabilities(),
                    "name another card in CUDA_VISIBLE_DEVICES, or take the build that docs/GPU.md lists for this one");
        }
        return null;
    }

    /** Returns 12.4 for 12040. */
    static String dotted(int version) {
        return version / MAJOR_UNIT + "." + version % MAJOR_UNIT / 10;
    }
}
