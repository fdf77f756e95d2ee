package dev.prpf.par.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.run.ExitCode;
import dev.prpf.data.run.PrpfException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PredictionLinesTest {
    private static final String WHOLE =
            "{\"id\":\"a\",\"route\":\"reasoned\",\"p_trigger\":0.75,\"scenarios\":{\"Shopping\":0.5},"
                    + "\"response\":\"<recommendations>…\",\"calls\":[[{\"name\":\"f\",\"parameters\":{\"n\":3}}],[]]}";

    @TempDir
    Path directory;

    private Path file(String... lines) throws IOException {
        return Files.writeString(directory.resolve("p.jsonl"), String.join("\n", lines));
    }

    @Test
    void readsEveryKey() throws IOException {
        Prediction prediction = PredictionLines.read(file(WHOLE)).get(0);
        assertThat(prediction.id()).isEqualTo("a");
        assertThat(prediction.route()).isEqualTo(Prediction.Route.REASONED);
        assertThat(prediction.pTrigger()).isEqualTo(0.75);
        assertThat(prediction.scenarios()).containsEntry("Shopping", 0.5);
        assertThat(prediction.response()).isEqualTo("<recommendations>…");
        assertThat(prediction.calls()).hasSize(2);
        assertThat(prediction.scored()).extracting(FunctionCall::name).containsExactly("f");
    }

    @Test
    void silenceAndMalformedAreNotTheSame() throws IOException {
        List<Prediction> predictions = PredictionLines.read(
                file(
                        "{\"id\":\"s\",\"route\":\"silent\",\"p_trigger\":0.1,\"scenarios\":{},\"response\":null,\"calls\":[]}",
                        "",
                        "{\"id\":\"m\",\"route\":\"reasoned\",\"p_trigger\":0.9,\"scenarios\":{},\"response\":\"?\",\"calls\":null}"));
        assertThat(predictions.get(0).calls()).isEmpty();
        assertThat(predictions.get(1).calls()).isNull();
    }

    @Test
    void aSystemWithoutAGateNeedsIdAndCallsOnly() throws IOException {
        Prediction prediction =
                PredictionLines.read(file("{\"id\":\"a\",\"calls\":[]}")).get(0);
        assertThat(prediction.route()).isEqualTo(Prediction.Route.REASONED);
        assertThat(prediction.pTrigger()).isNull();
        assertThat(prediction.scenarios()).isEmpty();
        assertThat(prediction.response()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[] | one JSON object",
                "{\"id\":\"b\",\"calls\":[] | not one JSON object",
                "{\"id\":\"b\",\"calls\":[]} {} | not one JSON object",
                "{\"id\":\"b\",\"id\":\"c\",\"calls\":[]} | Duplicate field",
                "{\"calls\":[]} | /id = missing",
                "{\"id\":7,\"calls\":[]} | /id = 7, must be a string",
                "{\"id\":\" \",\"calls\":[]} | /id",
                "{\"id\":\"b\"} | /calls = missing",
                "{\"id\":\"b\",\"calls\":{}} | /calls = {}, must be a list of call lists",
                "{\"id\":\"b\",\"calls\":[{\"name\":\"f\",\"parameters\":{}}]} | each recommendation must be a list",
                "{\"id\":\"b\",\"calls\":[[{\"name\":\"f\"}]]} | /calls/0/0",
                "{\"id\":\"b\",\"calls\":[[{\"name\":3,\"parameters\":{}}]]} | /calls/0/0/name",
                "{\"id\":\"b\",\"calls\":[],\"route\":\"gated\"} | /route = \"gated\", must be \"silent\" or \"reasoned\"",
                "{\"id\":\"b\",\"calls\":[],\"route\":null} | /route = null",
                "{\"id\":\"b\",\"calls\":[],\"p_trigger\":\"0.5\"} | /p_trigger = \"0.5\", must be a number",
                "{\"id\":\"b\",\"calls\":[],\"p_trigger\":1.5} | /p_trigger = 1.5",
                "{\"id\":\"b\",\"calls\":[],\"scenarios\":[]} | /scenarios = []",
                "{\"id\":\"b\",\"calls\":[],\"response\":1} | /response = 1",
            })
    void namesFileLineAndRuleOfADefect(String line, String part) throws IOException {
        Path file = file("{\"id\":\"a\",\"calls\":[]}", line);
        assertThatThrownBy(() -> PredictionLines.read(file))
                .isInstanceOfSatisfying(PrpfException.class, refused -> assertThat(refused.exitCode())
                        .isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContainingAll("p.jsonl, line 2", part);
    }

    @Test
    void anIdThatStandsTwiceIsNamedWithBothLines() throws IOException {
        Path file = file(WHOLE, "", WHOLE);
        assertThatThrownBy(() -> PredictionLines.read(file))
                .hasMessageContainingAll("line 3", "line 1 already", "\"a\"");
    }

    @Test
    void aFileThatIsNotThereOrNoTextIsOneClearError() throws IOException {
        assertThatThrownBy(() -> PredictionLines.read(directory.resolve("none.jsonl")))
                .isInstanceOf(PrpfException.class)
                .hasMessageContaining("no such file");
        Path binary = Files.write(directory.resolve("b.jsonl"), new byte[] {(byte) 0xFF, (byte) 0xFE, 0});
        assertThatThrownBy(() -> PredictionLines.read(binary))
                .isInstanceOf(PrpfException.class)
                .hasMessageContaining("not UTF-8");
    }
}
