package dev.prpf.cli.launch;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.Suggestion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The template of a job file, with names in double braces that are replaced by values. A line with a name that has no value is removed; all
 * lines of a value get the indentation of its line.
 *
 * @param file the template's file, for messages
 */
record JobTemplate(Path file, String text) {
    /** The required name: without it a job would run no member. */
    static final String REQUIRED = "member-script";

    private static final Pattern NAME = Pattern.compile("\\{\\{([^{}]*)}}");

    /** @throws PrpfException 78 if the file cannot be read */
    static JobTemplate read(Path file) {
        try {
            return new JobTemplate(file, Files.readString(file, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new InvalidConfigurationException(
                    file + ": cannot be read (" + e + "); give the file of a template to --template");
        }
    }

    /**
     * Returns the text of the job file.
     *
     * @param values by name; null removes the name's line
     * @throws PrpfException 78, listing each unknown name, also for a template without {@link #REQUIRED}
     */
    String render(Map<String, @Nullable String> values) {
        List<String> defects = new ArrayList<>();
        StringBuilder rendered = new StringBuilder();
        boolean complete = false;
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            List<String> names =
                    NAME.matcher(line).results().map(match -> match.group(1)).toList();
            for (String name : names) {
                if (!values.containsKey(name)) {
                    defects.add(file + ":" + number + ": {{" + name + "}} is an unknown name"
                            + Suggestion.hint(name, values.keySet()));
                }
            }
            complete |= names.contains(REQUIRED);
            if (names.stream().allMatch(name -> values.get(name) != null)) {
                rendered.append(filled(line, values)).append('\n');
            }
        }
        if (!complete) {
            defects.add(file + ": lacks {{" + REQUIRED + "}}, which runs the command; copy it from configs/launch/");
        }
        if (!defects.isEmpty()) {
            throw new InvalidConfigurationException(String.join("\n       ", defects));
        }
        return rendered.toString();
    }

    private static String filled(String line, Map<String, @Nullable String> values) {
        String indentation =
                line.substring(0, line.length() - line.stripLeading().length());
        return NAME.matcher(line).replaceAll(match -> Matcher.quoteReplacement(value(match, indentation, values)));
    }

    private static String value(MatchResult match, String indentation, Map<String, @Nullable String> values) {
        String value = String.valueOf(values.get(match.group(1))).stripTrailing();
        return value.replace("\n", "\n" + indentation).replaceAll("(?m)^[ \\t]+$", "");
    }
}
