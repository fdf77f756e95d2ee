package dev.prpf.data.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import ai.onnxruntime.OrtException;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException.InsufficientMemoryException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OnnxModelTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Failed to allocate memory for requested buffer of size 8",
                "CUDA failure 2: out of memory ; GPU=0",
                "CUBLAS failure 3: CUBLAS_STATUS_ALLOC_FAILED"
            })
    void aModelWithoutMemoryEndsWith3(String cause) {
        RuntimeException failure = OnnxModel.failure("bge", failed(cause));

        assertThat(failure)
                .isInstanceOf(InsufficientMemoryException.class)
                .hasMessageStartingWith("model bge failed: ")
                .hasMessageContainingAll(cause, "encode fewer texts or images at once");
        assertThat(ExitCode.of((InsufficientMemoryException) failure)).isEqualTo(ExitCode.OUT_OF_MEMORY);
    }

    @Test
    void anotherFailureIsNoLackOfMemory() {
        assertThat(OnnxModel.failure("bge", failed("Invalid rank for input")))
                .isExactlyInstanceOf(IllegalStateException.class);
    }

    private static OrtException failed(String message) {
        return new OrtException(OrtException.OrtErrorCode.ORT_RUNTIME_EXCEPTION, message);
    }
}
