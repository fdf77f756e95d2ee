package dev.prpf.par.serve.reward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrainerResponseTest {
    private static final String PROMPT = "<|im_start|>user\nwas tun?<|im_end|>\n<|im_start|>assistant\n";

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "a</s><pad><pad> ~ a",
                "a<eos> ~ a",
                "a<end_of_turn> ~ a",
                "a</s>b ~ a</s>b",
                "<think>x</think>a ~ <think>x</think>a",
                "a<|im_end|> ~ a",
                "a<|im_end|>b ~ a",
                "a<|eot_id|><|im_end|>b ~ a",
                "`a <|im_end|>\n<|im_start|>assistant\nb<|im_end|>` ~ a",
                "<rec<|x|>ommendations>[] ~ <rec<|x|>ommendations>[]",
                "a<|x|> ~ a<|x|>",
                "<|im_start|>a ~ <|im_start|>a",
                "a<｜end▁of▁sentence｜> ~ a",
                "1 <| 2 |> 3 ~ 1 <| 2 |> 3",
            })
    void theFirstTurnIsTheResponseAndItsTextStays(String response, String expected) {
        assertThat(TrainerResponse.withoutControl(response)).isEqualTo(expected);
    }

    @Test
    void nothingIsAResponseToo() {
        assertThat(TrainerResponse.withoutControl("<|im_end|>\n<|im_start|>assistant\na"))
                .isEmpty();
        assertThat(TrainerResponse.withoutControl("")).isEmpty();
        assertThat(TrainerResponse.withoutControl("</s>")).isEmpty();
    }

    @Test
    void thePromptIsCutOffTheQuery() {
        assertThat(TrainerResponse.afterPrompt(PROMPT + "a<|im_end|>", PROMPT, "query[0]"))
                .isEqualTo("a");
        assertThat(TrainerResponse.afterPrompt("<s>" + PROMPT + "a</s>", PROMPT, "query[0]"))
                .isEqualTo("a");
        assertThat(TrainerResponse.afterPrompt("[INST] q [/INST]a", "[INST] q [/INST]", "query[0]"))
                .isEqualTo("a");
        assertThat(TrainerResponse.afterPrompt(PROMPT + PROMPT + "a", PROMPT, "query[0]"))
                .as("a policy that repeats its prompt wrote no such response")
                .isEqualTo("<|im_start|>user\nwas tun?");
    }

    @Test
    void aPromptThatWasShortenedIsFoundByTheAssistantsTurn() {
        assertThat(TrainerResponse.afterPrompt(PROMPT.substring(20) + "a<|im_end|>", PROMPT, "query[0]"))
                .isEqualTo("a");
        assertThat(TrainerResponse.afterPrompt(PROMPT + "a", "", "query[0]")).isEqualTo("a");
        String turns = "q".repeat(300) + PROMPT + "before<|im_end|>\n" + "r".repeat(300) + PROMPT;
        assertThat(TrainerResponse.afterPrompt(turns.substring(50) + "a<|im_end|>", turns, "query[0]"))
                .as("of several turns the prompt's end tells which is the response")
                .isEqualTo("a");
    }

    /** Neither a turn of its own nor one of the user's, written by the policy, is where its response begins. */
    @ParameterizedTest
    @ValueSource(strings = {"", "<|im_start|>user\nagain<|im_end|>\n"})
    void aPolicyCannotBeginAgain(String between) {
        String restarted = "junk<|im_end|>\n" + between + "<|im_start|>assistant\na<|im_end|>";
        for (String prompt : List.of("", PROMPT, "x" + PROMPT)) {
            assertThat(TrainerResponse.afterPrompt(PROMPT + restarted, prompt, "query[0]"))
                    .isEqualTo("junk");
        }
        assertThat(TrainerResponse.afterPrompt(PROMPT + "junk" + PROMPT + "a", PROMPT, "query[0]"))
                .isEqualTo("junk<|im_start|>user\nwas tun?");
    }

    @Test
    void aQueryWithoutABeginningIsRefused() {
        assertThatThrownBy(() -> TrainerResponse.afterPrompt("a", "b", "query[3]"))
                .hasMessage("query[3] holds neither its prompt nor \"<|im_start|>assistant\\n\","
                        + " so that where the response begins is not known");
    }

    @Test
    void longTextsTakeNoLongTime() {
        String spaces = " ".repeat(1 << 20);
        assertThat(TrainerResponse.withoutControl(spaces + "x" + spaces)).hasSize((1 << 20) + 1);
        String tokens = "</s>".repeat(1 << 18);
        assertThat(TrainerResponse.withoutControl("x" + tokens)).isEqualTo("x");
        assertThat(TrainerResponse.afterPrompt(spaces + PROMPT, spaces + "x", "query[0]"))
                .isEmpty();
    }
}
