package dev.prpf.base.command;

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
            ResultStream.metrics(figures, json);
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

    @Test
    void forEyesNumbersAreShortAndInnerFiguresStandInARow() {
        Map<String, @Nullable Object> figures = new LinkedHashMap<>();
        figures.put("reward", 4.368793706293706);
        figures.put("seconds", 601112.176216);
        figures.put("p", 0.0000123456789);
        figures.put("none", Double.NaN);
        figures.put("whole", 3.0);
        figures.put("tokens", 1663070123L);
        Map<String, Object> dev = new LinkedHashMap<>();
        dev.put("n", 13);
        dev.put("ftr", 79.99999f);
        figures.put("dev", dev);
        assertThat(said(figures, false))
                .isEqualTo(
                        """
                        reward: 4.3688
                        seconds: 601110
                        p: 0.000012346
                        none: null
                        whole: 3
                        tokens: 1663070123
                        dev: n 13, ftr 80
                        """);
        assertThat(said(figures, true)).contains("\"reward\":4.368793706293706", "\"dev\":{\"n\":13,");
    }
}
