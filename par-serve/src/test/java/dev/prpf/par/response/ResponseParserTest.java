package dev.prpf.par.response;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.Sample.Modality;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResponseParserTest {
    private static final String CALL = "[{'instruction':'a','function':[{'name':'f','parameters':{'x':1}}]}]";
    private static final String RECS = "<recommendations>" + CALL + "</recommendations>";
    private static final String NONE = "<recommendations>[]</recommendations>";
    private static final String THINK = "<thinking>t<function_selection>s</function_selection></thinking>";
    private static final String SUMMARY = "<ui_summary>u</ui_summary>";

    private static String text(String quoted) {
        return quoted.replace('\'', '"');
    }

    private static ParResponse parse(String quoted, ResponseForm form) {
        return ResponseParser.parse(text(quoted), form);
    }

    @ParameterizedTest
    @ValueSource(strings = {"No recommendation", "无推荐", " 无推荐\n", NONE, "<recommendations> [ ] </recommendations>"})
    void silenceIsSilentInEveryForm(String silence) {
        List<ResponseForm> forms = Arrays.stream(ResponseForm.values())
                .filter(form -> !form.singleStage())
                .toList();
        for (ResponseForm form : forms) {
            assertThat(ResponseParser.parse(silence, form))
                    .isEqualTo(new ParResponse.Parsed(null, null, null, List.of()));
        }
    }

    @Test
    void silenceMayKeepSummaryAndThinking() {
        assertThat(parse(SUMMARY + NONE, ResponseForm.SCREENS)).isInstanceOf(ParResponse.Parsed.class);
        assertThat(parse("<thinking>t</thinking>" + NONE, ResponseForm.TEXT)).isInstanceOf(ParResponse.Parsed.class);
        assertThat(parse(SUMMARY + THINK + NONE, ResponseForm.ANY)).isInstanceOf(ParResponse.Parsed.class);
    }

    @Test
    void bothKeysOfTheCallsAreRead() {
        assertThat(parse(RECS.replace("'function'", "'functions'"), ResponseForm.BARE))
                .isEqualTo(parse(RECS, ResponseForm.BARE))
                .isInstanceOf(ParResponse.Parsed.class);
    }

    @Test
    void theFormFollowsFromTheConfigurationAndTheSample() {
        assertThat(ResponseForm.of(ReasoningMode.NONE, Modality.MULTIMODAL)).isEqualTo(ResponseForm.BARE);
        assertThat(ResponseForm.of(ReasoningMode.FULL, Modality.MULTIMODAL)).isEqualTo(ResponseForm.SCREENS);
        assertThat(ResponseForm.of(ReasoningMode.FULL, Modality.TEXT)).isEqualTo(ResponseForm.TEXT);
    }

    @ParameterizedTest
    @CsvSource({
        "BARE,,true",
        "BARE,T,false",
        "BARE,ST,false",
        "TEXT,,false",
        "TEXT,T,true",
        "TEXT,ST,false",
        "SCREENS,,false",
        "SCREENS,T,false",
        "SCREENS,ST,true",
        "SCREENS,S,false",
        "ANY,,true",
        "ANY,T,true",
        "ANY,ST,true",
        "ANY,S,false"
    })
    void anActingResponseHasTheReasoningOfItsForm(ResponseForm form, String blocks, boolean legal) {
        String given = blocks == null ? "" : blocks;
        String text = (given.contains("S") ? SUMMARY : "") + (given.contains("T") ? THINK : "") + RECS;
        assertThat(parse(text, form) instanceof ParResponse.Parsed).isEqualTo(legal);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "~~                                                     | 0  | expected <recommendations>",
                "无推荐。                                                | 0  | expected <recommendations>",
                "no recommendation                                      | 0  | expected <recommendations>",
                "Not Recommended                                        | 0  | expected <recommendations>",
                "x<recommendations>[]</recommendations>                 | 0  | expected <recommendations>",
                "<recommendations>[]</recommendations>x                 | 37 | text after",
                "<recommendations>[]</recommendations>无推荐             | 37 | text after",
                "<recommendations>[]                                    | 19 | expected </recommendations>",
                "<recommendations>[]x</recommendations>                 | 19 | expected </recommendations>",
                "<recommendations>无推荐</recommendations>               | 17 | a JSON array",
                "<recommendations></recommendations>                    | 17 | a JSON array",
                "<recommendations>{}</recommendations>                  | 17 | a JSON array",
                "<recommendations>[1]</recommendations>                 | 18 | must be an object",
                "<recommendations>[[]]</recommendations>                | 18 | must be an object",
                "<recommendations>[,]</recommendations>                 | 18 | broken JSON",
                "<recommendations>[NaN]</recommendations>               | 21 | broken JSON",
                "<recommendations>[{}                                   | 18 | needs \"instruction\"",
                "<recommendations>[/*c*/]</recommendations>             | 18 | broken JSON",
                "<ui_summary>u                                          | 13 | <ui_summary> is not closed",
                "<ui_summary> </ui_summary><recommendations>[]</recommendations>    | 12 | <ui_summary> is empty",
                "<ui_summary>u<thinking></ui_summary><recommendations>[]</recommendations> | 13 | a tag inside <ui_summary>",
                "<thinking>t</thinking>                                 | 22 | expected <recommendations>",
                "<thinking></thinking><recommendations>[]</recommendations>         | 10 | <thinking> is empty",
                "<thinking>a</thinking><thinking>b</thinking><recommendations>[]</recommendations> | 22 | expected <recommendations>",
                "<thinking>a</thinking><ui_summary>u</ui_summary><recommendations>[]</recommendations> | 22 | expected <recommendations>",
                "<thinking>a<function_selection>b</function_selection>c</thinking><recommendations>[]</recommendations> | 53 | expected </thinking>",
                "<thinking>a<function_selection>b</thinking><recommendations>[]</recommendations> | 80 | is not closed",
                "<function_selection>b</function_selection><recommendations>[]</recommendations> | 0 | expected <recommendations>",
            })
    void malformedTextSaysWhereAndWhy(String text, int where, String why) {
        assertMalformed(ResponseParser.parse(text), where, why);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "[{'instruction':'a'}]                                              | 1  | needs \"function\"",
                "[{'function':[{'name':'f','parameters':{}}]}]                      | 1  | needs \"instruction\"",
                "[{'instruction':1,'function':[]}]                                  | 16 | must be a string",
                "[{'instruction':'a','function':{}}]                                | 31 | must be an array",
                "[{'instruction':'a','function':[]}]                                | 31 | \"function\" is empty",
                "[{'instruction':'a','function':[1]}]                               | 32 | a call must be an object",
                "[{'instruction':'a','function':[{'parameters':{}}]}]               | 32 | needs \"name\"",
                "[{'instruction':'a','function':[{'name':' ','parameters':{}}]}]    | 32 | is blank",
                "[{'instruction':'a','function':[{'name':1,'parameters':{}}]}]      | 40 | must be a string",
                "[{'instruction':'a','function':[{'name':'f'}]}]                    | 32 | needs \"parameters\"",
                "[{'instruction':'a','function':[{'name':'f','parameters':[]}]}]    | 57 | must be an object",
                "[{'instruction':'a','function':[{'name':'f','parameters':{},'y':1}]}] | 60 | key \"y\"",
                "[{'instruction':'a','x':1,'function':[]}]                          | 20 | key \"x\"",
                "[{'instruction':'a','function':[{'name':'f','parameters':{}}],'functions':[]}] | 62 | key \"functions\"",
                "[{'instruction':'a','instruction':'b'}]                            | 20 | Duplicate",
                "[{'instruction':'a','function':[{'name':'f','parameters':{'x':{'y':1,'y':2}}}]}] | 69 | Duplicate",
                "[{'instruction':'a','function':[{'name':'f','parameters':{}}]},]   | 63 | broken JSON",
                "[{'instruction':'a','function':[{'name':'f','parameters':{'x':     | 61 | broken JSON",
                "[{'instruction':'a                                                 | 16 | broken JSON",
            })
    void malformedRecommendationsSayWhereAndWhy(String array, int where, String why) {
        ParResponse response = parse("<recommendations>" + array + "</recommendations>", ResponseForm.ANY);
        assertMalformed(response, -1, why);
        ParResponse.Malformed malformed = (ParResponse.Malformed) response;
        assertThat(malformed.where() - 17).as(malformed.why()).isBetween(where, where + 24);
    }

    private static void assertMalformed(ParResponse response, int where, String why) {
        assertThat(response).isInstanceOf(ParResponse.Malformed.class);
        ParResponse.Malformed malformed = (ParResponse.Malformed) response;
        assertThat(malformed.why()).contains(why);
        if (where >= 0) {
            assertThat(malformed.where()).as(malformed.why()).isEqualTo(where);
        }
    }

    @Test
    void deepNestingIsMalformedNotAnOverflow() {
        String deep = "[".repeat(100_000);
        assertMalformed(
                ResponseParser.parse(
                        "<recommendations>[{\"instruction\":\"a\",\"function\":[{\"name\":\"f\",\"parameters\":{\"x\":"
                                + deep),
                -1,
                "broken JSON");
    }
}
