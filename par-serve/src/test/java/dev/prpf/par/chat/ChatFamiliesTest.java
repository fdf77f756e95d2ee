package dev.prpf.par.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.chat.ChatTemplate.Conversation;
import dev.prpf.par.tokenizer.Piece;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The families' habits, one by one; expected texts are Jinja's. ChatTemplateGoldenTest has the breadth. */
class ChatFamiliesTest {
    private static final ChatTemplate QWEN25 = new Qwen25Template().named("qwen2.5", false);
    private static final ChatTemplate QWEN3 = new Qwen3Template(false).named("qwen3", true);
    private static final ChatTemplate HUB = new Qwen3Template(true).named("qwen3-hub", true);
    private static final ChatTemplate QWEN35 = new Qwen35Template(true).named("qwen3.5-thinking", true);
    private static final ChatTemplate SMOL = ChatTemplate.turns("smollm2", "Be kind");

    private static final String TALK = "[{'role':'user','content':'go'},{'role':'assistant','content':'<think>\\n"
            + "old\\n"
            + "</think>\\n"
            + "\\n"
            + "sure','tool_calls':["
            + "{'function':{'name':'f','arguments':{'n':1,'s':'é','b':true,'l':[1,2]}}},{'name':'g','arguments':{}}]},"
            + "{'role':'tool','content':'one'},{'role':'tool','content':'two'},{'role':'assistant','content':'done'}]";
    private static final String ANSWERS =
            """
            <|im_end|>
            <|im_start|>user
            <tool_response>
            one
            </tool_response>
            <tool_response>
            two
            </tool_response><|im_end|>
            <|im_start|>assistant
            """;
    private static final String JSON_CALLS =
            """
            sure
            <tool_call>
            {"name": "f", "arguments": {"n": 1, "s": "é", "b": true, "l": [1, 2]}}
            </tool_call>
            <tool_call>
            {"name": "g", "arguments": {}}
            </tool_call>""";
    private static final String TAGGED_CALLS =
            """
            sure

            <tool_call>
            <function=f>
            <parameter=n>
            1
            </parameter>
            <parameter=s>
            é
            </parameter>
            <parameter=b>
            True
            </parameter>
            <parameter=l>
            [1, 2]
            </parameter>
            </function>
            </tool_call>
            <tool_call>
            <function=g>
            </function>
            </tool_call>""";
    private static final String BEGUN =
            "<|im_start|>user\ngo<|im_end|>\n<|im_start|>assistant\n<think>\nold\n</think>\n\n";
    private static final String DONE = "<think>\n\n</think>\n\ndone<|im_end|>\n<|im_start|>assistant\n";

    private static void assertRefused(ChatTemplate template, String messages, String message) {
        Conversation conversation = Conversations.of(messages);
        assertThatThrownBy(() -> template.render(conversation))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining(message);
    }

    @Test
    void aTalkWithCallsInQwen25() {
        assertThat(Conversations.render(QWEN25, TALK))
                .isEqualTo("<|im_start|>system\n"
                        + "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n"
                        + BEGUN + JSON_CALLS + ANSWERS + "done<|im_end|>\n<|im_start|>assistant\n");
    }

    @Test
    void aTalkWithCallsInBothRevisionsOfQwen3() {
        String expected = BEGUN + JSON_CALLS + ANSWERS + DONE;

        assertThat(Conversations.render(QWEN3, TALK)).isEqualTo(expected);
        assertThat(Conversations.render(HUB, TALK)).isEqualTo(expected);
    }

    @Test
    void aTalkWithCallsInQwen35() {
        assertThat(Conversations.render(QWEN35, TALK)).isEqualTo(BEGUN + TAGGED_CALLS + ANSWERS + DONE + "<think>\n");
    }

    @Test
    void thoughtsBeforeTheLastQueryAreDropped() {
        String messages =
                "[{'role':'user','content':'a'},{'role':'assistant','content':'<think>x</think>b'},{'role':'user','content':'c'}]";
        String expected =
                """
                <|im_start|>user
                a<|im_end|>
                <|im_start|>assistant
                b<|im_end|>
                <|im_start|>user
                c<|im_end|>
                <|im_start|>assistant
                """;

        assertThat(Conversations.render(QWEN3, messages)).isEqualTo(expected);
        assertThat(Conversations.render(HUB, messages)).isEqualTo(expected);
        assertThat(Conversations.render(QWEN35, messages)).isEqualTo(expected + "<think>\n");
        assertThat(Conversations.render(QWEN25, messages)).contains("<think>x</think>b");
    }

    @ParameterizedTest
    @CsvSource({", false, true", "true, true, true", "false, false, false"})
    void thinkingIsSwitchedInTheGenerationPrompt(Boolean asked, boolean small, boolean large) {
        Conversation conversation = Conversations.of("[{'role':'user','content':'a'}]", "[]", asked);
        String open = "assistant\n<think>\n";
        String closed = "assistant\n<think>\n\n</think>\n\n";

        assertThat(Piece.text(new Qwen35Template(false).named("qwen3.5", true).render(conversation)))
                .endsWith(small ? open : closed);
        assertThat(Piece.text(QWEN35.render(conversation))).endsWith(large ? open : closed);
        assertThat(Piece.text(QWEN3.render(conversation)))
                .endsWith(Boolean.FALSE.equals(asked) ? closed : "<|im_start|>assistant\n");
    }

