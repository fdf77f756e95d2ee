package dev.prpf.par.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.device.LibtorchBuild.Refusal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CudaRuntimeTest {
    private static final String ON_PROCESSOR = "PRPF_PROFILE=cpu ./prpf runs on the processor";
    private static final LibtorchBuild CU124 = new LibtorchBuild(List.of("cu124"), "2.5.1", 12040, "2.5.1", false);

    private static @Nullable Refusal refusal(CudaRuntime cuda) {
        return cuda.refusal(CU124, Map.of());
    }

    @Test
    void aMachineWithCardDriverAndRuntimeIsAccepted() {
        assertThat(refusal(new CudaRuntime(12040, 12000, "", 90)))
                .as("a driver serves all of its major version")
                .isNull();
    }

    @Test
    void aMissingRuntimeIsRefused() {
        assertThat(refusal(new CudaRuntime(0, 0, "", 0)))
                .isEqualTo(new Refusal(
                        "it is built for CUDA 12.4, and the loader finds no libcudart.so, without a version in its name"
                                + " (LD_LIBRARY_PATH=)",
                        "install the runtime of CUDA 12.4 or newer and name its folder, as"
                                + " LD_LIBRARY_PATH=/usr/local/cuda/lib64; " + ON_PROCESSOR));
    }

    @Test
    void anOlderRuntimeIsRefusedForTheBundledLibtorch() {
        CudaRuntime old = new CudaRuntime(12010, 12040, "", 90);
        assertThat(Objects.requireNonNull(refusal(old)).found())
                .isEqualTo("libcudart.so is of CUDA 12.1, and this build needs CUDA 12.4 or newer");
        assertThat(old.refusal(new LibtorchBuild(List.of("w"), "2.7.1", 12060, "2.7.1", true), Map.of()))
                .isNull();
    }

    @Test
    void aDriverOfAnOlderMajorVersionIsRefused() {
        assertThat(refusal(new CudaRuntime(12040, 11080, "CUDA driver version is insufficient", 0)))
                .isEqualTo(new Refusal(
                        "the driver serves CUDA 11.8 at most, and libcudart.so is of CUDA 12.4",
                        "install a driver for CUDA 12 or newer; " + ON_PROCESSOR));
        assertThat(Objects.requireNonNull(refusal(new CudaRuntime(12040, 0, "CUDA driver version is insufficient", 0)))
                        .found())
                .isEqualTo("no NVIDIA driver answers, and libcudart.so is of CUDA 12.4");
        LibtorchBuild wheel = new LibtorchBuild(List.of("w"), "2.7.1", 12060, "2.7.1", true);
        assertThat(Objects.requireNonNull(new CudaRuntime(11080, 11080, "", 90).refusal(wheel, Map.of()))
                        .found())
                .as("libcudart.so is as old as the driver, the wheel is not")
                .isEqualTo("the driver serves CUDA 11.8 at most, and libtorch is of CUDA 12.6");
    }

    @Test
    void noVisibleCardIsRefused() {
        CudaRuntime hidden = new CudaRuntime(12040, 12040, "no CUDA-capable device is detected", 0);
        assertThat(hidden.refusal(CU124, Map.of("CUDA_VISIBLE_DEVICES", "7")))
                .isEqualTo(new Refusal(
                        "CUDA sees no card (\"no CUDA-capable device is detected\", CUDA_VISIBLE_DEVICES 7)",
                        "CUDA_VISIBLE_DEVICES must name a card that nvidia-smi lists; a container needs --gpus all; "
                                + ON_PROCESSOR));
    }

    @ParameterizedTest
    @CsvSource({
        "12040, 37, false", "12040, 50, true", "12040, 61, true", "12040, 89, true", "12060, 90, true",
        "12060, 100, false", "12080, 70, false", "12080, 75, true", "12080, 100, true", "12080, 121, true"
    })
    void cardsWithoutKernelsAreRefused(int cuda, int capability, boolean runs) {
        LibtorchBuild build = new LibtorchBuild(List.of("t"), "2.7.1", cuda, "2.7.1", true);
        assertThat(build.runsOn(capability)).isEqualTo(runs);
    }

    @Test
    void theRefusedCardIsNamedWithWhatTheBuildHas() {
        assertThat(refusal(new CudaRuntime(12080, 12080, "", 120)))
                .isEqualTo(new Refusal(
                        "the first card has compute capability 12.0, and libtorch 2.5.1 for CUDA 12.4 has kernels for"
                                + " 5.0 to 9.0",
                        "name another card in CUDA_VISIBLE_DEVICES, or take the build that docs/GPU.md lists for this"
                                + " one"));
    }
}
