package dev.prpf.par.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrecisionChoiceTest {
    @Test
    void aNamedFormatIsThatFormatOnEveryMachine() {
        assertThat(PrecisionChoice.FP32.resolve()).isEqualTo(Precision.FP32);
        assertThat(PrecisionChoice.BF16.resolve()).isEqualTo(Precision.BF16);
    }

    @ParameterizedTest
    @CsvSource({
        "fpu avx avx2 fma, false",
        "fpu avx2 avx512f avx512_vnni, false",
        "fpu avx2 avx512f avx512_bf16, true",
        "fpu amx_tile amx_bf16 amx_int8, true",
        "fpu not_avx512_bf16_at_all, false"
    })
    void aProcessorIsAskedForItsInstructions(String flags, boolean expected) {
        List<String> description =
                List.of("processor\t: 0", "model name\t: avx512_bf16 in name only", "flags\t\t: " + flags);
        assertThat(PrecisionChoice.multipliesBf16(description)).isEqualTo(expected);
    }

    @Test
    void aMachineThatDescribesNothingGetsTheFormatThatEveryProcessorHas() {
        assertThat(PrecisionChoice.multipliesBf16(List.of())).isFalse();
    }
}