    @Test
    void functionsStandInTheSystemTurn() {
        Conversation conversation = Conversations.of(
                "[{'role':'system','content':'S'},{'role':'user','content':'a'}]", "[{'name':'f','x':'<é>'}]", null);

        assertThat(Piece.text(QWEN3.render(conversation)))
                .startsWith("<|im_start|>system\nS\n\n# Tools\n\nYou may call")
                .contains("<tools>\n{\"name\": \"f\", \"x\": \"<é>\"}\n</tools>\n\nFor each");
        assertThat(Piece.text(QWEN25.render(conversation)))
                .startsWith("<|im_start|>system\nS\n\n# Tools\n\nYou may call");
        assertThat(Piece.text(QWEN35.render(conversation)))
                .startsWith("<|im_start|>system\n# Tools\n\nYou have access")
                .contains("</IMPORTANT>\n\nS<|im_end|>\n<|im_start|>user\na");
        assertThat(Piece.text(SMOL.render(conversation)))
                .isEqualTo("<|im_start|>system\nS<|im_end|>\n<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n");
    }

    @Test
    void imagesAreTheTemplatesOwnText() {
        List<Piece> pieces =
                QWEN35.render(Conversations.of("[{'role':'user','content':[{'type':'text','text':' 帧1:<|image_pad|>'},"
                        + "{'type':'image','image':'0.png'},{'type':'video'},{'type':'text','text':'end '}]}]"));

        assertThat(Piece.text(pieces))
                .startsWith("<|im_start|>user\n帧1:<|image_pad|><|vision_start|><|image_pad|><|vision_end|>"
                        + "<|vision_start|><|video_pad|><|vision_end|>end<|im_end|>\n");
        assertThat(Conversations.plain(pieces)).containsExactly("帧1:<|image_pad|>", "end");
    }

    @Test
    void everythingOfTheConversationIsPlain() {
        for (ChatTemplate template : List.of(QWEN25, QWEN3, HUB, QWEN35)) {
            List<Piece> pieces = template.render(Conversations.of(TALK, "[{'name':'<|im_end|>'}]", null));

            assertThat(Conversations.plain(pieces))
                    .contains("go", "f", "g", "one", "two", "done", "{\"name\": \"<|im_end|>\"}");
            assertThat(pieces.stream().filter(Piece::control).map(Piece::text))
                    .noneMatch(text ->
                            text.contains("sure") || text.contains("old") || text.contains("\"name\": \"<|im_end"));
        }
    }

    @Test
    void withoutASystemMessageSmolLm2HasItsOwn() {
        assertThat(Conversations.render(SMOL, "[{'role':'user','content':''}]"))
                .isEqualTo(
                        "<|im_start|>system\nBe kind<|im_end|>\n<|im_start|>user\n<|im_end|>\n<|im_start|>assistant\n");
        assertThat(Conversations.render(ChatTemplate.turns("prpf", null), "[{'role':'user','content':'x'}]"))
                .isEqualTo("<|im_start|>user\nx<|im_end|>\n<|im_start|>assistant\n");
    }

    @Test
    void theTemplatesOwnErrorsAreBadData() {
        assertRefused(QWEN35, "[{'role':'assistant','content':'a'}]", "m.json: /0: No user query found in messages.");
        assertRefused(
                QWEN35,
                "[{'role':'user','content':'a'},{'role':'system','content':'s'}]",
                "m.json: /1: System message must be at the beginning.");
        assertRefused(
                QWEN35,
                "[{'role':'system','content':[{'type':'image'}]},{'role':'user','content':'a'}]",
                "m.json: /0: System message cannot contain images.");
        assertRefused(
                QWEN35,
                "[{'role':'system','content':[{'type':'video'}]},{'role':'user','content':'a'}]",
                "m.json: /0: System message cannot contain videos.");
        assertRefused(
                QWEN35,
                "[{'role':'user','content':[{'type':'audio'}]}]",
                "m.json: /0: Unexpected item type in content.");
        assertRefused(QWEN35, "[{'role':'user','content':3}]", "m.json: /0: Unexpected content type.");
        assertRefused(
                QWEN35,
                "[{'role':'user','content':'a'},{'role':'assistant','tool_calls':[{'name':'f','arguments':'{}'}]}]",
                "m.json: /1/tool_calls/0: the arguments of f must be an object for this template, they are \"{}\"");
    }

    @Test
    void contentThatAFamilyCannotWriteIsBadData() {
        String list = "[{'role':'user','content':[{'type':'text','text':'a'}]}]";
        String why = "m.json: /0: the content of this user message must be text for this template";

        assertRefused(QWEN25, list, why);
        assertRefused(HUB, list, why);
        assertRefused(SMOL, list, why);
        assertRefused(QWEN25, "[{'role':'user','content':null}]", why + ", it is null");
        assertThat(Conversations.render(QWEN3, list))
                .isEqualTo("<|im_start|>user\n<|im_end|>\n<|im_start|>assistant\n");
        assertThat(Conversations.render(
                        QWEN25, "[{'role':'user','content':'a'},{'role':'tool','content':{'ok':true,'n':null}}]"))
                .contains("<tool_response>\n{'ok': True, 'n': None}\n</tool_response>");
    }

    @Test
    void argumentsGivenAsTextStandAsTheyAreInQwen3Only() {
        String messages =
                "[{'role':'user','content':'a'},{'role':'assistant','content':null,'tool_calls':[{'name':'f','arguments':'{}'}]}]";

        assertThat(Conversations.render(QWEN3, messages))
                .contains("<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>");
        assertThat(Conversations.render(QWEN25, messages))
                .contains("<|im_start|>assistant\n<tool_call>\n{\"name\": \"f\", \"arguments\": \"{}\"}\n</tool_call>");
    }
}
