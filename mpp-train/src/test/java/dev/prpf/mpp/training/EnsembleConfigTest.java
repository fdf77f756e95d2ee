package dev.prpf.mpp.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.mpp.ensemble.MemberPlan;
import dev.prpf.mpp.network.Device;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnsembleConfigTest {
    private static final Path SHIPPED = Path.of(System.getProperty("prpf.root", ".."), "configs", "gate-ensemble.yaml");

    private static EnsembleConfig config(String... overrides) {
        return StrictYaml.read(SHIPPED, EnsembleConfig.class, List.of(overrides));
    }

    @Test
    void perceiverUsesTheFirstEncoder() {
        EnsembleConfig config = config("encoder.frame-encoder=clip:models/clip");
        Path store = Path.of("store");

        MppConfig perceiver = Objects.requireNonNull(config.perceiverConfig());
        assertThat(perceiver.encoder().textEncoder())
                .isEqualTo(config.textEncoders().get(0));
        assertThat(perceiver.seed()).isEqualTo(config.seed());
        assertThat(perceiver.calibration().share()).isZero();
        EncoderSettings first = config.encoders(store, null);
        assertThat(first).isEqualTo(perceiver.encoders(store, null));
        assertThat(first.frameEncoder()).isEqualTo("clip:models/clip");
        assertThat(config.linearEncoders(first))
                .hasSameSizeAs(config.textEncoders())
                .allSatisfy(settings -> assertThat(settings.frameEncoder()).isEqualTo("ocr"));
    }

    @Test
    void aMemberIsLeftOutWithNull() {
        EnsembleConfig config = config("perceiver=null", "tf-idf=null", "text-encoders=[all-minilm-l6-v2]");

        assertThat(config.members()).extracting(MemberPlan::name).containsExactly("all-minilm-l6-v2 + LR");
        assertThat(config.perceiverConfig()).isNull();
        assertThat(config.device()).isEqualTo(Device.CPU);
        assertThat(config.encoders(Path.of("store"), null).frameEncoder()).isEqualTo("ocr");
        assertThat(config("vectors=null", "tf-idf=null", "steps={analyzer: words}")
                        .members())
                .extracting(MemberPlan::name)
                .containsExactly(MemberPlan.STEPS);
        assertThatThrownBy(() -> config("vectors=null", "tf-idf=null"))
                .hasMessageContaining("vectors, tf-idf and steps are all null: at least one is needed");
        assertThat(config().members()).extracting(MemberPlan::name).contains(MemberPlan.ALL, MemberPlan.TERMS);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "folds=1 | folds = 1 must be at least 2",
                "dev-share=1 | dev-share = 1.0 must be in (0, 1), or 0 where steps is the only member",
                "dev-share=0 | dev-share = 0.0 must be in (0, 1), or 0 where steps is the only member",
                "text-encoders=[] | text-encoders = [] must be 1 to 4 encoders",
                "text-encoders=[e5-small-v2, e5-small-v2] | must be without duplicates",
                "text-encoders=[no-such] | text-encoder = no-such must be bge-small-zh-v1.5",
                "vectors.c=[] | c = [] must be numbers above 0, at least one",
                "vectors.c=[0] | c = [0.0] must be numbers above 0, at least one",
                "tf-idf.analyzer=syllables | tf-idf.analyzer",
                "calibration.share=0.9 | dev-share = 0.2, calibration.share = 0.9: together they must leave",
                "threshold.min-recall=0 | threshold.min-recall = 0.0 must be in (0, 100]",
                "perceiver.network.heads=7 | heads",
                "perceiver.network.head=7 | did you mean"
            })
    void mistakesAreNamedWithTheirRule(String override, String message) {
        assertThatThrownBy(() -> config(override))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining(message);
    }
}
