package dev.prpf.par.serve.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.serve.cascade.ResponseParts.Delta;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ResponsePartsTest {
    private static final String WHOLE = "<ui_summary>地图</ui_summary><thinking>a < b, <function_selection>order_food"
            + "</function_selection></thinking><recommendations>[{\"instruction\":\"x\",\"function\":[]}]"
            + "</recommendations>";

    /** Adds a text character by character. */
    private static List<Delta> written(String text) {
        List<Delta> deltas = new ArrayList<>();
        ResponseParts parts = new ResponseParts(deltas::add);
        text.codePoints().forEach(character -> parts.tell(Character.toString(character), false));
        parts.tell("", true);
        return deltas;
    }

    private static String of(String part, List<Delta> deltas) {
        return deltas.stream()
                .filter(delta -> delta.part().equals(part))
                .map(Delta::text)
                .collect(Collectors.joining());
    }

    @Test
    void eachPartComesWithoutTagsHoweverItIsCut() {
        List<Delta> byCharacter = written(WHOLE);
        List<Delta> atOnce = new ArrayList<>();
        assertThat(new ResponseParts(atOnce::add).tell(WHOLE, true)).isTrue();
        for (List<Delta> deltas : List.of(byCharacter, atOnce)) {
            assertThat(of("ui_summary", deltas)).isEqualTo("地图");
            assertThat(of("thinking", deltas)).isEqualTo("a < b, order_food");
            assertThat(of("recommendations", deltas)).isEqualTo("[{\"instruction\":\"x\",\"function\":[]}]");
            assertThat(deltas).extracting(Delta::text).doesNotContain("");
        }
        assertThat(atOnce).extracting(Delta::part).containsExactly("ui_summary", "thinking", "recommendations");
        assertThat(byCharacter)
                .as("it comes as it is written")
                .contains(new Delta("ui_summary", "地"), new Delta("ui_summary", "图"));
    }

    @Test
    void anEmptyListIsNeverShown() {
        assertThat(written("<recommendations>[]</recommendations>")).isEmpty();
        assertThat(written("<recommendations> [ ] </recommendations>")).isEmpty();
        assertThat(written("无推荐")).isEmpty();
        assertThat(of("recommendations", written("<recommendations>[ {}]</recommendations>")))
                .isEqualTo("[ {}]");
    }

    @Test
    void aSingleStageResponseHasPartsToo() {
        List<Delta> deltas = written("<think>hm</think><rec>Order</rec><function>{\"a\":1}</function>");
        assertThat(of("thinking", deltas)).isEqualTo("hm");
        assertThat(of("recommendations", deltas)).isEqualTo("Order{\"a\":1}");
    }

    @Test
    void whatLooksLikeATagAtTheEndComesWithTheEnd() {
        List<Delta> deltas = new ArrayList<>();
        ResponseParts parts = new ResponseParts(deltas::add);
        parts.tell("<thinking>x</thin", false);
        assertThat(deltas).containsExactly(new Delta("thinking", "x"));
        parts.tell("", true);
        assertThat(deltas).containsExactly(new Delta("thinking", "x"), new Delta("thinking", "</thin"));
    }

    @Test
    void aListenerThatWantsNoMore_getsNoMore() {
        List<Delta> deltas = new ArrayList<>();
        ResponseParts parts = new ResponseParts(delta -> {
            deltas.add(delta);
            return false;
        });
        assertThat(parts.tell("<ui_summary>a</ui_summary><thinking>b", false)).isFalse();
        assertThat(deltas).containsExactly(new Delta("ui_summary", "a"));
    }
}
