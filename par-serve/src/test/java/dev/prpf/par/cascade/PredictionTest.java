package dev.prpf.par.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.files.KeyedLines;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.FunctionCall;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PredictionTest {
    private static final Prediction SILENT =
            new Prediction("a", Prediction.Route.SILENT, 0.25, Map.of("Food", 0.5), null, List.of());
    private static final Prediction REASONED = new Prediction(
            "b",
            Prediction.Route.REASONED,
            null,
            Map.of(),
            "回\n答\"",
            List.of(
                    List.of(new FunctionCall("f", Map.of("x", new IntNode(1))), new FunctionCall("g", Map.of())),
                    List.of(new FunctionCall("h", Map.of("y", new TextNode("张三"))))));
    private static final Prediction MALFORMED =
            new Prediction("c", Prediction.Route.REASONED, 1.0, Map.of(), "?", null);

    @TempDir
    private Path directory;

    private Path written(Prediction... predictions) {
        Path file = directory.resolve("predictions.jsonl");
        try (KeyedLines appender = Prediction.open(file)) {
            for (Prediction prediction : predictions) {
                prediction.append(appender);
            }
        }
        return file;
    }

    @Test
    void aLineIsTheContracts() {
        assertThat(JsonRecords.write(SILENT))
                .isEqualTo("{\"id\":\"a\",\"route\":\"silent\",\"p_trigger\":0.25,\"scenarios\":{\"Food\":0.5},"
                        + "\"response\":null,\"calls\":[],\"finish\":null,\"cost\":null}");
        assertThat(JsonRecords.write(REASONED))
                .isEqualTo("{\"id\":\"b\",\"route\":\"reasoned\",\"p_trigger\":null,\"scenarios\":{},"
                        + "\"response\":\"回\\n答\\\"\",\"calls\":[[{\"name\":\"f\",\"parameters\":{\"x\":1}},"
                        + "{\"name\":\"g\",\"parameters\":{}}],[{\"name\":\"h\",\"parameters\":{\"y\":\"张三\"}}]],"
                        + "\"finish\":null,\"cost\":null}");
        assertThat(JsonRecords.write(MALFORMED)).contains("\"response\":\"?\",\"calls\":null,");
    }

    private static Prediction costed(Prediction.Finish finish) {
        PredictionCost cost = new PredictionCost(
                812,
                0,
                64,
                97,
                40,
                PredictionCost.Parts.of(1e9, 2e6, 3e5, 4e10, 5e9),
                new PredictionCost.Parts(0.25, 0.125, 0.0, null, null, 1.5));
        return new Prediction("d", Prediction.Route.REASONED, 1.0, Map.of(), "?", null, finish, cost);
    }

    @Test
    void aLineSaysWhatItCostAndWhyItEnded() {
        String line = JsonRecords.write(costed(Prediction.Finish.LENGTH));
        assertThat(line)
                .endsWith(
                        "\"calls\":null,\"finish\":\"length\",\"cost\":{\"prompt_tokens\":812,\"visual_tokens\":0,\"cached_tokens\":64,"
                                + "\"new_tokens\":97,\"forward_passes\":40,\"flops\":{\"frame_encoder\":1.0E9,"
                                + "\"text_encoder\":2000000.0,\"fusion\":300000.0,\"prefill\":4.0E10,\"decode\":5.0E9,"
                                + "\"total\":4.60023E10},\"seconds\":{\"frame_encoder\":0.25,\"text_encoder\":0.125,"
                                + "\"fusion\":0.0,\"prefill\":null,\"decode\":null,\"total\":1.5}}}");
        assertThat(Prediction.read(written(costed(Prediction.Finish.LENGTH), SILENT)))
                .containsExactly(costed(Prediction.Finish.LENGTH), SILENT)
                .extracting(Prediction::cut)
                .containsExactly(true, false);
        assertThat(costed(Prediction.Finish.STOP).withoutCost().cost()).isNull();
    }

    @Test
    void costsAreNumbersFromZeroOn() {
        PredictionCost.Parts nothing = PredictionCost.NOTHING.flops();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PredictionCost(-1, 0, 0, 0, 0, nothing, nothing))
                .withMessage("\"prompt_tokens\" of \"cost\" = -1, must be at least 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PredictionCost.Parts.of(1, Double.NaN, 0, 0, 0))
                .withMessageContaining("\"text_encoder\" of \"cost\" = NaN");
    }

    @Test
    void aCostWithoutTokensOfThePrefixCacheIsTaken() throws IOException {
        Path file = directory.resolve("contract.jsonl");
        Files.writeString(
                file,
                JsonRecords.write(costed(Prediction.Finish.STOP))
                                .replace("\"visual_tokens\":0,\"cached_tokens\":64,", "")
                        + "\n");
        PredictionCost cost =
                Objects.requireNonNull(Prediction.read(file).get(0).cost());
        assertThat(cost.cachedTokens()).isNull();
        assertThat(cost.visualTokens()).isNull();
        assertThat(cost.promptTokens()).isEqualTo(812);
    }

    @Test
    void whatIsWrittenIsReadBack() {
        Prediction unusable = Prediction.silent(
                "d", new Perceiver.Costed(new Perception(0, Map.of("Food", 0.0)), null, "no response"));
        assertThat(JsonRecords.write(unusable))
                .startsWith("{\"id\":\"d\",\"route\":\"silent\",\"p_trigger\":null,\"scenarios\":{},"
                        + "\"response\":null,\"calls\":null,");
        assertThat(Prediction.read(written(SILENT, REASONED, MALFORMED, unusable)))
                .containsExactly(SILENT, REASONED, MALFORMED, unusable)
                .extracting(Prediction::unusablePerception)
                .containsExactly(false, false, false, true);
        assertThat(unusable.scored()).isNull();
    }

    @Test
    void aTornLastLineIsDroppedAndTheRestIsKept() throws IOException {
        Path file = written(SILENT, REASONED);
        byte[] whole = Files.readAllBytes(file);
        for (int cut = 1; cut < 60; cut += 7) {
            Files.write(file, java.util.Arrays.copyOf(whole, whole.length - cut));
            try (KeyedLines appender = Prediction.open(file)) {
                assertThat(appender.has("a")).isTrue();
                assertThat(appender.has("b")).isFalse();
                REASONED.append(appender);
                assertThat(appender.size()).isEqualTo(2);
            }
            assertThat(Files.readAllBytes(file)).isEqualTo(whole);
        }
    }

    @Test
    void aSampleHasOnePrediction() throws IOException {
        Path file = written(SILENT);
        try (KeyedLines appender = Prediction.open(file)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> SILENT.append(appender))
                    .withMessageContaining("id a is a duplicate; a sample has one prediction");
        }
        Files.writeString(file, JsonRecords.write(SILENT) + "\n" + JsonRecords.write(SILENT) + "\n");
        assertThatThrownBy(() -> Prediction.read(file))
                .hasMessageContaining(":2")
                .hasMessageContaining("line 1");
        assertThatThrownBy(() -> Prediction.open(file))
                .hasMessageContaining(":2: its id is a duplicate of an earlier line's; a sample has one prediction");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{                                                     | no prediction",
                "[]                                                    | no prediction",
                "{'id':' ','route':'silent','calls':[]}               | \"id\" must be",
                "{'id':'a','route':'x','calls':[]}                     | \"route\"",
                "{'id':'a','route':'silent'}                           | calls",
                "{'id':'a','route':'silent','calls':{}}                | \"calls\" must be",
                "{'id':'a','route':'silent','calls':[{}]}              | one array of calls",
                "{'id':'a','route':'silent','calls':[[{}]]}            | name",
                "{'id':'a','id':'b','route':'silent','calls':[]}       | Duplicate",
                "{'id':'a','route':'silent','calls':[],'y':1}          | Unrecognized field \"y\"; known are [calls,"
                        + " cost, finish, id,",
                "{'id':'a','route':'silent','calls':[],'p_trigger':''} | \"p_trigger\"",
                "{'id':'a','route':'silent','calls':[],'p_trigger':1.5} | must lie in [0, 1]",
                "{'id':'a','route':'silent','calls':[],'p_trigger':-1} | must lie in [0, 1]",
                "{'id':'a','route':'silent','calls':[[{'name':'f','parameters':{}}]]} | must be []",
                "{'id':'a','route':'silent','calls':[]} x              | no prediction",
                "{'id':'a','route':'silent','calls':[],'finish':'eos'} | \"finish\"",
                "{'id':'a','route':'silent','calls':[],'cost':1}       | \"cost\"",
                "{'id':'a','route':'silent','calls':[],'cost':{}}      | \"cost\"",
                "{'id':'a','route':'silent','calls':[],'cost':{'prompt_tokens':0,'new_tokens':0,'forward_passes':0,'flops':null,'seconds':null}}"
                        + " | cost.flops = null",
            })
    void aLineThatIsNoPredictionIsNamed(String line, String why) throws IOException {
        Path file = directory.resolve("bad.jsonl");
        Files.writeString(file, JsonRecords.write(MALFORMED) + "\n" + line.replace('\'', '"') + "\n");
        assertThatThrownBy(() -> Prediction.read(file))
                .hasMessageContaining("bad.jsonl:2")
                .hasMessageContaining(why)
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
    }
}
