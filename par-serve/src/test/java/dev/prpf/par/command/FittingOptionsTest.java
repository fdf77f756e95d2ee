package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.command.ConfigOptions;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.training.ParSftConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FittingOptionsTest {
    private static String fitting(Predicate<ParSftConfig> fits) {
        ConfigOptions options = new ConfigOptions();
        options.config = Path.of(System.getProperty("prpf.root", "..")).resolve("configs/reasoner-sft.yaml");
        options.overrides = List.of("training.epochs=3");
        return new FittingOptions<>(
                        options,
                        ParSftConfig.class,
                        config -> config.training().epochs() == 3 && fits.test(config),
                        config -> 0)
                .inWords(Map.of("training.batch-size", 16), Map.of("examples.max-length", 1000), null);
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

    @Test
    void aShorterLengthDropsWhatTheRecipeWouldRefuse() {
        ConfigOptions options = new ConfigOptions();
        options.config = Path.of(System.getProperty("prpf.root", "..")).resolve("configs/reasoner-sft-prpf.yaml");
        List<SftExample> examples = Stream.of(100, 400, 1000)
                .map(length -> new SftExample(new long[length - 1], new long[1]))
                .toList();
        Predicate<ParSftConfig> shortEnough = config ->
                SftCommand.fits(config, examples, left -> left.stream().allMatch(example -> example.length() <= 500));

        String fitting = new FittingOptions<>(
                        options, ParSftConfig.class, shortEnough, config -> SftCommand.dropped(config, examples))
                .inWords(
                        Map.of("training.batch-size", 16),
                        Map.of("examples.max-length", 1000),
                        "examples.over-long=drop");

        assertThat(fitting)
                .isEqualTo("; it fits with --set examples.max-length=500 --set examples.over-long=drop"
                        + " (drops 1 example)");
        assertThat(shortEnough.test(
                        StrictYaml.read(options.config, ParSftConfig.class, List.of("examples.max-length=500"))))
                .as("the recipe refuses the longest example")
                .isFalse();
    }
}
