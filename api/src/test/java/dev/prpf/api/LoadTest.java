package dev.prpf.api;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.api.PrpfException.InvalidConfigurationException;
import dev.prpf.api.PrpfException.InvalidDataException;
import dev.prpf.api.PrpfException.UnavailableException;
import dev.prpf.base.files.LockFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders that cannot be loaded; the messages are those of {@code prpf try}. */
class LoadTest {
    @TempDir
    private Path temporary;

    private Path folder;

    @BeforeEach
    void copy() throws IOException {
        folder = TinyCascade.copy(temporary.resolve("cascade"));
    }

    private AbstractThrowableAssert<?, ?> refused(Class<? extends PrpfException> type) {
        return assertThatThrownBy(() -> PrpfCascade.load(folder)).isInstanceOf(type);
    }

    @Test
    void aMissingFolderIsRefused() {
        Path missing = temporary.resolve("missing");
        assertThatThrownBy(() -> PrpfCascade.load(missing))
                .isInstanceOf(UnavailableException.class)
                .hasMessage(missing + ": holds no cascade (cascade.json is missing); make one with `prpf train"
                        + " RECIPE.yaml`");
    }

    @Test
    void aFileInPlaceOfTheFolderIsRefused() {
        folder = folder.resolve("functions.json");
        refused(UnavailableException.class)
                .hasMessage(folder + ": holds no cascade (cascade.json is missing); make one with `prpf train"
                        + " RECIPE.yaml`");
    }

    @Test
    void aTruncatedCascadeFileIsRefused() throws IOException {
        Path file = folder.resolve("cascade.json");
        Files.writeString(file, Files.readString(file).substring(0, 100));
        refused(InvalidDataException.class)
                .hasMessage(file + ": cannot be read as JSON: line 6, column 9: Unexpected end-of-input in field name");
    }

    @Test
    void aHalfFolderIsRefused() throws IOException {
        Path weights = folder.resolve("reasoner/model.safetensors");
        Files.delete(weights);
        refused(UnavailableException.class)
                .hasMessage(weights + ": is missing, cascade.json names it; copy the whole folder again, or train the"
                        + " cascade again");
    }

    @Test
    void aFileWithoutAChecksumIsRefused() throws IOException {
        Path file = folder.resolve("cascade.json");
        String text = Files.readString(file);
        Files.writeString(file, text.replaceAll("\"reasoner/model.safetensors\" : \"[0-9a-f]+\",?", ""));
        refused(InvalidDataException.class)
                .hasMessage(file + ": files lacks [reasoner/model.safetensors], so nothing tells whether they are the"
                        + " trained ones; copy the whole folder again, remove files that do not belong to it, or train"
                        + " the cascade again");
    }

    @Test
    void anotherVersionIsRefused() throws IOException {
        Path file = folder.resolve("cascade.json");
        Files.writeString(file, Files.readString(file).replace("\"format_version\" : 1", "\"format_version\" : 2"));
        refused(InvalidConfigurationException.class)
                .hasMessage(file + ": format_version = 2, this program reads 1; make it again with"
                        + " `prpf train RECIPE.yaml`, or use the program that made it");
    }

    @Test
    void aChangedFileIsRefused() throws IOException {
        Path functions = folder.resolve("functions.json");
        Files.writeString(functions, " ", StandardOpenOption.APPEND);
        refused(InvalidDataException.class)
                .hasMessage(functions + ": has changed since the training (its SHA-256 differs from that in"
                        + " cascade.json); copy the whole folder again, or train the cascade again");
    }

    @Test
    void aFileOutsideTheFolder_isRefusedUnread() throws IOException {
        Path outside = folder.resolveSibling("outside.txt");
        Files.writeString(outside, "a");
        Path file = folder.resolve("cascade.json");
        String entry = "\"../outside.txt\" : \"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb\",";
        Files.writeString(file, Files.readString(file).replace("\"files\" : {", "\"files\" : {" + entry));
        refused(InvalidDataException.class)
                .hasMessage(file + ": files names \"../outside.txt\", which is not in the folder; copy the whole folder"
                        + " again, or train the cascade again");
    }

    @Test
    void aFolderInUseByATrainingIsRefused() throws IOException {
        Files.delete(folder.resolve("cascade.json"));
        try (LockFile lock = LockFile.tryTake(folder.resolve("run.lock"))) {
            Objects.requireNonNull(lock);
            refused(UnavailableException.class)
                    .hasMessage(folder + ": is in use by a training, which writes cascade.json at its end; wait for it"
                            + " and open the folder again");
        }
    }
}
