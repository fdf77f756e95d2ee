package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.device.LibtorchBuild;
import dev.prpf.par.engine.Precision.PrecisionChoice;
import java.util.List;
import org.junit.jupiter.api.Test;

class PrecisionChoiceTest {
    @Test
    void aNamedFormatIsThatFormatOnEveryMachine() {
        assertThat(PrecisionChoice.FP32.resolve()).isEqualTo(Precision.FP32);
        assertThat(PrecisionChoice.BF16.resolve()).isEqualTo(Precision.BF16);
    }

    @Test
    void withoutAnOptionABuildForCudaTakesBf16() {
        LibtorchBuild cpu = new LibtorchBuild(List.of("pytorch-native-cpu"), "2.7.1", 0, "2.7.1", false);
        LibtorchBuild cuda = new LibtorchBuild(List.of("pytorch-native-cu124"), "2.5.1", 12040, "2.5.1", false);

        assertThat(Precision.usual(cpu)).isEqualTo(Precision.FP32);
        assertThat(Precision.usual(cuda)).isEqualTo(Precision.BF16);
    }
}
