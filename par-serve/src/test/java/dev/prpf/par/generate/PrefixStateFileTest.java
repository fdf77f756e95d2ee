package dev.prpf.par.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.engine.Decoder;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PrefixStateFileTest {
    private static final long[] BEGIN = {3, 9, 27, 1, 8, 30, 2, 11};
    private static final long[] PROMPT = {3, 9, 27, 1, 8, 30, 2, 11, 5, 6};

    private static final String WEIGHTS = "a hash";

    @TempDir
    Path directory;

    private static Decoder decoder(DecoderConfig config, long seed, Precision precision) {
        try (DecoderWeights weights = ModelInit.random(config, seed)) {
            return Decoder.of(weights, precision);
        }
    }

    private Path written(Decoder decoder) {
        Path file = directory.resolve("prefix.safetensors");
        try (PrefixState state = new Generator(decoder).prefix(BEGIN)) {
            state.write(file, WEIGHTS);
        }
        return file;
    }

    private static List<Generation> continued(Decoder decoder, PrefixState prefix) {
        GenerationSettings settings = GenerationSettings.sampled(9, new Sampling(1, 0, 1), List.of(), 2);
        return new Generator(decoder)
                        .sample(
                                List.of(
                                        new GenerationRequest(PROMPT, List.of(1L, 2L), prefix, null),
                                        new GenerationRequest(BEGIN, List.of(3L), prefix, null)),
                                settings,
                                () -> false)
                        .stream()
                        .flatMap(List::stream)
                        .toList();
    }

    @ParameterizedTest
    @EnumSource
    void aStateThatWasStoredGoesOnToTheSameTokens(Precision precision) {
        for (DecoderConfig config : List.of(TinyModels.config(40, 64, false), TinyModels.qwen35(40, 64))) {
            try (Decoder decoder = decoder(config, 3, precision);
                    PrefixState kept = new Generator(decoder).prefix(BEGIN);
                    PrefixState read = PrefixState.read(written(decoder), decoder, WEIGHTS)) {
                assertThat(read.ids()).isEqualTo(BEGIN);
                assertThat(read.bytes()).isEqualTo(kept.bytes()).isPositive();
                List<Generation> expected = continued(decoder, kept);
                List<Generation> actual = continued(decoder, read);
                for (int i = 0; i < expected.size(); i++) {
                    assertThat(actual.get(i).ids()).isEqualTo(expected.get(i).ids());
                    assertThat(actual.get(i).logProbabilities())
                            .isEqualTo(expected.get(i).logProbabilities());
                }
            }
        }
    }

    @Test
    void aStateOfOtherWeightsOrAnotherPrecisionIsRefused() {
        DecoderConfig config = TinyModels.config(40, 64, false);
        try (Decoder first = decoder(config, 3, Precision.FP32)) {
            Path file = written(first);
            requireRefused(file, first, "other");
            try (Decoder half = decoder(config, 3, Precision.BF16)) {
                requireRefused(file, half, WEIGHTS);
            }
        }
    }

    private static void requireRefused(Path file, Decoder decoder, String weights) {
        assertThatThrownBy(() -> PrefixState.read(file, decoder, weights))
                .isInstanceOf(PrpfException.class)
                .hasMessageStartingWith(file + ": holds the prefix of a decoder")
                .hasMessageContaining("compute the prefix again")
                .extracting(e -> ExitCode.of(e))
                .isEqualTo(ExitCode.BAD_DATA);
    }

    @Test
    void aFileThatIsCutOffOrMissingIsBadData() throws IOException {
        try (Decoder decoder = decoder(TinyModels.config(40, 64, false), 3, Precision.FP32)) {
            Path file = written(decoder);
            Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 900));
            for (Path bad : List.of(file, directory.resolve("none"))) {
                assertThatThrownBy(() -> PrefixState.read(bad, decoder, WEIGHTS))
                        .isInstanceOf(PrpfException.class)
                        .hasMessageContaining(bad.toString());
            }
        }
    }
}
