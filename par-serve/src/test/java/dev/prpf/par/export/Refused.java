package dev.prpf.par.export;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.data.run.PrpfException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** That something is refused, with that exit code and those words. */
final class Refused {
    private Refused() {}

    static void with(int status, ThrowingCallable call, String... words) {
        assertThatThrownBy(call)
                .isInstanceOf(PrpfException.class)
                .hasMessageContainingAll(words)
                .extracting(e -> ((PrpfException) e).exitCode().status())
                .isEqualTo(status);
    }
}
