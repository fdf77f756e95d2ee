package dev.prpf.par.response;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResponseRoundTripTest {
    private static final List<Recommendation> ACTS = List.of(new Recommendation(
            "提醒", List.of(new FunctionCall("set_alarm", Map.of("time", new TextNode("</recommendations>"))))));

    @Test
    void writtenResponseIsReadBackUnchanged() {
        RandomResponses random = new RandomResponses(7);
        for (int i = 0; i < 5_000; i++) {
            ParResponse.Parsed response = random.next();
            String text = ResponseWriter.write(response);
            assertThat(ResponseParser.parse(text)).as(text).isEqualTo(response);
            assertThat(ResponseParser.parse(" \n" + text + "\t ")).as(text).isEqualTo(response);
        }
    }

    @Test
    void theBareFormIsReadBackAndIsBare() {
        RandomResponses random = new RandomResponses(8);
        for (int i = 0; i < 500; i++) {
            ParResponse.Parsed response = random.next();
            String text = ResponseWriter.write(bare(response));
            assertThat(text).startsWith("<recommendations>[");
            assertThat(ResponseParser.parse(text, ResponseForm.BARE)).isEqualTo(bare(response));
        }
    }

    @Test
    void aDamagedTextNeverThrowsAndItsOffsetLiesInTheText() {
        RandomResponses random = new RandomResponses(9);
        int malformed = 0;
        for (int i = 0; i < 5_000; i++) {
            String text = random.damaged(ResponseWriter.write(random.next()));
            if (ResponseParser.parse(text) instanceof ParResponse.Malformed fault) {
                malformed++;
                assertThat(fault.where()).as(text).isBetween(0, text.length());
                assertThat(fault.why()).isNotBlank();
            }
        }
        assertThat(malformed).isGreaterThan(2_000);
    }

    @Test
    void theTextIsThePapers() {
        assertThat(ResponseWriter.write(new ParResponse.Parsed("界面", "想", "选", ACTS)))
                .isEqualTo("<ui_summary>界面</ui_summary><thinking>想<function_selection>选</function_selection></thinking>"
                        + "<recommendations>[{\"instruction\":\"提醒\",\"function\":[{\"name\":\"set_alarm\",\"parameters\":"
                        + "{\"time\":\"\\u003c/recommendations>\"}}]}]</recommendations>");
        assertThat(ResponseWriter.write(new ParResponse.Parsed(null, null, null, List.of())))
                .isEqualTo("<recommendations>[]</recommendations>");
    }

    @Test
    void writerRejectsResponsesOutsideTheGrammar() {
        refuses(new ParResponse.Parsed(" ", null, null, List.of()), "ui_summary is empty");
        refuses(new ParResponse.Parsed(null, "a</thinking>", null, List.of()), "tag of the grammar at offset 1");
        refuses(new ParResponse.Parsed(null, null, "s", List.of()), "must be inside thinking");
        refuses(new ParResponse.Parsed(null, "t", null, ACTS), "needs thinking with a function selection");
        refuses(
                new ParResponse.Parsed(null, null, null, List.of(new Recommendation("", List.of()))),
                "silence is the empty list");
    }

    private static void refuses(ParResponse.Parsed response, String why) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ResponseWriter.write(response))
                .withMessageContaining(why);
    }

    private static ParResponse.Parsed bare(ParResponse.Parsed response) {
        return new ParResponse.Parsed(null, null, null, response.recommendations());
    }
}
