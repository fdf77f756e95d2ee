package dev.prpf.mpp.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.data.encode.EncoderSettings.ContextUnit;
import dev.prpf.mpp.network.definition.NetworkShape;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class MppConfigTest {
    private static final Path SHIPPED = Path.of(System.getProperty("prpf.root", ".."), "configs", "gate.yaml");

    @Test
    void theShippedFileHasThePapersValues() {
        MppConfig config = StrictYaml.read(SHIPPED, MppConfig.class, List.of());
        MppTraining.Settings settings = MppTraining.Settings.of(config, 512, 14);
        assertThat(settings.optimizer().learningRate()).isEqualTo(1e-4);
        assertThat(settings.optimizer().batch()).isEqualTo(8);
        assertThat(settings.epochs()).isEqualTo(50);
        assertThat(settings.patience()).isEqualTo(10);
        assertThat(settings.shape().transformer().dimension()).isEqualTo(256);
        assertThat(settings.shape().window().recentSteps()).isEqualTo(4);
        assertThat(settings.shape().channels()).isEqualTo(NetworkShape.Channels.BOTH);
        assertThat(settings.loss().scenarioWeight()).isEqualTo(0.5);
        assertThat(config.training().devShare()).isEqualTo(0.2);
        assertThat(config.threshold().minRecall()).isEqualTo(90);
    }

    @Test
    void theLastTenAreSeenAndNullSeesAll() {
        NetworkShape shipped =
                StrictYaml.read(SHIPPED, MppConfig.class, List.of()).network().shape(512, 14);
        assertThat(shipped.window().maxSteps()).isEqualTo(10);
        assertThat(shipped.window().maxScreenshots()).isEqualTo(10);
        MppConfig unlimited = StrictYaml.read(
                SHIPPED, MppConfig.class, List.of("network.max-steps=null", "network.max-screenshots=null"));
        assertThat(unlimited.network().shape(512, 14).window().maxSteps()).isEqualTo(NetworkShape.UNLIMITED);
        assertThat(StrictYaml.readText("written", StrictYaml.write(unlimited), MppConfig.class, List.of()))
                .isEqualTo(unlimited);
        assertThatThrownBy(() -> StrictYaml.read(SHIPPED, MppConfig.class, List.of("network.max-screenshots=3")))
                .hasMessageContaining("max-screenshots = 3 must be at least recent-steps = 4");
        assertThatThrownBy(() -> StrictYaml.read(SHIPPED, MppConfig.class, List.of("calibration.share=0.8")))
                .hasMessageContaining("leave samples to train on");
        assertThatThrownBy(() -> StrictYaml.read(SHIPPED, MppConfig.class, List.of("threshold.min-recall=0")))
                .hasMessageContaining("threshold.min-recall = 0.0 must be in (0, 100]");
    }

    @Test
    void sentencesAndSharedStepsAreOffUnlessAskedFor() {
        NetworkShape shipped =
                StrictYaml.read(SHIPPED, MppConfig.class, List.of()).network().shape(512, 14);
        assertThat(shipped.inputs().sentences()).isZero();
        assertThat(shipped.contextUnit()).isEqualTo(ContextUnit.TEXT);
        assertThat(shipped.inputs().sharedSteps()).isFalse();
        MppConfig config = StrictYaml.read(
                SHIPPED, MppConfig.class, List.of("network.context-sentences=24", "network.shared-steps=true"));
        assertThat(config.network().shape(512, 14).inputs().sentences()).isEqualTo(24);
        assertThat(config.network().contextUnit()).isEqualTo(ContextUnit.SENTENCE);
        SeedPlan.Run withoutFast = new SeedPlan.Run(SeedPlan.Variant.WITHOUT_FAST, config.seed(), "");
        assertThat(withoutFast.config(config).network().contextSentences()).isEqualTo(24);
        assertThat(withoutFast.config(config).network().sharedSteps()).isTrue();
        assertThatThrownBy(() -> StrictYaml.read(SHIPPED, MppConfig.class, List.of("network.context-sentences=0")))
                .hasMessageContaining("context-sentences = 0 must be at least 1, or null for one vector per text");
        assertThatThrownBy(() -> StrictYaml.read(
                        SHIPPED,
                        MppConfig.class,
                        List.of("network.shared-steps=true", "encoder.frame-encoder=clip:models/clip")))
                .hasMessageContaining("only a frame encoder that reads text (ocr) makes vectors");
    }

    @Test
    void aValueOutOfRangeIsNamed() {
        assertThatThrownBy(() -> StrictYaml.read(SHIPPED, MppConfig.class, List.of("network.heads=3")))
                .hasMessageContaining("heads = 3 must be a divisor of dimension = 256");
        assertThatThrownBy(() -> StrictYaml.read(SHIPPED, MppConfig.class, List.of("training.dev-share=1.5")))
                .hasMessageContaining("dev-share = 1.5");
    }
}
