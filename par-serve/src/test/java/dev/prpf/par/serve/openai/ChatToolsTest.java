package dev.prpf.par.serve.openai;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Functions in chats: how a template writes them, and calls as a reader of answers tells them. */
class ChatToolsTest {
    private static final String PATH = TestServer.CHAT;

    @Test
    void toolsAndCallsAreWrittenByTheTemplate(@TempDir Path folder) {
        String body =
                "{'messages': [{'role': 'user', 'content': 'u'}, {'role': 'assistant', 'content': null, 'tool_calls':"
                        + " [{'id': 'c', 'type': 'function', 'function': {'name': 'f', 'arguments': '{\\'a\\': 1}'}}]}, {'role':"
                        + " 'tool', 'tool_call_id': 'c', 'content': '7'}], 'tools': [{'type': 'function', 'function': {'name':"
                        + " 'f'}}], 'tool_choice': 'none'";
        try (TestServer qwen = new TestServer(folder, TestServer.ROOMY, TestServer.template("qwen3"))) {
            String text = qwen.ask(
                            "/detokenize",
                            "{'tokens': " + qwen.ask("/tokenize", body + "}").path("tokens") + "}")
                    .path("prompt")
                    .asText();
            assertThat(text)
                    .contains("<tools>\n{\"type\": \"function\", \"function\": {\"name\": \"f\"}}\n</tools>")
                    .contains("<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call>")
                    .contains("<tool_response>\n7\n</tool_response>")
                    .endsWith("<|im_start|>assistant\n");
            assertThat(qwen.ask(PATH, body + "}")
                            .at("/choices/0/message/content")
                            .asText())
                    .isEqualTo(TestServer.ANSWER);
            String quiet = body + ", 'chat_template_kwargs': {'enable_thinking': false}}";
            assertThat(qwen.ask(
                                    "/detokenize",
                                    "{'tokens': " + qwen.ask("/tokenize", quiet).path("tokens") + "}")
                            .path("prompt")
                            .asText())
                    .endsWith("<think>\n\n</think>\n\n");
            assertThat(qwen.refused(400, PATH, body.replace("'{\\'a\\': 1}'", "'[1'") + "}")
                            .path("message")
                            .asText())
                    .isEqualTo(
                            "messages[1].tool_calls[0].function.arguments is \"[1\", must be a JSON object, or a text"
                                    + " that holds one");
            assertThat(qwen.refused(
                                    400,
                                    PATH,
                                    body.replace("'none'", "{'type': 'function', 'function': {'name': 'g'}}") + "}")
                            .path("message")
                            .asText())
                    .isEqualTo("tool_choice names g, which is not one of the tools [f]");
            String blank = ", 'tools': [{'type': 'function', 'function': {'name': ''}}]";
            assertThat(qwen.refused(400, PATH, TestServer.hello(blank))
                            .path("message")
                            .asText())
                    .contains("name")
                    .contains("must be a name that is not blank");
            String many = IntStream.range(0, 129)
                    .mapToObj(i -> "{'type': 'function', 'function': {'name': 'f" + i + "'}}")
                    .collect(Collectors.joining(","));
            assertThat(qwen.refused(400, PATH, TestServer.hello(", 'tools': [" + many + "]"))
                            .path("message")
                            .asText())
                    .isEqualTo("tools has 129 functions, must have at most 128");
            String biases =
                    IntStream.range(0, 1025).mapToObj(i -> "'" + i + "': 1").collect(Collectors.joining(","));
            assertThat(qwen.refused(400, PATH, TestServer.hello(", 'logit_bias': {" + biases + "}"))
                            .path("message")
                            .asText())
                    .isEqualTo("logit_bias has 1025 tokens, must have at most 1024");
        }
    }
}
