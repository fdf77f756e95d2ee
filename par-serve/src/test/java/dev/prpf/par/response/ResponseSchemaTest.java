package dev.prpf.par.response;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.io.FunctionPoolFile;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResponseSchemaTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final FunctionSpec ALARM = new FunctionSpec(
            "set_alarm",
            "d",
            List.of(),
            List.of(
                    new ParameterSpec(
                            "hour", "d", "int", true, List.of(TextNode.valueOf("7"), IntNode.valueOf(8)), null),
                    new ParameterSpec("label", "d", "string", true, null, null),
                    new ParameterSpec("days", "d", "list", false, List.of(TextNode.valueOf("Mon")), null)));

    private static List<String> keys(JsonNode object) {
        List<String> keys = new ArrayList<>();
        object.fieldNames().forEachRemaining(keys::add);
        return keys;
    }

    @Test
    void schemaRequiresThePoolsParameters() throws JsonProcessingException {
        JsonNode schema = JSON.readTree(
                ResponseSchema.of(ResponseForm.BARE, List.of(ALARM)).toString());
        assertThat(schema)
                .isEqualTo(
                        JSON.readTree(
                                """
                {"type": "object", "properties": {"recommendations": {"type": "array", "items": {
                  "type": "object", "properties": {"instruction": {"type": "string"}, "function": {
                    "type": "array", "minItems": 1, "items": {"anyOf": [{
                      "type": "object", "properties": {"name": {"const": "set_alarm"}, "parameters": {
                        "type": "object", "properties": {
                          "hour": {"enum": [7, 8]},
                          "label": {"type": "string", "minLength": 1},
                          "days": {"type": "array", "items": {"enum": ["Mon"]}}},
                        "required": ["hour", "label"], "additionalProperties": false}},
                      "required": ["name", "parameters"], "additionalProperties": false}]}}},
                  "required": ["instruction", "function"], "additionalProperties": false}}},
                 "required": ["recommendations"], "additionalProperties": false}
                """));
    }

    @ParameterizedTest
    @EnumSource(
            value = ResponseForm.class,
            names = {"ANY", "BARE", "TEXT", "SCREENS"})
    void blocksStandInTheGrammarsOrder(ResponseForm form) {
        JsonNode properties = ResponseSchema.of(form, List.of(ALARM)).path("properties");
        List<String> expected =
                switch (form) {
                    case BARE -> List.of("recommendations");
                    case TEXT -> List.of("thinking", "function_selection", "recommendations");
                    default -> List.of("ui_summary", "thinking", "function_selection", "recommendations");
                };
        assertThat(keys(properties)).containsExactlyElementsOf(expected);
        assertThat(ResponseSchema.instruction(form, false)).contains(String.join("、", expected));
    }

    @Test
    void singleStageResponsesHaveNoSchema() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ResponseSchema.of(ResponseForm.REC_FUNCTION, List.of(ALARM)))
                .withMessage("a response of the form REC_FUNCTION has no schema");
    }

    @Test
    void withoutCandidatesOnlySilenceIsValid() {
        assertThat(ResponseSchema.of(ResponseForm.BARE, List.of())
                        .at("/properties/recommendations")
                        .toString())
                .isEqualTo("{\"type\":\"array\",\"maxItems\":0}");
    }

    @Test
    void theWholeShippedPoolHasASchema() {
        List<FunctionSpec> pool = List.copyOf(FunctionPoolFile.shipped().functions());
        assertThat(ResponseSchema.of(ResponseForm.TEXT, pool)
                        .at("/properties/recommendations/items/properties/function/items/anyOf"))
                .hasSameSizeAs(pool);
    }

    @Test
    void anAnswerBecomesTheGrammarsText() {
        String text = ResponseSchema.text(
                "{\"ui_summary\": \"看 \", \"thinking\": \"想\", \"function_selection\": \"set_alarm\","
                        + " \"recommendations\": [{\"instruction\": \"a<b\", \"function\": [{\"name\": \"f\", \"parameters\": {}}]}]}");
        ParResponse.Parsed parsed = (ParResponse.Parsed) ResponseParser.parse(text, ResponseForm.SCREENS);
        assertThat(parsed.uiSummary()).isEqualTo("看");
        assertThat(parsed.thinking()).isEqualTo("想");
        assertThat(parsed.functionSelection()).isEqualTo("set_alarm");
        assertThat(parsed.recommendations().get(0).instruction()).isEqualTo("a<b");
    }

    @Test
    void silenceMayLeaveBlocksEmpty() {
        String text =
                ResponseSchema.text("{\"thinking\": \"无需\", \"function_selection\": \"\", \"recommendations\": []}");
        assertThat(text).isEqualTo("<thinking>无需</thinking><recommendations>[]</recommendations>");
        assertThat(ResponseParser.parse(text, ResponseForm.TEXT)).isInstanceOf(ParResponse.Parsed.class);
    }

    @Test
    void randomResponsesSurviveAJsonRoundTrip() throws JsonProcessingException {
        RandomResponses random = new RandomResponses(4);
        for (int i = 0; i < 300; i++) {
            ParResponse.Parsed response = random.next();
            String text = ResponseWriter.write(response);
            String array = text.substring(
                    text.indexOf("<recommendations>") + "<recommendations>".length(),
                    text.indexOf("</recommendations>"));
            var json = JSON.createObjectNode()
                    .put("ui_summary", response.uiSummary())
                    .put("thinking", response.thinking())
                    .put("function_selection", response.functionSelection());
            json.set("recommendations", JSON.readTree(array));
            assertThat(ResponseParser.parse(ResponseSchema.text(json.toString())))
                    .isEqualTo(response);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{\"thinking\": \"cut",
                "[]",
                "null",
                "{\"recommendations\": 5}",
                "<recommendations>[]</recommendations>"
            })
    void whatIsNoSuchAnswerStaysAsItIs(String answer) {
        assertThat(ResponseSchema.text(answer)).isEqualTo(answer);
    }
}
