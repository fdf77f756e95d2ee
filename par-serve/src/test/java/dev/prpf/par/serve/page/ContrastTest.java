package dev.prpf.par.serve.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page's colours, light and dark, against WCAG 2.2 AA: 4.5 for text, 3 for the parts of controls and drawings. */
class ContrastTest {
    private static final Pattern COLOUR = Pattern.compile("--([a-z-]+): #([0-9a-f]{6})");

    private static Map<String, Integer> colours(boolean dark) throws IOException {
        try (InputStream in = Objects.requireNonNull(PageRoutes.class.getResourceAsStream("page.css"))) {
            String[] schemes =
                    new String(in.readAllBytes(), StandardCharsets.UTF_8).split("prefers-color-scheme: dark", 2);
            Map<String, Integer> colours = new HashMap<>();
            COLOUR.matcher(schemes[dark ? 1 : 0])
                    .results()
                    .forEach(found -> colours.put(found.group(1), Integer.parseInt(found.group(2), 16)));
            return colours;
        }
    }

    /** Returns WCAG's relative luminance. */
    private static double luminance(int colour) {
        return 0.2126 * linear(colour >> 16) + 0.7152 * linear(colour >> 8) + 0.0722 * linear(colour);
    }

    private static double linear(int channel) {
        double value = (channel & 0xff) / 255.0;
        return value <= 0.04045 ? value / 12.92 : Math.pow((value + 0.055) / 1.055, 2.4);
    }

    private static double contrast(int one, int other) {
        double a = luminance(one);
        double b = luminance(other);
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    }

    @ParameterizedTest
    @CsvSource({
        "ink, paper, 4.5",
        "ink, panel, 4.5",
        "soft, paper, 4.5",
        "soft, panel, 4.5",
        "accent, paper, 4.5",
        "on-accent, accent, 4.5",
        "bad, paper, 4.5",
        "mine, paper, 4.5",
        "edge, paper, 3",
        "good, rule, 3",
        "quiet, paper, 3",
        "bar, paper, 3",
        "edge, panel, 3"
    })
    void textsAndControlsStandOut(String front, String back, double least) throws IOException {
        for (boolean dark : new boolean[] {false, true}) {
            Map<String, Integer> colours = colours(dark);
            int one = Objects.requireNonNull(colours.get(front), front);
            int other = Objects.requireNonNull(colours.get(back), back);
            assertThat(contrast(one, other))
                    .as("%s on %s, dark %s", front, back, dark)
                    .isGreaterThanOrEqualTo(least);
        }
    }
}
