package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import ai.djl.engine.EngineException;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException.InsufficientMemoryException;
import org.junit.jupiter.api.Test;

class FreeMemoryTest {
    @Test
    void thisMachineHasSomeAndNotMoreThanThereCanBe() {
        assertThat(FreeMemory.bytes(1)).isBetween(1L << 20, 1L << 50);
    }

    @Test
    void logitsThatDoNotFitAreRefusedBeforeTheyAreComputed() {
        assertThatThrownBy(() -> CausalLm.requireRoom(3_000_000_000L, Long.MAX_VALUE))
                .isInstanceOf(InsufficientMemoryException.class)
                .hasMessageContainingAll("3.00 GB", "at most 2.15 GB", "give fewer tokens");
        assertThatThrownBy(() -> CausalLm.requireRoom(2000, 1000)).hasMessageContaining("free");
        CausalLm.requireRoom(1000, 1000);
    }

    @Test
    void aCardsCacheIsEmptiedOnlyWhereItMayDecide() {
        long[] free = {1000};
        Runnable emptied = () -> free[0] = 5000;

        assertThat(FreeMemory.onCard(() -> free[0], emptied, 1000)).isEqualTo(1000);
        assertThat(FreeMemory.onCard(() -> free[0], emptied, 1001)).isEqualTo(5000);
    }

    @Test
    void anEngineWithoutMemoryEndsWith3AndSaysWhatToLower() {
        EngineException cuda = new EngineException("CUDA out of memory. Tried to allocate 2.00 GiB.\nmore");
        assertThat(FreeMemory.shortage(new IllegalStateException("method forward failed", cuda)))
                .hasMessageStartingWith("no memory is left: CUDA out of memory. Tried to allocate 2.00 GiB.;")
                .hasMessageContainingAll("--batch-size", "CUDA_VISIBLE_DEVICES", "nvidia-smi")
                .extracting(ExitCode::of)
                .isEqualTo(ExitCode.OUT_OF_MEMORY);
        EngineException cublas =
                new EngineException("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate");
        assertThat(FreeMemory.shortage(cublas)).hasMessageContaining(": CUDA error: CUBLAS_STATUS_ALLOC_FAILED");
        assertThat(FreeMemory.shortage(new EngineException("shapes differ"))).isNull();
        assertThat(FreeMemory.shortage(new IllegalStateException("out of memory")))
                .isNull();
    }

    /** TorchScript puts its traceback before the reason. */
    @Test
    void aScriptWithoutMemoryGivesTheAllocatorsWords() {
        try (PtNDManager manager = TorchRuntime.newManager()) {
            Throwable failure = catchThrowable(() ->
                    Script.decoder().tensor(manager, "staged", new long[] {1L << 55}, Precision.FP32.scalarType()));
            assertThat(FreeMemory.shortage(failure))
                    .hasMessageContainingAll("no memory is left: ", "allocate memory", "--batch-size")
                    .message()
                    .doesNotContain("\n", "TorchScript");
        }
    }

    @Test
    void aCardThatIsFullWhenLibtorchStartsEndsWith3() {
        Throwable error =
                new ExceptionInInitializerError(new EngineException("CUDA error: out of memory\nCUDA kernel errors"));
        assertThat(TorchRuntime.unloadable(error))
                .hasMessageStartingWith("card 0 ")
                .hasMessageContaining("no memory left for libtorch to start: CUDA error: out of memory; nvidia-smi")
                .extracting(ExitCode::of)
                .isEqualTo(ExitCode.OUT_OF_MEMORY);
    }

    @Test
    void aModelThatDoesNotFitIsRefusedWithTheFormatsThatDo() {
        DecoderConfig config = TinyModels.config(40, 64, true);
        FusedShape shape = FusedShape.linear(config, Precision.FP32);
        long needed = (long) (FusedShape.LOADING * shape.loadedBytes());

        shape.requireRoom("m", wanted -> wanted);
        assertThatThrownBy(() -> shape.requireRoom("m", wanted -> needed - 1))
                .isInstanceOf(InsufficientMemoryException.class)
                .hasMessageStartingWith("m takes 0.00 GB in fp32 and 15 % more while it loads; 0.00 GB are free; ")
                .hasMessageContaining("what fits there is bf16 (0.00 GB), int8 (0.00 GB)");
        assertThatThrownBy(() -> shape.requireRoom("m", wanted -> 10))
                .hasMessageEndingWith("no format fits: free memory there, or take a smaller model");
    }
}
