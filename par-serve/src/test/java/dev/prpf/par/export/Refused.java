package dev.prpf.par.export;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** That something is refused, with that exit code and those words. */
public final class Refused {
    private Refused() {}

    public static void with(int status, ThrowingCallable call, String... words) {
        assertThatThrownBy(call)
                .isInstanceOf(PrpfException.class)
                .hasMessageContainingAll(words)
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(status);
    }
}
