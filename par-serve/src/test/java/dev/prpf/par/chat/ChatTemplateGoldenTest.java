package dev.prpf.par.chat;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.chat.ChatTemplate.Conversation;
import dev.prpf.par.engine.Golden;
import dev.prpf.par.tokenizer.Piece;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Every rendering of the reference, byte for byte; what it refuses is refused. Property {@code prpf.renderings} names another file of the same
 * form: see src/test/python/make_chat_renderings.py.
 */
class ChatTemplateGoldenTest {
    private static final String REFUSED = "(refused)";
    private static final Logger LOG = LoggerFactory.getLogger(ChatTemplateGoldenTest.class);

    @Test
    void rendersWhatTheJinjaTextRenders() throws IOException {
        Path folder = Golden.resource("chat-templates");
        String file = System.getProperty("prpf.renderings", "");
        JsonNode cases = new ObjectMapper()
                .readTree((file.isEmpty() ? folder.resolve("renderings.json") : Path.of(file)).toFile());
        Map<String, Integer> counts = new TreeMap<>();
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < cases.size(); i++) {
            JsonNode known = cases.path(i);
            String template = known.path("template").asText();
            String expected =
                    known.path("error").isNull() ? known.path("rendered").asText() : REFUSED;
            String rendered = rendered(ChatTemplates.ofFile(folder.resolve(template + ".jinja")), known);
            if (!rendered.equals(expected)) {
                wrong.add("case " + i + ", " + template + ": " + difference(expected, rendered));
            }
            counts.merge(template + (expected.equals(REFUSED) ? " refused" : " rendered"), 1, Integer::sum);
        }
        LOG.info("renderings compared: {}", counts);
        assertThat(wrong).as("renderings that differ, from where they do").isEmpty();
        assertThat(counts.keySet().stream().map(key -> key.split(" ", -1)[0]))
                .contains("qwen2_5", "qwen2_5_vl", "qwen3", "qwen3_hub", "qwen3_5_think", "qwen3_5_nothink", "smollm2");
    }

    private static String difference(String expected, String found) {
        int from = 0;
        while (from < Math.min(expected.length(), found.length()) && expected.charAt(from) == found.charAt(from)) {
            from++;
        }
        return "at " + from + ": expected …" + around(expected, from) + "… found …" + around(found, from) + "…";
    }

    private static String around(String text, int place) {
        return text.substring(Math.max(0, place - 40), Math.min(text.length(), place + 40));
    }

    private static String rendered(ChatTemplate template, JsonNode known) {
        try {
            return render(template, known);
        } catch (PrpfException e) {
            assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA);
            return REFUSED;
        }
    }

    private static String render(ChatTemplate template, JsonNode known) {
        JsonNode tools = known.path("tools");
        JsonNode thinking = known.path("enable_thinking");
        return Piece.text(template.render(new Conversation(
                ConversationReader.messages("messages", known.path("messages")),
                tools.isNull() ? List.of() : ConversationReader.tools("tools", tools),
                known.path("add_generation_prompt").asBoolean(),
                thinking.isNull() ? null : thinking.asBoolean())));
    }
}
