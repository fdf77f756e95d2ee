package dev.prpf.par.teacher;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseGrammar;
import dev.prpf.par.response.ResponseParser;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a model's text against the answer it was to argue for. A text that keeps the grammar and ends in the answer's calls is taken as it is.
 * One that does not is repaired, its recommendation replaced by the answer, where its reasoning names the answer's functions and mentions the
 * value of every argument; else it is dropped: reasoning that leads elsewhere must not be learned.
 */
final class LessonReader {
    private static final Pattern OWN_THOUGHTS = Pattern.compile("(?s)^\\s*<think>.*?</think>");
    private static final Pattern FENCE = Pattern.compile("(?m)^\\s*```\\w*\\s*$");
    private static final Pattern REASONING =
            Pattern.compile("(?s)<thinking>(.*?)<function_selection>(.*?)</function_selection>");
    private static final Pattern RECOMMENDED = Pattern.compile("(?s)<recommendations>.*?</recommendations>");
    private static final Pattern SUMMARY = Pattern.compile("(?s)<ui_summary>(.*?)</ui_summary>");

    private LessonReader() {}

    /** The summary of screens in one line, or null where the text holds none. */
    static @Nullable String summary(String text) {
        String own = OWN_THOUGHTS.matcher(text).replaceFirst("");
        Matcher tagged = SUMMARY.matcher(own);
        String summary =
                clean(tagged.find() ? tagged.group(1) : FENCE.matcher(own).replaceAll(""));
        return summary.isEmpty() ? null : summary;
    }

    /** @param summary of the screens, or null for a text sample */
    static Taught read(String text, Lesson lesson, @Nullable String summary) {
        if (ResponseParser.parse(text, ResponseForm.TEXT) instanceof ParResponse.Parsed parsed
                && parsed.thinking() != null
                && parsed.functionSelection() != null
                && calls(parsed).equals(lesson.answer().calls())) {
            return written(parsed.thinking(), parsed.functionSelection(), lesson, summary, false);
        }
        String own = FENCE.matcher(OWN_THOUGHTS.matcher(text).replaceFirst("")).replaceAll("");
        Matcher reasoning = REASONING.matcher(own);
        if (!reasoning.find()
                || clean(reasoning.group(1)).isEmpty()
                || clean(reasoning.group(2)).isEmpty()) {
            return new Taught.Dropped(
                    Taught.Fault.UNREADABLE, "it has no thinking with a function selection: " + shown(text));
        }
        return repaired(own, reasoning.group(1), reasoning.group(2), lesson, summary);
    }

    private static Taught repaired(
            String text, String thinking, String selection, Lesson lesson, @Nullable String summary) {
        List<FunctionCall> calls = recommended(text);
        List<String> names = lesson.answer().names();
        List<String> argued = calls == null
                ? names.stream().filter(name -> names(selection, name)).toList()
                : calls.stream().map(FunctionCall::name).toList();
        if (!argued.equals(names)) {
            return new Taught.Dropped(
                    Taught.Fault.OTHER_FUNCTIONS, "it argues for " + argued + ", the answer is " + names);
        }
        if (calls == null || !calls.equals(lesson.answer().calls())) {
            String missing = missing(thinking + selection, lesson.answer());
            if (missing != null) {
                return new Taught.Dropped(
                        Taught.Fault.OTHER_ARGUMENTS, "it does not mention the answer's argument \"" + missing + "\"");
            }
        }
        return written(thinking, selection, lesson, summary, true);
    }

    /** Whether a name or value stands by itself and not within a longer word or number. */
    private static boolean names(String text, String word) {
        return Pattern.compile("(?<![A-Za-z0-9_])" + Pattern.quote(word) + "(?![A-Za-z0-9_])")
                .matcher(text)
                .find();
    }

    private static Taught written(
            String thinking, String selection, Lesson lesson, @Nullable String summary, boolean repaired) {
        return new Taught.Written(
                new ParResponse.Parsed(summary, clean(thinking), clean(selection), List.of(lesson.answer())), repaired);
    }

    /** The calls of the text's recommendation, or null where none can be read. */
    private static @Nullable List<FunctionCall> recommended(String text) {
        Matcher block = RECOMMENDED.matcher(text);
        return block.find()
                        && ResponseParser.parse(block.group(), ResponseForm.BARE) instanceof ParResponse.Parsed parsed
                ? calls(parsed)
                : null;
    }

    private static List<FunctionCall> calls(ParResponse.Parsed parsed) {
        return parsed.recommendations().isEmpty()
                ? List.of()
                : parsed.recommendations().get(0).calls();
    }

    /** The first argument's value that does not stand in the reasoning, or null. */
    private static @Nullable String missing(String reasoning, Recommendation answer) {
        for (FunctionCall call : answer.calls()) {
            for (JsonNode value : call.parameters().values()) {
                for (String leaf : leaves(value)) {
                    if (!names(reasoning, leaf)) {
                        return leaf;
                    }
                }
            }
        }
        return null;
    }

    private static List<String> leaves(JsonNode value) {
        List<String> leaves = new ArrayList<>();
        if (value.isContainerNode()) {
            value.forEach(inner -> leaves.addAll(leaves(inner)));
        } else if (!value.isNull() && !value.asText().isBlank()) {
            leaves.add(value.asText());
        }
        return leaves;
    }

    /** In which no tag of the grammar can stand. */
    private static String clean(String text) {
        String clean = text.strip();
        for (String tag : ResponseGrammar.tags()) {
            clean = clean.replace(tag, tag.replace('<', '＜'));
        }
        return clean.strip();
    }

    private static String shown(String text) {
        int most = 80;
        String one = text.replaceAll("\\s+", " ").strip();
        return "\"" + (one.length() <= most ? one : one.substring(0, most) + "…") + "\"";
    }
}
