package dev.prpf.par.chat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.tokenizer.Piece;
import java.util.List;
import org.junit.jupiter.api.Test;

class MarkedTextTest {
    private static final MarkedText MIXED =
            new MarkedText(List.of(Piece.plain(" \n a"), Piece.control("<|image_pad|>"), Piece.plain("b\u3000\n")));

    @Test
    void whoWroteWhatSurvivesTrimming() {
        assertThat(MIXED.strip().pieces())
                .containsExactly(Piece.plain("a"), Piece.control("<|image_pad|>"), Piece.plain("b"));
    }

    @Test
    void aPieceThatIsCutAwayIsGone() {
        MarkedText spaces = new MarkedText(List.of(Piece.plain("  "), Piece.control("x"), Piece.plain("\n")));

        assertThat(spaces.strip().pieces()).containsExactly(Piece.control("x"));
        assertThat(spaces.slice(1, 2).pieces()).containsExactly(Piece.plain(" "));
        assertThat(spaces.slice(2, 2).isEmpty()).isTrue();
    }

    @Test
    void stripTakesWhatPythonCallsSpace() {
        assertThat(MarkedText.plain("\u001c\u0085\u00a0\u2028x\u200b\ufeff\u3000")
                        .strip()
                        .text())
                .isEqualTo("x\u200b\ufeff");
        assertThat(MarkedText.plain("\n x \n\n").stripNewlines().text()).isEqualTo(" x ");
        assertThat(MarkedText.plain("\n\nx\n").stripLeadingNewlines().text()).isEqualTo("x\n");
        assertThat(MarkedText.plain("\n\n").strip().isEmpty()).isTrue();
    }

    @Test
    void thinkingIsCutAsByTheTemplates() {
        MarkedText text = MarkedText.plain("x<think>\n<think>\nwhy\n\n</think>\n\nsaid</think>\nmore");

        assertThat(text.hasThinking()).isTrue();
        assertThat(text.thinking().text()).isEqualTo("why");
        assertThat(text.afterThinking().text()).isEqualTo("more");
        assertThat(MarkedText.plain("only\n</think>").thinking().text()).isEqualTo("only");
        assertThat(MarkedText.plain("<think>open").hasThinking()).isFalse();
    }

    @Test
    void aWrappedAnswerIsNoQuery() {
        assertThat(MarkedText.plain("<tool_response>\n1\n</tool_response>").isToolResponse())
                .isTrue();
        assertThat(MarkedText.plain("<tool_response>\n1\n</tool_response>.").isToolResponse())
                .isFalse();
    }
}
