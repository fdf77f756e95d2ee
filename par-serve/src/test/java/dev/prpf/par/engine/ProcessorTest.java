package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.engine.MatmulKernel.Processor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProcessorTest {
    private static Processor with(String flags) {
        return Processor.described(
                List.of("processor\t: 0", "model name\t: avx512_bf16 in name only", "flags\t\t: " + flags));
    }

    @ParameterizedTest
    @CsvSource({
        "fpu avx avx2 fma, false",
        "fpu avx2 avx512f avx512_vnni, false",
        "fpu avx2 avx512f avx512_bf16, true",
        "fpu amx_tile amx_bf16 amx_int8, true",
        "fpu not_avx512_bf16_at_all, false"
    })
    void isAskedForItsInstructions(String flags, boolean multipliesBf16) {
        assertThat(with(flags).multipliesBf16()).isEqualTo(multipliesBf16);
    }

    @Test
    void ofAMachineThatDescribesNothingHasWhatEveryProcessorHas() {
        Processor unknown = Processor.described(List.of());

        assertThat(unknown.multipliesBf16()).isFalse();
        assertThat(MatmulKernel.on(unknown, Precision.FP32, false)).isEqualTo(MatmulKernel.VECTOR_OR_LINEAR);
        assertThat(MatmulKernel.on(unknown, Precision.BF16, false)).isEqualTo(MatmulKernel.VECTOR_OR_LINEAR);
        assertThat(MatmulKernel.on(unknown, Precision.INT8, false)).isEqualTo(MatmulKernel.INT8);
    }

    @ParameterizedTest
    @CsvSource({
        "fpu sse4_2, VECTOR_OR_LINEAR, VECTOR_OR_LINEAR, INT8",
        "fpu avx2, VECTOR_OR_LINEAR, VECTOR_OR_LINEAR, INT8",
        "fpu avx2 fma, ONEDNN_FP32, VECTOR_OR_LINEAR, INT8",
        "fpu avx2 fma f16c, ONEDNN_FP32, PACKED_FLOAT16, PACKED_INT8",
        "fpu avx2 fma f16c avx512f, ONEDNN_FP32, PACKED_FLOAT16, PACKED_INT8",
        "fpu avx2 fma f16c avx512f avx512_vnni, ONEDNN_FP32, PACKED_FLOAT16, ONEDNN_INT8",
        "fpu avx2 fma f16c avx512f avx512_vnni avx512_bf16, ONEDNN_FP32, ONEDNN_BF16, ONEDNN_INT8",
    })
    void decidesOnTheProductsOfMatrices(String flags, MatmulKernel fp32, MatmulKernel bf16, MatmulKernel int8) {
        assertThat(MatmulKernel.on(with(flags), Precision.FP32, false)).isEqualTo(fp32);
        assertThat(MatmulKernel.on(with(flags), Precision.BF16, false)).isEqualTo(bf16);
        assertThat(MatmulKernel.on(with(flags), Precision.INT8, false)).isEqualTo(int8);
    }

    @ParameterizedTest
    @CsvSource({
        "fpu avx2 fma f16c, PACKED_FLOAT16",
        "fpu avx2 fma f16c avx512f avx512_vnni avx512_bf16, PACKED_FLOAT16",
        "fpu amx_bf16, ONEDNN_BF16"
    })
    void deltaNetsKeepTheThreeBitsThatFloat16HasMore(String flags, MatmulKernel bf16) {
        assertThat(MatmulKernel.on(with(flags), Precision.BF16, true)).isEqualTo(bf16);
    }

    @Test
    void graphicsCardsTakeLibtorchsOwn() {
        assertThat(MatmulKernel.onGpu(Precision.FP32)).isEqualTo(MatmulKernel.LINEAR);
        assertThat(MatmulKernel.onGpu(Precision.BF16)).isEqualTo(MatmulKernel.LINEAR);
        assertThat(MatmulKernel.onGpu(Precision.INT8)).isEqualTo(MatmulKernel.INT8);
    }

    @Test
    void packedProductsComputeBetweenThemInFloat32() {
        assertThat(MatmulKernel.PACKED_FLOAT16.activations(Precision.BF16)).isEqualTo(Precision.FP32);
        assertThat(MatmulKernel.PACKED_INT8.activations(Precision.INT8)).isEqualTo(Precision.FP32);
        assertThat(MatmulKernel.ONEDNN_INT8.activations(Precision.INT8)).isEqualTo(Precision.FP32);
        assertThat(MatmulKernel.ONEDNN_BF16.activations(Precision.BF16)).isEqualTo(Precision.BF16);
        assertThat(MatmulKernel.INT8.activations(Precision.INT8)).isEqualTo(Precision.BF16);
        assertThat(MatmulKernel.LINEAR.activations(Precision.BF16)).isEqualTo(Precision.BF16);
    }
}
