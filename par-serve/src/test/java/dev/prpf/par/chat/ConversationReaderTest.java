package dev.prpf.par.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConversationReaderTest {
    @TempDir
    Path directory;

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("m.json"), text);
    }

    /** Each defect names its place, the value and the rule. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'role': 'user'} | m.json: is {\"role\": \"user\"}, must be a JSON array of messages",
                "[] | m.json: has no messages; give at least one",
                "['hi'] | m.json: /0: is \"hi\", must be a message, a JSON object",
                "[{'role': 'developer', 'content': ''}] | m.json: /0/role: is \"developer\", must be one of [system,"
                        + " user, assistant, tool]",
                "[{'role': 7, 'content': ''}] | m.json: /0/role: is 7, must be one of [system, user, assistant, tool]",
                "[{'content': ''}] | m.json: /0/role: is missing, must be one of [system, user, assistant, tool]",
                "[{'role': 'user', 'content': ''}, {'role': 'user'}] | m.json: /1: this user message has no content;"
                        + " only an assistant that calls functions may leave it out",
                "[{'role': 'assistant', 'tool_calls': []}] | m.json: /0: this assistant message has no content; only"
                        + " an assistant that calls functions may leave it out",
                "[{'role': 'user', 'content': ['x']}] | m.json: /0/content/0: is \"x\", must be a part of the content,"
                        + " a JSON object",
                "[{'role': 'user', 'content': '', 'tool_calls': [{'name': 'f'}]}] | m.json: /0/tool_calls: a user"
                        + " calls no functions, only an assistant does",
                "[{'role': 'assistant', 'content': '', 'tool_calls': {}}] | m.json: /0/tool_calls: is {}, must be a"
                        + " JSON array of calls",
                "[{'role': 'assistant', 'tool_calls': [{'function': null}]}] | m.json: /0/tool_calls/0/function: is"
                        + " null, must be a function, a JSON object",
                "[{'role': 'assistant', 'tool_calls': [{'function': {}}]}] | m.json: /0/tool_calls/0/function/name: is"
                        + " missing, must be the function's name",
                "[{'role': 'assistant', 'content': '', 'reasoning_content': 1}] | m.json: /0/reasoning_content: is 1,"
                        + " must be text",
                "[{'role': 'user', 'content': '\\ud800'}] | m.json: /0: holds half a surrogate pair, which is no text;"
                        + " write the character whole"
            })
    void aDefectIsNamed(String messages, String expected) {
        assertThatThrownBy(() -> ConversationReader.messages("m.json", Conversations.json(messages)))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessage(expected);
    }

    @Test
    void aLongValueIsShownInPart() {
        String value = "x".repeat(500);

        assertThatThrownBy(() -> ConversationReader.messages("m.json", Conversations.json("['" + value + "']")))
                .hasMessageContaining("/0: is \"xxx")
                .hasMessageContaining("x…, must be")
                .hasMessageMatching(".{1,200}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "[{\"role\": \"user\" | Unexpected end-of-input",
                "[{\"role\": \"user\", \"role\": \"user\", \"content\": \"\"}] | Duplicate field 'role'",
                "[] [] | Trailing token",
                "[NaN] | NaN"
            })
    void brokenJsonIsBadData(String text, String why) throws IOException {
        Path file = file(text);

        assertThatThrownBy(() -> ConversationReader.messages(file))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("m.json: cannot be read as JSON")
                .hasMessageContaining(why);
    }

    @Test
    void anEmptyOrMissingFileIsBadData() throws IOException {
        Path empty = file("");

        assertThatThrownBy(() -> ConversationReader.messages(empty)).hasMessageContaining("must be a JSON array");
        assertThatThrownBy(() -> ConversationReader.tools(directory.resolve("none.json")))
                .hasMessageContaining("none.json: cannot be read as JSON");
    }

    @Test
    void toolsAreObjects() {
        assertThat(ConversationReader.tools("t.json", Conversations.json("[{'name': 'f'}]")))
                .hasSize(1);
        assertThatThrownBy(() -> ConversationReader.tools("t.json", Conversations.json("[1]")))
                .hasMessage("t.json: /0: is 1, must be a function, a JSON object");
        assertThatThrownBy(() -> ConversationReader.tools("t.json", Conversations.json("{}")))
                .hasMessage("t.json: is {}, must be a JSON array of functions");
    }

    @Test
    void callsAndThoughtsAreReadFromTheirSeveralForms() {
        List<ChatMessage> messages = ConversationReader.messages(
                "m.json",
                Conversations.json("[{'role': 'assistant', 'reasoning_content': null, 'reasoning': 'r', 'tool_calls': ["
                        + "{'type': 'function', 'function': {'name': 'f', 'arguments': {'a': 1}}}, {'name': 'g'}]}]"));

        ChatMessage message = messages.get(0);
        assertThat(message.reasoning()).isEqualTo("r");
        assertThat(message.content().isMissingNode()).isTrue();
        assertThat(message.toolCalls()).extracting(ChatMessage.ToolCall::name).containsExactly("f", "g");
        assertThat(message.toolCalls().get(0).argumentsJson()).isEqualTo("{\"a\": 1}");
        assertThatThrownBy(() -> message.toolCalls().get(1).argumentsJson())
                .hasMessageStartingWith("m.json: /0/tool_calls/1: the call of g has no arguments");
    }
}
