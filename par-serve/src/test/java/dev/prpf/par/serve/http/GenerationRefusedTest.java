package dev.prpf.par.serve.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.generate.GenerationRequest.GenerationRefused;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Statuses of requests that the generation service did not take or finish. */
class GenerationRefusedTest {
    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "TOO_LONG, 400, context_length_exceeded, -",
                "FULL, 429, overloaded, 2",
                "LATE, 504, timeout, -",
                "STOPPED, 503, unavailable, 2",
                "FAILED, 503, unavailable, -"
            })
    void eachReasonHasItsStatus(GenerationRefused.Reason reason, int status, String code, @Nullable Long seconds) {
        ApiException error = ApiException.of(new GenerationRefused(reason, "why"));
        assertThat(error.status()).isEqualTo(status);
        assertThat(error.body().error().message()).isEqualTo("why");
        assertThat(error.body().error().code()).isEqualTo(code);
        assertThat(error.retryAfter() == null ? null : error.retryAfter().toSeconds())
                .isEqualTo(seconds);
    }
}
