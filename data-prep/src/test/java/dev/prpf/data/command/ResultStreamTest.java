package dev.prpf.data.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ResultStreamTest {
    private static String said(Map<String, @Nullable Object> figures, boolean json) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream before = ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        try {
            ResultStream.figures(figures, json);
        } finally {
            ResultStream.redirect(before);
        }
        return out.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
    }

    @Test
    void figuresAreOneObjectOrALineEach() {
        Map<String, @Nullable Object> figures = new LinkedHashMap<>();
        figures.put("records", 3);
        figures.put("out", null);
        figures.put("name", "组");
        assertThat(said(figures, true)).isEqualTo("{\"records\":3,\"out\":null,\"name\":\"组\"}\n");
        assertThat(said(figures, false)).isEqualTo("records: 3\nout: null\nname: 组\n");
    }
}
