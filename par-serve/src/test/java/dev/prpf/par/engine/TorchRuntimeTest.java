package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.error.ExitCode;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class TorchRuntimeTest {
    @Test
    void aLibraryThatCannotBeLoadedIsNamedWithItsWayOut() {
        Throwable error = new ExceptionInInitializerError(
                new IllegalStateException("Failed to download", new IOException("Offline model is enabled.")));

        assertThat(TorchRuntime.unloadable(error))
                .hasMessageStartingWith("libtorch cannot be loaded (java.io.IOException: Offline model is enabled.)")
                .hasMessageContaining("./prpf doctor checks what it needs")
                .extracting(ExitCode::of)
                .isEqualTo(ExitCode.UNAVAILABLE);
    }

    /** On a card the one waits, and the other is a number; this build's libraries work on the processor. */
    @Test
    void withoutACardThereIsNothingToWaitForAndNoMemoryOfOne() {
        TorchRuntime.synchronise();
        assertThat(TorchRuntime.device()).isEqualTo("cpu");
        assertThat(TorchRuntime.card()).isNull();
        assertThat(FreeMemory.place()).isEmpty();
    }
}
