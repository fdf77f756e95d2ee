package dev.prpf.base.error;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class PrintableTest {
    @Test
    void whatATerminalWouldObeyIsShown() {
        assertThat(Printable.text("a\u001b[2Jb\rc\u009bd\u007f\u202ee\u0000"))
                .isEqualTo("a\\u001b[2Jb\\u000dc\\u009bd\\u007f\\u202ee\\u0000");
    }

    @Test
    void otherTextStaysAsItIs() {
        String text = "中文 \"quoted\"\tand\nlines, é, 😀, \\u001b";
        assertThat(Printable.text(text)).isEqualTo(text);
    }

    @Test
    void jsonKeepsItsMeaning() throws IOException {
        ObjectMapper json = new ObjectMapper();
        String value = "x\u009b\u202e\u001by";
        assertThat(json.readValue(Printable.text(json.writeValueAsString(value)), String.class))
                .isEqualTo(value);
    }
}
