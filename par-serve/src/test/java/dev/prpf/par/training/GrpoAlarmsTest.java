package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.training.GrpoTraining.GrpoAlarms;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GrpoAlarmsTest {
    private static Map<String, Double> metrics(double flat, double entropy, double clipped, double gap) {
        Map<String, Double> metrics = new HashMap<>();
        metrics.put("frac_reward_zero_std", flat);
        metrics.put("entropy", entropy);
        metrics.put("completions/clipped_ratio", clipped);
        metrics.put(PolicyGradient.SamplerMismatch.MEAN, gap);
        return metrics;
    }

    @Test
    void aHealthyStepRingsNone() {
        assertThat(GrpoAlarms.after(1, metrics(0.5, 1, 0.1, 0.001), null, List.of()))
                .isEmpty();
        assertThat(GrpoAlarms.after(2, metrics(0.5, 0.5, 0.1, 0.001), 1.0, List.of()))
                .isEmpty();
    }

    @Test
    void eachRingsByItsOwnMetric() {
        assertThat(GrpoAlarms.after(2, metrics(0.95, 1, 0, 0), 1.0, List.of()))
                .containsExactly(GrpoAlarms.ZERO_VARIANCE);
        assertThat(GrpoAlarms.after(2, metrics(0, 0.05, 0, 0), 1.0, List.of())).containsExactly(GrpoAlarms.ENTROPY);
        assertThat(GrpoAlarms.after(2, metrics(0, 1, 0.6, 0), 1.0, List.of())).containsExactly(GrpoAlarms.TRUNCATION);
        assertThat(GrpoAlarms.after(2, metrics(0, 1, 0, 0.2), 1.0, List.of())).containsExactly(GrpoAlarms.MISMATCH);
    }

    @Test
    void itRingsAsLongAsItLasts() {
        List<String> before = List.of(GrpoAlarms.ZERO_VARIANCE);
        assertThat(GrpoAlarms.after(3, metrics(1, 1, 1, 0), 1.0, before))
                .containsExactly(GrpoAlarms.ZERO_VARIANCE, GrpoAlarms.TRUNCATION);
    }
}
