package dev.prpf.par.serve.reward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResponseTextTest {
    private static final String PROMPT = "<|im_start|>user\nwas tun?<|im_end|>\n<|im_start|>assistant\n";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "a</s><pad><pad> | a",
                "a<eos> | a",
                "a<end_of_turn> | a",
                "a</s>b | a</s>b",
                "<think>x</think>a | <think>x</think>a",
            })
    void tokensAtTheEndGoAndTextStays(String response, String expected) {
        assertThat(ResponseText.withoutControl(response)).isEqualTo(expected);
    }

    @Test
    void controlTokensGoWhereverTheyStand() {
        assertThat(ResponseText.withoutControl("<|im_start|>无推荐<|im_end|>\n<|endoftext|>"))
                .isEqualTo("无推荐");
        assertThat(ResponseText.withoutControl("无推荐<｜end▁of▁sentence｜>")).isEqualTo("无推荐");
        assertThat(ResponseText.withoutControl("1 <| 2 |> 3")).isEqualTo("1 <| 2 |> 3");
        assertThat(ResponseText.withoutControl("")).isEmpty();
        assertThat(ResponseText.withoutControl("</s>")).isEmpty();
    }

    @Test
    void thePromptIsCutOffTheQuery() {
        assertThat(ResponseText.behindPrompt(PROMPT + "a<|im_end|>", PROMPT, "query[0]"))
                .isEqualTo("a");
        assertThat(ResponseText.behindPrompt("<s>" + PROMPT + "a</s>", PROMPT, "query[0]"))
                .isEqualTo("a");
        assertThat(ResponseText.behindPrompt("[INST] q [/INST]a", "[INST] q [/INST]", "query[0]"))
                .isEqualTo("a");
        assertThat(ResponseText.behindPrompt(PROMPT + PROMPT + "a", PROMPT, "query[0]"))
                .as("a policy that repeats its prompt wrote no such response")
                .isEqualTo("user\nwas tun?\nassistant\na");
    }

    @Test
    void aPromptThatWasShortenedIsFoundByTheAssistantsTurn() {
        assertThat(ResponseText.behindPrompt(PROMPT.substring(20) + "a<|im_end|>", PROMPT, "query[0]"))
                .isEqualTo("a");
        assertThat(ResponseText.behindPrompt(PROMPT + "a", "", "query[0]")).isEqualTo("a");
    }

    @Test
    void aQueryWithoutABeginningIsRefused() {
        assertThatThrownBy(() -> ResponseText.behindPrompt("a", "b", "query[3]"))
                .hasMessage("query[3] holds neither its prompt nor \"<|im_start|>assistant\\n\","
                        + " so that where the response begins is not known");
    }

    @Test
    void longTextsTakeNoLongTime() {
        String spaces = " ".repeat(1 << 20);
        assertThat(ResponseText.withoutControl(spaces + "x" + spaces)).hasSize((1 << 20) + 1);
        String tokens = "</s>".repeat(1 << 18);
        assertThat(ResponseText.withoutControl("x" + tokens)).isEqualTo("x");
        assertThat(ResponseText.behindPrompt(spaces + PROMPT, spaces + "x", "query[0]"))
                .isEmpty();
    }
}
