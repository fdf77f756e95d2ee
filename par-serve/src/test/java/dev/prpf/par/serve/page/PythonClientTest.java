package dev.prpf.par.serve.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Holds the Python client to the OpenAPI document, without Python. With {@code -Dprpf.write=true} it writes the client. */
class PythonClientTest {
    private static final Path CLIENT = Path.of(System.getProperty("prpf.root", ".."), "integrations/python");
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void theClient_isThatOfTheDocument() throws IOException {
        Path file = CLIENT.resolve("prpf_client/api.py");
        String rendered = PythonClient.render(JSON.readTree(OpenApiRoutes.document()));
        if (Boolean.getBoolean("prpf.write")) {
            Files.writeString(file, rendered);
        }
        assertThat(file).as("run this test with -Dprpf.write=true").content().isEqualTo(rendered);
        assertThat(rendered)
                .contains(
                        "class Perceived(TypedDict):\n    p_trigger: float  # probability that help is wanted\n",
                        "    route: Literal[\"silent\", \"reasoned\"]",
                        "    trace: list[str | MomentTrace]",
                        "        trace: list[str | MomentTrace],  # recent steps of the user, oldest first\n",
                        "        threshold: float | None = None,",
                        "    ) -> Iterator[Event]:\n")
                .doesNotContain("chat", "slime", "playground", "\"stream\": stream");
    }

    @Test
    void everyExcludedOperation_isInTheDocument() throws IOException {
        assertThat(JSON.readTree(OpenApiRoutes.document()).findValuesAsText("operationId"))
                .containsAll(PythonClient.EXCLUDED);
    }

    @Test
    void twoObjectsOfOneName_areRefused() throws IOException {
        String object = "{\"type\": \"object\", \"properties\": {\"%s\": {\"type\": \"string\"}}}";
        String operation =
                """
                {"operationId": "ask", "tags": ["server"], "summary": "Ask",
                 "responses": {"200": {"content": {"application/json": {"schema": %s}}}}}""";
        JsonNode document = JSON.readTree("{\"paths\": {\"/a\": {\"get\": " + operation.formatted(object.formatted("a"))
                + ", \"post\": " + operation.formatted(object.formatted("b")) + "}}}");
        assertThatThrownBy(() -> PythonClient.render(document)).hasMessageContaining("would be the class AskResult");
    }
}
