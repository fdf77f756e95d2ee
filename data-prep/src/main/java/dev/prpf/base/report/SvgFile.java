package dev.prpf.base.report;

import dev.prpf.base.files.AtomicFiles;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.commons.text.StringSubstitutor;

/** Writes a drawing to an SVG file with the page's light colours, for viewers without CSS variables. */
public final class SvgFile {
    private static final Pattern VARIABLE = Pattern.compile("--(\\w+):\\s*([^;}]+)");

    private SvgFile() {}

    /** Writes the drawing atomically. */
    public static void write(Path file, Block.Drawing drawing) {
        AtomicFiles.writeText(file, standalone(drawing.svg()));
    }

    /** Returns the drawing with its style, on white. */
    static String standalone(String svg) {
        int body = svg.indexOf('>') + 1;
        return svg.substring(0, body) + "<style>" + style(Html.style())
                + "</style><rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>" + svg.substring(body) + "\n";
    }

    /** Returns the rules for SVG content with the variables of the first (light) palette substituted. */
    private static String style(String css) {
        String palette = css.substring(0, css.indexOf('}') + 1);
        String rules = css.lines()
                .filter(line -> line.startsWith("svg ."))
                .collect(Collectors.joining(" "))
                .replace("svg .", ".");
        Map<String, String> colours = VARIABLE.matcher(palette)
                .results()
                .collect(Collectors.toMap(
                        found -> found.group(1), found -> found.group(2).strip()));
        return "text{font:11px sans-serif}"
                + new StringSubstitutor(colours, "var(--", ")")
                        .setEnableUndefinedVariableException(true)
                        .replace(rules)
                        .strip();
    }
}
