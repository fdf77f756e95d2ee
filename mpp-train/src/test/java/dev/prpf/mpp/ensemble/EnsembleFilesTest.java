package dev.prpf.mpp.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.data.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnsembleFilesTest {
    private static final EnsembleModel TRAINED = EnsembleModelTest.trained(MadeTexts.samples(90, 6));

    @TempDir
    Path directory;

    private EnsembleFiles files;

    @BeforeEach
    void write() {
        files = new EnsembleFiles(directory);
        files.write(TRAINED);
    }

    @Test
    void readModelAnswersLikeTheWrittenOne() {
        List<Sample> fresh = MadeTexts.samples(30, 7);
        LinearInput input = MadeTexts.input(fresh);
        EnsembleModel read = files.read();

        assertThat(read.description()).isEqualTo(TRAINED.description());
        double[][] expected = TRAINED.logits(input, null);
        double[][] logits = read.logits(input, null);
        for (int i = 0; i < expected.length; i++) {
            assertThat(logits[i]).containsExactly(expected[i], within(1e-4));
        }
        assertThat(files.weights()).hasSize(4).allSatisfy(file -> assertThat(file)
                .isRegularFile());
    }

    @Test
    void missingDescriptionMeansUnfinishedTraining() throws IOException {
        Files.delete(directory.resolve("ensemble.json"));

        assertThat(files.exist()).isFalse();
        assertThatThrownBy(files::read)
                .isInstanceOf(UnavailableException.class)
                .hasMessage(directory.resolve("ensemble.json")
                        + ": does not exist, the training of the ensemble is not finished; resume it with `prpf gate"
                        + " train --ensemble` and its first options");
    }

    @Test
    void damagedFilesAreNamed() throws IOException {
        Path vocabulary = directory.resolve("vocabulary.3.txt");
        String terms = Files.readString(vocabulary);
        Files.writeString(vocabulary, terms + "more\n");
        assertThatThrownBy(files::read)
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining(vocabulary + ": holds ")
                .hasMessageContaining("one of them is damaged");
        Files.writeString(vocabulary, terms);

        Path description = directory.resolve("ensemble.json");
        String json = Files.readString(description);
        Files.writeString(description, json.replace("\"slope\"", "\"slop\""));
        assertThatThrownBy(files::read)
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining("ensemble.json: is no ensemble: \"slope\": Missing creator property 'slope'");
        Files.writeString(description, json.replace("\"format\" : 2", "\"format\" : 3"));
        assertThatThrownBy(files::read)
                .hasMessageContaining("format = 3 must be 2, the format that this version reads");
        Files.writeString(description, json);

        Files.writeString(description, json.replace("\"ALL\"", "\"SINGLE\""));
        assertThatThrownBy(files::read)
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining("linear.safetensors: has no tensor \"member.")
                .hasMessageContaining(
                        ".steps.2\"; an older version wrote the weights in another order; train again with"
                                + " `prpf gate train --ensemble`");
        Files.writeString(description, json);

        Files.writeString(directory.resolve("linear.safetensors"), "no tensors");
        assertThatThrownBy(files::read)
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining("linear.safetensors");
    }
}
