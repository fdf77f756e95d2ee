package dev.prpf.par.grpo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.par.grpo.GrpoSettings.AdvantageSettings.Scale;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class GrpoPresetTest {
    @Test
    void namedAfterTheirSources() {
        assertThat(Arrays.stream(GrpoPreset.values()).map(GrpoPreset::label))
                .containsExactly("prpf", "grpo-original", "dr_grpo", "dapo", "trl-dapo", "verl-token-mean", "gspo");
        for (GrpoPreset preset : GrpoPreset.values()) {
            assertThat(GrpoPreset.named(preset.label())).isEqualTo(preset);
        }
        assertThatThrownBy(() -> GrpoPreset.named("drgrpo"))
                .hasMessageContaining("loss preset = drgrpo, must be one of [prpf, grpo-original, dr_grpo");
    }

    @Test
    void thePapersObjective() {
        GrpoSettings prpf = GrpoPreset.PRPF.settings();
        assertThat(prpf.klCoefficient()).isEqualTo(0.05);
        assertThat(prpf.clipLow()).isEqualTo(0.2);
        assertThat(prpf.clipHigh()).isEqualTo(0.2);
        assertThat(prpf.aggregation()).isEqualTo(GrpoSettings.LossAggregation.SEQUENCE_MEAN);
        assertThat(prpf.advantages().scale()).isEqualTo(Scale.SAMPLE_STD);
    }

    @Test
    void whatTheOthersDifferIn() {
        assertThat(GrpoPreset.GRPO_ORIGINAL.settings())
                .isEqualTo(GrpoPreset.PRPF.settings().withKlCoefficient(0.04));
        assertThat(GrpoPreset.DR_GRPO.settings().advantages().scale()).isEqualTo(Scale.NONE);
        assertThat(GrpoPreset.DR_GRPO.settings().aggregation()).isEqualTo(GrpoSettings.LossAggregation.FIXED_LENGTH);
        assertThat(GrpoPreset.DAPO.settings().clipHigh()).isEqualTo(0.28);
        assertThat(GrpoPreset.TRL_DAPO.settings().clipHigh()).isEqualTo(0.2);
        assertThat(GrpoPreset.VERL_TOKEN_MEAN.settings().dualClip()).isEqualTo(3.0);
        assertThat(GrpoPreset.VERL_TOKEN_MEAN.settings().advantages().epsilon()).isEqualTo(1e-6);
        assertThat(GrpoPreset.GSPO.settings().level()).isEqualTo(GrpoSettings.ImportanceLevel.SEQUENCE);
    }

    @Test
    void divisorsOfAStep() {
        assertThat(GrpoSettings.LossAggregation.SEQUENCE_MEAN.divisor(8, 100, 512))
                .isEqualTo(8);
        assertThat(GrpoSettings.LossAggregation.TOKEN_MEAN.divisor(8, 100, 512)).isEqualTo(100);
        assertThat(GrpoSettings.LossAggregation.TOKEN_MEAN.divisor(8, 0, 512)).isEqualTo(1);
        assertThat(GrpoSettings.LossAggregation.FIXED_LENGTH.divisor(8, 100, 512))
                .isEqualTo(4096);
    }

    @Test
    void settingsOutOfTheirRangeAreRefused() {
        GrpoSettings prpf = GrpoPreset.PRPF.settings();
        assertThatThrownBy(() -> prpf.withKlCoefficient(-1)).hasMessage("kl-coefficient = -1.0 must be at least 0");
        assertThatThrownBy(() -> with(prpf, 0, null)).hasMessage("clip-low = 0.0 must be in (0, 1)");
        assertThatThrownBy(() -> with(prpf, 0.2, 1.0)).hasMessage("dual-clip = 1.0 must be > 1");
    }

    private static GrpoSettings with(GrpoSettings base, double clipLow, @Nullable Double dual) {
        return new GrpoSettings(base.advantages(), base.level(), base.aggregation(), clipLow, 0.2, 0, dual, null);
    }
}
