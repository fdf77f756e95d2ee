package dev.prpf.data.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FunctionCallJsonTest {
    private static final String CALL = "{\"name\":\"book\",\"parameters\":{\"b\":1,\"a\":[true,null]}}";

    private static JsonNode json(String text) throws JsonProcessingException {
        return new ObjectMapper().readTree(text);
    }

    @Test
    void aCallKeepsItsParametersInOrder() throws JsonProcessingException {
        FunctionCall call = FunctionCallJson.readCall(json(CALL));
        assertThat(call.parameters().keySet()).containsExactly("b", "a");
        assertThat(FunctionCallJson.write(call)).hasToString(CALL);
        assertThat(FunctionCallJson.write(List.of(call, call))).hasToString("[" + CALL + "," + CALL + "]");
    }

    @Test
    void answersReadFromEitherKeyAreWrittenWithOurs() throws JsonProcessingException {
        List<Recommendation> answers =
                FunctionCallJson.readAnswers(json("[{\"instruction\":\"i\",\"function\":[" + CALL + "]}]"));
        assertThat(answers).hasSize(1);
        assertThat(FunctionCallJson.write(answers.get(0)))
                .hasToString("{\"instruction\":\"i\",\"functions\":[" + CALL + "]}");
    }

    @Test
    void whatIsNoCallIsNamedWithItsPlace() {
        assertThatThrownBy(() -> FunctionCallJson.readCall(json("{\"name\":3,\"parameters\":{}}")))
                .isInstanceOf(PrpfException.class)
                .hasMessage("function call: at /name: 3: is an integer, must be a string [field-type]");
        assertThatThrownBy(() -> FunctionCallJson.readAnswers(json("[[" + CALL + "],[{\"name\":\"x\"}]]")))
                .isInstanceOf(PrpfException.class)
                .hasMessageContaining(
                        "recommendations: at /1/0/parameters: the field \"parameters\" is missing, must be an object");
    }

    @Test
    void sequencesOneARecommendation() throws JsonProcessingException {
        assertThat(FunctionCallJson.readSequences(json("[]"))).isEmpty();
        assertThat(FunctionCallJson.readSequences(json("[[],[" + CALL + "," + CALL + "]]")))
                .extracting(List::size)
                .containsExactly(0, 2);
        assertThatThrownBy(() -> FunctionCallJson.readSequences(json("{}")))
                .hasMessage("\"calls\" must be an array of call lists, is {}");
        assertThatThrownBy(() -> FunctionCallJson.readSequences(json("[[],7]")))
                .hasMessage("\"calls\" must hold one array of calls per recommendation, at /1 it has 7");
    }

    @Test
    void anAnswersKeyMustBeAPointer() {
        assertThatThrownBy(() -> new AnswersMapping(List.of()).preferring(List.of("gold")))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.USAGE))
                .hasMessageContaining("--answers-key = \"gold\" is not a JSON Pointer: it must begin with \"/\"");
        assertThatThrownBy(() -> AnswersMapping.standard(Map.of("PRPF_ANSWERS_KEYS", "/a,gold")))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.USAGE))
                .hasMessageContaining("PRPF_ANSWERS_KEYS = \"gold\" is not a JSON Pointer");
    }

    @Test
    void theFirstPreferredKeyThatIsPresentWins() throws JsonProcessingException {
        AnswersMapping mapping =
                new AnswersMapping(List.of()).preferring(List.of("/b")).preferring(List.of("/a"));
        assertThat(mapping.find(json("{\"b\":[],\"recommendations\":3}"), defect -> {}))
                .isEqualTo(new AnswersMapping.Located("/b", json("[]")));
        assertThat(mapping.find(json("{}"), defect -> {})).isNull();
    }
}
