package dev.prpf.par.serve.generation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.par.serve.generation.GenerationService.ServiceSettings;
import dev.prpf.par.serve.http.ServerMetrics;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class VisionTurnsTest {
    @Test
    void allTurnsOfARequestShareOneDeadline() {
        VisionTurns turns = new VisionTurns(new ServiceSettings(1, 2, 1, 0, 1, 1), new ServerMetrics());
        Runnable waiting = turns.limited(() -> {});
        String first = turns.turn("a", waiting, () -> {
            LockSupport.parkNanos(Duration.ofMillis(1100).toNanos());
            return "seen";
        });
        assertThat(first).isEqualTo("seen");
        assertThatThrownBy(() -> turns.turn("a", waiting, () -> "seen"))
                .hasMessage("the turn of the request's images did not come within the request's time");
    }
}
