package dev.prpf.par.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ActionFormTest {
    private static ActionForm saying(String text) {
        return new ActionForm("Now.", "Chat__send", Map.of("content", TextNode.valueOf(text)));
    }

    @Test
    void write_isPareForm() {
        assertThat(new ActionForm("It is late.", "Clock__set", Map.of("on", BooleanNode.TRUE)).write())
                .isEqualTo("Thought: It is late.\n\nAction:\n"
                        + "{\"action\":\"Clock__set\",\"action_input\":{\"on\":true}}<end_action>");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "True or False",
                "say \"yes\"",
                "C:\\dir\\",
                "\\\"",
                "Action: Observation: Thought: <end_action>",
                "a}{b",
                "two\nlines\t好😀",
                ""
            })
    void read_givesEveryTextBack(String text) {
        assertThat(ActionForm.read(saying(text).write())).isEqualTo(saying(text));
    }

    @Test
    void read_ofAThoughtWithMarks_findsTheAction() {
        ActionForm action = new ActionForm("Action: Observation: <end_action>", "A__b", Map.of());
        assertThat(ActionForm.read(action.write()).name()).isEqualTo("A__b");
    }

    @Test
    void read_followsPareParser() {
        Map<String, JsonNode> input = ActionForm.read(
                        "Thought: so\nAction:\n```json\n{\"action\": \"A__b\", \"action_input\":"
                                + " {\"x\": True, \"n\": 2, \"t\": \"a\nb \\\"c\\\"\"}}\n```<end_action>{\"action\": \"No__no\"}")
                .input();
        assertThat(input)
                .isEqualTo(Map.of("x", BooleanNode.TRUE, "n", IntNode.valueOf(2), "t", TextNode.valueOf("a\nb 'c'")));
        assertThat(ActionForm.read("Action: {\"action\": \"A__b\"}Observation: {}")
                        .input())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "hello | has \"Action:\" 0 times",
                "Action: {\"action\":\"A__b\"} Action: {} | has \"Action:\" 2 times",
                "<end_action>Action: {\"action\":\"A__b\"} | the action has no {…}",
                "Action: A__b | the action has no {…}",
                "Action: {\"action\": | the action has no {…}",
                "Action: {action} | the action is not JSON",
                "Action: {\"action\":\"b\"} | must be App__function",
                "Action: {\"action\":\"A__b__c\"} | must be App__function",
                "Action: {\"action\":7} | must be App__function",
                "Action: {\"action\":\"A__b\",\"action_input\":\"x\"} | must be an object"
            })
    void read_ofAnotherText_isRefused(String reply, String message) {
        assertThatThrownBy(() -> ActionForm.read(reply))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining(message);
    }
}
