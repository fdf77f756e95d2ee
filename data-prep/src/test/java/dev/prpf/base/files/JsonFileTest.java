package dev.prpf.base.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonFileTest {
    @TempDir
    Path folder;

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("a.json"), text);
    }

    @Test
    void oneValueIsRead() throws IOException {
        assertThat(JsonFile.object(file("{\"a\": 1}")).path("a").asInt()).isEqualTo(1);
        assertThat(JsonFile.read(file("[2]")).path(0).asInt()).isEqualTo(2);
        assertThat(JsonFile.read(file("")).isMissingNode()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {"a": 1,, }        | a.json: cannot be read as JSON: line 1, column 9: Unexpected character
                    {"a": 1, "a": 2}   | a.json: cannot be read as JSON: line 1, column 13: Duplicate field 'a'
                    {} {}              | a.json: cannot be read as JSON: line 1, column 4: Trailing token
                    [1]                | a.json: must hold one JSON object
                    """)
    void anythingElseIsRefusedWithItsPlace(String text, String message) throws IOException {
        Path file = file(text);
        assertThatThrownBy(() -> JsonFile.object(file))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining(message);
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> JsonFile.read(folder.resolve("none.json")))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining("none.json: cannot be read as JSON")
                .hasMessageEndingWith("none.json: no such file or folder");
    }
}
