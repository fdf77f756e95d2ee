package dev.prpf.par.chat;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.par.chat.ChatTemplate.ToolSyntax;
import dev.prpf.par.chat.GrowingCall.ParameterText;
import dev.prpf.par.chat.ToolCallReader.Part;
import dev.prpf.par.chat.ToolCallReader.Thinking;
import dev.prpf.par.chat.ToolCallReader.Tool;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ToolCallReaderTest {
    private static final List<Tool> TOOLS = List.of(
            new Tool(
                    "order",
                    json(
                            "{'type':'object','$defs':{'n':{'type':'integer'}},'properties':{'dish':{'type':'string'},'count':{'$ref':'#/$defs/n'},"
                                    + "'price':{'type':'number'},'hot':{'type':'boolean'},'extra':{'type':'array'},"
                                    + "'note':{'type':['string','null']},'kind':{'enum':['a','null']},'level':{'enum':[1,2]},'free':{}}}")),
            new Tool("stop", Tool.NO_PARAMETERS));

    private static JsonNode json(String text) {
        try {
            return new ObjectMapper().readTree(text.replace('\'', '"'));
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private static Part.Call call(int index, String name, String arguments) {
        return new Part.Call(index, name, arguments);
    }

    private static Part.Call more(int index, String arguments) {
        return new Part.Call(index, null, arguments);
    }

    static Stream<Arguments> responses() {
        String order =
                "<tool_call>\n{\"name\": \"order\", \"arguments\": {\"dish\": \"soup\", \"price\": 1.50}}\n</tool_call>";
        String stop = "<tool_call>\n{\"name\": \"stop\", \"arguments\": {}}\n</tool_call>";
        Part.Call ordered = call(0, "order", "{\"dish\": \"soup\", \"price\": 1.50}");
        Part.Call stopped = call(1, "stop", "{}");
        String tags =
                "<tool_call>\n<function=order>\n<parameter=dish>\na\n<b>\n</parameter>\n<parameter=count>\n2\n</parameter>\n</function>\n</tool_call>";
        Part.Call tagged = call(0, "order", "{\"dish\":\"a\\n<b>\",\"count\":2}");
        return Stream.of(
                one(Thinking.NONE, ToolSyntax.JSON, "Hello <b> you.\n", null, "Hello <b> you.\n"),
                one(Thinking.NONE, ToolSyntax.JSON, order, null, null, ordered),
                one(
                        Thinking.NONE,
                        ToolSyntax.JSON,
                        "Let me. \n" + order + "\n" + stop + "\n",
                        null,
                        "Let me.",
                        ordered,
                        stopped),
                one(Thinking.NONE, ToolSyntax.JSON, order + "\nDone", null, "\nDone", ordered),
                one(Thinking.NONE, ToolSyntax.JSON, order.replace("\n</tool_call>", ""), null, null, ordered),
                one(
                        Thinking.NONE,
                        ToolSyntax.JSON,
                        "<tool_call>{\"name\": \"order\", \"arguments\": {\"dish\": \"</tool_call>\\\"\"}}</tool_call>",
                        null,
                        null,
                        call(0, "order", "{\"dish\": \"</tool_call>\\\"\"}")),
                one(
                        Thinking.NONE,
                        ToolSyntax.JSON,
                        "a <tool_call>{broken}</tool_call> b\n" + stop,
                        null,
                        "a <tool_call>{broken}</tool_call> b",
                        call(0, "stop", "{}")),
                one(
                        Thinking.NONE,
                        ToolSyntax.JSON,
                        "<tool_call>{\"name\": \"order\"}</tool_call>",
                        null,
                        "<tool_call>{\"name\": \"order\"}</tool_call>"),
                one(
                        Thinking.NONE,
                        ToolSyntax.JSON,
                        "<tool_call>{\"name\": \" \", \"arguments\": {}}</tool_call>",
                        null,
                        "<tool_call>{\"name\": \" \", \"arguments\": {}}</tool_call>"),
                one(
                        Thinking.NONE,
                        ToolSyntax.JSON,
                        "<tool_call>{\"name\": \"stop\", \"arguments\": [1]}</tool_call>",
                        null,
                        "<tool_call>{\"name\": \"stop\", \"arguments\": [1]}</tool_call>"),
                one(
                        Thinking.NONE,
                        ToolSyntax.JSON,
                        "x\n<tool_call>\n{\"name\": \"order\", \"argum",
                        null,
                        "x\n<tool_call>\n{\"name\": \"order\", \"argum"),
                one(
                        Thinking.NONE,
                        ToolSyntax.JSON,
                        "Hi. <tool_call>{\"name\": \"order\", \"arguments\": {\"dish\": \"a } \\\" { \", \"extra\": [{}, \"]\"]}}</tool_call> And"
                                + stop,
                        null,
                        "Hi. And",
                        call(0, "order", "{\"dish\": \"a } \\\" { \", \"extra\": [{}, \"]\"]}"),
                        stopped),
                one(Thinking.NONE, ToolSyntax.NONE, order, null, order),
                one(Thinking.NONE, ToolSyntax.JSON, "1 <tool_cal", null, "1 <tool_cal"),
                one(Thinking.BEGUN, ToolSyntax.JSON, "\nI think.\n</think>\n\nSo: yes", "I think.", "So: yes"),
                one(Thinking.BEGUN, ToolSyntax.JSON, "a <b>\n\nc </think>\n\n" + order, "a <b>\n\nc", null, ordered),
                one(Thinking.BEGUN, ToolSyntax.JSON, "cut off <tool_call>", "cut off <tool_call>", null),
                one(Thinking.BEGUN, ToolSyntax.JSON, "\n\n</think>\n\nyes", null, "yes"),
                one(Thinking.OPTIONAL, ToolSyntax.JSON, "\n<think>\nhm\n</think>\n\n" + order, "hm", null, ordered),
                one(Thinking.OPTIONAL, ToolSyntax.JSON, " <thin> no </think>", null, " <thin> no </think>"),
                one(Thinking.NONE, ToolSyntax.JSON, "<think>\nhm</think>", null, "<think>\nhm</think>"),
                one(Thinking.NONE, ToolSyntax.TAGS, "I will.\n\n" + tags, null, "I will.", tagged),
                one(
                        Thinking.NONE,
                        ToolSyntax.TAGS,
                        tags + "\n<tool_call>\n<function=stop>\n</function>\n</tool_call>",
                        null,
                        null,
                        tagged,
                        stopped),
                one(
                        Thinking.NONE,
                        ToolSyntax.TAGS,
                        "<tool_call><function=order><parameter=dish></tool_call></parameter></function></tool_call>",
                        null,
                        null,
                        call(0, "order", "{\"dish\":\"</tool_call>\"}")),
                one(
                        Thinking.NONE,
                        ToolSyntax.TAGS,
                        "<tool_call>\n<function=unknown>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>",
                        null,
                        null,
                        call(0, "unknown", "{\"a\":\"1\"}")));
    }

    private static Arguments one(
            Thinking thinking,
            ToolSyntax syntax,
            String text,
            @Nullable String reasoning,
            @Nullable String content,
            Part.Call... calls) {
        return Arguments.of(thinking, syntax, text, new JoinedAnswer(reasoning, content, List.of(calls)));
    }

    @ParameterizedTest
    @MethodSource("responses")
    void aResponseIsReadAlikeHoweverItIsCut(Thinking thinking, ToolSyntax syntax, String text, JoinedAnswer expected) {
        assertThat(JoinedAnswer.read(thinking, syntax, TOOLS, text)).isEqualTo(expected);
        for (int first = 0; first <= text.length(); first++) {
            ToolCallReader reader = new ToolCallReader(thinking, syntax, TOOLS);
            List<Part> parts = new ArrayList<>(reader.append(text.substring(0, first)));
            parts.addAll(reader.append(text.substring(first)));
            parts.addAll(reader.end());
            assertThat(JoinedAnswer.of(parts)).as("cut at " + first).isEqualTo(expected);
        }
        ToolCallReader reader = new ToolCallReader(thinking, syntax, TOOLS);
        List<Part> parts = new ArrayList<>();
        text.codePoints().forEach(c -> parts.addAll(reader.append(Character.toString(c))));
        parts.addAll(reader.end());
        assertThat(JoinedAnswer.of(parts)).as("a character at a time").isEqualTo(expected);
    }

    @Test
    void aCallGrowsAsSoonAsItsPiecesAreSure() {
        ToolCallReader reader = new ToolCallReader(Thinking.NONE, ToolSyntax.JSON, TOOLS);
        assertThat(reader.append("<tool_call>\n{\"name\": \"order\", \"arguments\": "))
                .isEmpty();
        assertThat(reader.append("{\"dish\": \"so")).containsExactly(call(0, "order", ""), more(0, "{\"dish\": \"so"));
        assertThat(reader.append("up\"}}\n</tool_")).containsExactly(more(0, "up\"}"));
        assertThat(reader.append("call>")).isEmpty();
        assertThat(reader.append("\n<tool_call>\n{\"name\": \"stop\", \"arguments\": {"))
                .containsExactly(call(1, "stop", ""), more(1, "{"));
        assertThat(reader.end()).as("cut off").isEmpty();
        ToolCallReader tags = new ToolCallReader(Thinking.NONE, ToolSyntax.TAGS, TOOLS);
        assertThat(tags.append("<tool_call>\n<function=order>\n<parameter=count>\n2"))
                .containsExactly(call(0, "order", ""));
        assertThat(tags.append("\n</parameter>\n<par")).containsExactly(more(0, "{\"count\":2"));
        assertThat(tags.append("ameter=dish>\nx\n</parameter>\n</function>"))
                .containsExactly(more(0, ",\"dish\":\"x\"}"));
    }

    @Test
    void whatCannotBecomeATagIsToldAtOnce() {
        ToolCallReader reader = new ToolCallReader(Thinking.NONE, ToolSyntax.JSON, TOOLS);
        assertThat(reader.append("Hi <tool")).containsExactly(new Part.Content("Hi"));
        assertThat(reader.append("box>")).containsExactly(new Part.Content(" <toolbox>"));
        assertThat(reader.append("<tool_call>{\"name\": \"stop\", ")).isEmpty();
        assertThat(reader.append("\"arguments\": {}}</tool_call>")).containsExactly(call(0, "stop", ""), more(0, "{}"));
        assertThat(reader.end()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "dish|null|\"null\"",
                "dish|12|\"12\"",
                "count|12|12",
                "count|1.5|\"1.5\"",
                "count|twelve|\"twelve\"",
                "count|null|null",
                "price|1.50|1.5",
                "price|3|3",
                "hot|True|true",
                "hot|false|false",
                "hot|yes|\"yes\"",
                "extra|[1, \"a\"]|[1,\"a\"]",
                "extra|[1,|\"[1,\"",
                "note|null|null",
                "note|\"x\"|\"x\"",
                "note|bare|\"bare\"",
                "kind|null|\"null\"",
                "level|2|2",
                "free|7|\"7\"",
                "free|null|null"
            })
    void aParametersTextIsAValueOfItsType(String name, String text, String value) {
        JsonNode parameters = TOOLS.get(0).parameters();
        assertThat(ParameterText.value(text, parameters, name)).hasToString(value);
    }

    @Test
    void aPromptSaysWhereItsResponseStands() {
        ChatTemplate qwen3 = new Qwen3Template(true).named("qwen3", true);
        assertThat(Thinking.after(qwen3, "<|im_start|>assistant\n")).isEqualTo(Thinking.OPTIONAL);
        assertThat(Thinking.after(qwen3, "<think>\n\n</think>\n\n")).isEqualTo(Thinking.NONE);
        assertThat(Thinking.after(qwen3, "<think>\n")).isEqualTo(Thinking.BEGUN);
        ChatTemplate qwen25 = new Qwen25Template().named("qwen2.5", false);
        assertThat(Thinking.after(qwen25, "<think>")).isEqualTo(Thinking.NONE);
        assertThat(qwen25.calls()).isEqualTo(ToolSyntax.JSON);
        assertThat(new Qwen35Template(true).named("qwen3.5", true).calls()).isEqualTo(ToolSyntax.TAGS);
        assertThat(ChatTemplates.CHATML.calls()).isEqualTo(ToolSyntax.NONE);
    }
}
