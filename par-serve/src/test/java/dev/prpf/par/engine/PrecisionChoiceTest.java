package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrecisionChoiceTest {
    @Test
    void aNamedFormatIsThatFormatOnEveryMachine() {
        assertThat(PrecisionChoice.FP32.resolve()).isEqualTo(Precision.FP32);
        assertThat(PrecisionChoice.BF16.resolve()).isEqualTo(Precision.BF16);
    }
}
