package dev.prpf.par.response;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample.Modality;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.tokenizer.Piece;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SingleStageResponseTest {
    private static final List<ResponseForm> FORMS = Arrays.stream(ResponseForm.values())
            .filter(ResponseForm::singleStage)
            .toList();
    private static final FunctionCall CALL = new FunctionCall("set_alarm", Map.of("time", new TextNode("</function>")));
    private static final String NONE = "<function>{\"model_recommendation\":[]}</function>";

    private static ParResponse.Parsed acting(@Nullable String thought, String words) {
        return new ParResponse.Parsed(null, thought, null, List.of(new Recommendation(words, List.of(CALL))));
    }

    private static String written(ParResponse.Parsed response, ResponseForm form) {
        return Piece.text(ResponseWriter.pieces(response, form));
    }

    @Test
    void theTextHasThePartsOfItsFormat() {
        String calls = "<function>{\"model_recommendation\":[{\"name\":\"set_alarm\",\"parameters\":"
                + "{\"time\":\"\\u003c/function>\"}}]}</function>";
        ParResponse.Parsed response = acting("想", "提醒");
        assertThat(written(response, ResponseForm.FUNCTION)).isEqualTo(calls);
        assertThat(written(response, ResponseForm.REC_FUNCTION)).isEqualTo("<rec>提醒</rec>" + calls);
        assertThat(written(response, ResponseForm.THINK_FUNCTION)).isEqualTo("<think>想</think>" + calls);
        assertThat(written(response, ResponseForm.THINK_REC_FUNCTION))
                .isEqualTo("<think>想</think><rec>提醒</rec>" + calls);
        ParResponse.Parsed silent = new ParResponse.Parsed(null, null, null, List.of());
        assertThat(written(silent, ResponseForm.THINK_FUNCTION)).isEqualTo(NONE);
        assertThat(written(silent, ResponseForm.THINK_REC_FUNCTION)).isEqualTo("<rec>无推荐</rec>" + NONE);
        assertThat(written(silent, ResponseForm.BARE)).isEqualTo("<recommendations>[]</recommendations>");
    }

    @Test
    void formDependsOnlyOnThePromptsFormat() {
        for (Modality modality : Modality.values()) {
            assertThat(ResponseForm.of(ReasoningMode.FUNCTION, modality)).isEqualTo(ResponseForm.FUNCTION);
            assertThat(ResponseForm.of(ReasoningMode.THINK_REC_FUNCTION, modality))
                    .isEqualTo(ResponseForm.THINK_REC_FUNCTION);
        }
        assertThat(Arrays.stream(ReasoningMode.values()).filter(ReasoningMode::reasons))
                .containsExactly(ReasoningMode.FULL, ReasoningMode.THINK_FUNCTION, ReasoningMode.THINK_REC_FUNCTION);
    }

    @Test
    void writtenResponseIsReadBackInItsFormAndInAny() {
        RandomResponses random = new RandomResponses(31);
        int acted = 0;
        for (int i = 0; i < 4_000; i++) {
            ParResponse.Parsed made = random.next();
            ResponseForm form = FORMS.get(i % FORMS.size());
            boolean acts = !made.recommendations().isEmpty();
            String words = form.recommends() ? "荐" + i : "";
            ParResponse.Parsed response = new ParResponse.Parsed(
                    null,
                    form.thinks() ? (acts ? "想" + i : made.thinking()) : null,
                    null,
                    acts
                            ? List.of(new Recommendation(
                                    words, made.recommendations().get(0).calls()))
                            : List.of());
            String text = written(response, form);
            assertThat(ResponseParser.parse(" \n" + text + "\t", form)).as(text).isEqualTo(response);
            assertThat(ResponseParser.parse(text)).as(text).isEqualTo(response);
            assertThat(ResponseParser.parse(text, ResponseForm.BARE)).isInstanceOf(ParResponse.Malformed.class);
            acted += acts ? 1 : 0;
            if (ResponseParser.parse(random.damaged(text), form) instanceof ParResponse.Malformed fault) {
                assertThat(fault.where()).isBetween(0, text.length() + 20);
            }
        }
        assertThat(acted).isGreaterThan(2_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"No recommendation", "NO RECOMMENDATION\n", " 无推荐 "})
    void theWordsAloneAreSilenceInEveryForm(String words) {
        FORMS.forEach(form -> assertThat(ResponseParser.parse(words, form))
                .isEqualTo(new ParResponse.Parsed(null, null, null, List.of())));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "FUNCTION           | <function>{'model_recommendation':[]}</function>",
                "FUNCTION           | <function> { 'model_recommendation' : [ ] } </function>",
                "REC_FUNCTION       | <rec>No Recommendation</rec><function>{'model_recommendation':[]}</function>",
                "REC_FUNCTION       | <rec>Not Recommended</rec><function>{'model_recommendation':[]}</function>",
                "REC_FUNCTION       | <rec>建议点餐，但没有这样的函数</rec> <function>{'model_recommendation':[]}</function>",
                "THINK_FUNCTION     | <think>t</think><function>{'model_recommendation':[]}</function>",
                "THINK_REC_FUNCTION | <rec>无推荐</rec><function>{'model_recommendation':[]}</function>",
                "THINK_REC_FUNCTION | <think>t</think><rec>无推荐。</rec><function>{'model_recommendation':[]}</function>",
            })
    void anEmptyListIsSilence(ResponseForm form, String text) {
        assertThat(ResponseParser.parse(text.replace('\'', '"'), form))
                .isInstanceOfSatisfying(ParResponse.Parsed.class, parsed -> assertThat(parsed.calls())
                        .isEmpty());
    }

    private static final String ACTS = "<function>{'model_recommendation':[{'name':'f','parameters':{}}]}</function>";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "FUNCTION       | <rec>a</rec>ACTS               | 0  | <rec> has no place in a response of the form FUNCTION",
                "REC_FUNCTION   | <think>a</think><rec>b</rec>ACTS | 0 | <think> has no place",
                "REC_FUNCTION   | ACTS                           | 10 | has <rec> before <function>",
                "REC_FUNCTION   | <rec> </rec>ACTS               | 5  | <rec> is empty",
                "REC_FUNCTION   | <rec>无推荐</rec>ACTS           | 0  | <rec> says that nothing is recommended, but <function> has calls",
                "REC_FUNCTION   | <rec> no recommendation is due</rec>ACTS | 0 | says that nothing is recommended",
                "REC_FUNCTION   | <rec>not Recommended: busy</rec>ACTS | 0 | says that nothing is recommended",
                "REC_FUNCTION   | <rec>a<think>b</rec>ACTS       | 6  | a tag inside <rec>",
                "THINK_FUNCTION | ACTS                           | 0  | begins with <think>",
                "THINK_REC_FUNCTION | <rec>a</rec>ACTS           | 0  | begins with <think>",
                "THINK_REC_FUNCTION | <rec>a</rec><think>t</think>ACTS | 12 | expected <function>",
                "THINK_FUNCTION | <think>a                       | 8  | <think> is not closed",
                "FUNCTION       | ACTSx                          | 76 | text after </function>",
                "FUNCTION       | <function>[]</function>        | 10 | a JSON object must follow <function>",
                "FUNCTION       | <function>```json              | 10 | a JSON object must follow <function>",
                "FUNCTION       | <function>{}</function>        | 10 | needs \"model_recommendation\"",
                "FUNCTION       | <function>{'calls':[]}</function> | 11 | key \"calls\" has no place",
                "FUNCTION       | <function>{'model_recommendation':{}}</function> | 34 | must be an array of calls",
                "FUNCTION       | <function>{'model_recommendation':[{'name':'f'}]}</function> | 35 | a call needs \"parameters\"",
                "FUNCTION       | <function>{'model_recommendation':[{'name':' ','parameters':{}}]}</function> | 35 | is blank",
                "FUNCTION       | <recommendations>[]</recommendations> | 0 | expected <function>",
            })
    void malformedTextSaysWhereAndWhy(ResponseForm form, String text, int where, String why) {
        String given = text.replace("ACTS", ACTS).replace('\'', '"');
        assertThat(ResponseParser.parse(given, form)).isInstanceOfSatisfying(ParResponse.Malformed.class, malformed -> {
            assertThat(malformed.why()).contains(why);
            assertThat(malformed.where()).as(malformed.why()).isEqualTo(where);
        });
    }

    @Test
    void writerRejectsResponsesOutsideItsForm() {
        refuses(acting(null, "a"), ResponseForm.THINK_FUNCTION, "think is empty");
        refuses(acting("t", " "), ResponseForm.REC_FUNCTION, "rec is empty");
        refuses(acting("t", "a</rec>"), ResponseForm.REC_FUNCTION, "tag of the grammar at offset 1");
        refuses(acting("t", "No recommendation now"), ResponseForm.REC_FUNCTION, "means no recommendation");
        refuses(acting("t", "Not recommended"), ResponseForm.REC_FUNCTION, "means no recommendation");
        Recommendation one = new Recommendation("a", List.of(CALL));
        refuses(
                new ParResponse.Parsed(null, null, null, List.of(one, one)),
                ResponseForm.FUNCTION,
                "has one recommendation, not 2");
    }

    private static void refuses(ParResponse.Parsed response, ResponseForm form, String why) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> written(response, form))
                .withMessageContaining(why);
    }
}
