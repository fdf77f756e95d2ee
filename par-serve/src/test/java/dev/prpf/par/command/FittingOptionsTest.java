package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.command.ConfigOptions;
import dev.prpf.par.training.ParSftConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class FittingOptionsTest {
    private static String fitting(Predicate<ParSftConfig> fits) {
        ConfigOptions options = new ConfigOptions();
        options.config = Path.of(System.getProperty("prpf.root", "..")).resolve("configs/par-sft.yaml");
        options.overrides = List.of("training.epochs=3");
        return new FittingOptions<>(
                        options, ParSftConfig.class, config -> config.training().epochs() == 3 && fits.test(config))
                .inWords(Map.of("training.batch-size", 16), Map.of("examples.max-length", 1000));
    }

    @Test
    void theSmallestChangeOfEachKindIsNamed() {
        assertThat(fitting(config -> config.training().batchSize() <= 4
                        || config.examples().maxLength() <= 500
                        || config.training().lora() != null))
                .isEqualTo("; it fits with --set training.batch-size=4, or --set examples.max-length=500,"
                        + " or --set 'training.lora={rank: 64, alpha: 128, targets: null}'");
    }

    @Test
    void batchAndAdaptersTogetherAreTriedLast() {
        assertThat(fitting(config ->
                        config.training().batchSize() == 1 && config.training().lora() != null))
                .isEqualTo("; it fits with --set training.batch-size=1"
                        + " --set 'training.lora={rank: 8, alpha: 16, targets: null}'");
        assertThat(fitting(config -> false))
                .isEqualTo("; no smaller batch, shorter length or LoRA rank of at least 8 fits");
    }
}
