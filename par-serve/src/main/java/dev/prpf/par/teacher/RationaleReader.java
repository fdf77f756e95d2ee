package dev.prpf.par.teacher;

import static dev.prpf.par.response.ResponseGrammar.FUNCTION_SELECTION;
import static dev.prpf.par.response.ResponseGrammar.RECOMMENDATIONS;
import static dev.prpf.par.response.ResponseGrammar.THINKING;
import static dev.prpf.par.response.ResponseGrammar.UI_SUMMARY;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseGrammar;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.teacher.Teacher.RationaleRequest;
import dev.prpf.par.teacher.Teacher.RationaleResult;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * Compares a model's rationale with its answer. A text that follows the grammar and ends in the answer's calls is kept unchanged. Another
 * text is repaired, with the answer as recommendation, if its reasoning names the answer's functions and all argument values. Otherwise it is
 * dropped, since reasoning for other calls must not be learned. Time is linear in the text's length.
 */
final class RationaleReader {
    private static final String THINK = "<think>";
    private static final String END_OF_THINK = "</think>";
    private static final int MAX_SHOWN = 81;
    private static final Pattern FENCE = Pattern.compile("```\\w*");

    private RationaleReader() {}

    /** Returns the summary of screenshots, or null if the text has none. */
    static @Nullable String summary(String text) {
        String own = withoutReasoning(text);
        String tagged =
                StringUtils.substringBetween(own, ResponseGrammar.open(UI_SUMMARY), ResponseGrammar.close(UI_SUMMARY));
        String summary = clean(tagged == null ? withoutFences(own) : tagged);
        return summary.isEmpty() ? null : summary;
    }

    /** @param summary of the screenshots, or null for a text sample */
    static RationaleResult read(String text, RationaleRequest request, @Nullable String summary) {
        if (ResponseParser.parse(text, ResponseForm.TEXT) instanceof ParResponse.Parsed parsed
                && parsed.thinking() != null
                && parsed.functionSelection() != null
                && parsed.calls().equals(request.answer().calls())) {
            return written(parsed.thinking(), parsed.functionSelection(), request, summary, false);
        }
        String own = withoutFences(withoutReasoning(text));
        int begin = own.indexOf(ResponseGrammar.open(THINKING));
        String reasoning = begin < 0 ? "" : own.substring(begin);
        String thinking = StringUtils.substringBetween(
                reasoning, ResponseGrammar.open(THINKING), ResponseGrammar.open(FUNCTION_SELECTION));
        String selection = StringUtils.substringBetween(
                reasoning, ResponseGrammar.open(FUNCTION_SELECTION), ResponseGrammar.close(FUNCTION_SELECTION));
        if (thinking == null
                || selection == null
                || clean(thinking).isEmpty()
                || clean(selection).isEmpty()) {
            return new RationaleResult.Dropped(
                    RationaleResult.Fault.UNREADABLE, "it has no thinking with a function selection: " + shown(text));
        }
        return repaired(own, thinking, selection, request, summary);
    }

    /** Returns the text without the reasoning before its answer. */
    private static String withoutReasoning(String text) {
        String own = text.stripLeading();
        int end = own.startsWith(THINK) ? own.indexOf(END_OF_THINK) : -1;
        return end < 0 ? text : own.substring(end + END_OF_THINK.length());
    }

    private static String withoutFences(String text) {
        return text.lines()
                .filter(line -> !FENCE.matcher(line.strip()).matches())
                .collect(Collectors.joining("\n"));
    }

    private static RationaleResult repaired(
            String text, String thinking, String selection, RationaleRequest request, @Nullable String summary) {
        List<FunctionCall> calls = recommended(text);
        List<String> names = request.answer().names();
        List<String> argued = calls == null
                ? names.stream().filter(name -> names(selection, name)).toList()
                : calls.stream().map(FunctionCall::name).toList();
        if (!argued.equals(names)) {
            return new RationaleResult.Dropped(
                    RationaleResult.Fault.OTHER_FUNCTIONS, "it argues for " + argued + ", the answer is " + names);
        }
        if (calls == null || !calls.equals(request.answer().calls())) {
            String missing = missing(thinking + selection, request.answer());
            if (missing != null) {
                return new RationaleResult.Dropped(
                        RationaleResult.Fault.OTHER_ARGUMENTS,
                        "it does not mention the answer's argument \"" + missing + "\"");
            }
        }
        return written(thinking, selection, request, summary, true);
    }

    /** Returns whether a text contains a name or value as a whole word or number. */
    private static boolean names(String text, String word) {
        return Pattern.compile("(?<![A-Za-z0-9_])" + Pattern.quote(word) + "(?![A-Za-z0-9_])")
                .matcher(text)
                .find();
    }

    private static RationaleResult written(
            String thinking, String selection, RationaleRequest request, @Nullable String summary, boolean repaired) {
        return new RationaleResult.Written(
                new ParResponse.Parsed(summary, clean(thinking), clean(selection), List.of(request.answer())),
                repaired);
    }

    /** Returns the calls of the text's recommendation, or null if it cannot be parsed. */
    private static @Nullable List<FunctionCall> recommended(String text) {
        String open = ResponseGrammar.open(RECOMMENDATIONS);
        String close = ResponseGrammar.close(RECOMMENDATIONS);
        String block = StringUtils.substringBetween(text, open, close);
        return block != null
                        && ResponseParser.parse(open + block + close, ResponseForm.BARE)
                                instanceof ParResponse.Parsed parsed
                ? parsed.calls()
                : null;
    }

    /** Returns the first argument value that the reasoning does not mention, or null. */
    private static @Nullable String missing(String reasoning, Recommendation answer) {
        for (FunctionCall call : answer.calls()) {
            for (JsonNode value : call.parameters().values()) {
                for (JsonNode leaf : RationaleRequest.leaves(value)) {
                    if (!names(reasoning, leaf.asText())) {
                        return leaf.asText();
                    }
                }
            }
        }
        return null;
    }

    /** Returns the trimmed text with all tags of the grammar broken. */
    private static String clean(String text) {
        String clean = text.strip();
        for (String tag : ResponseGrammar.tags()) {
            clean = clean.replace(tag, tag.replace('<', '＜'));
        }
        return clean.strip();
    }

    private static String shown(String text) {
        return '"' + StringUtils.abbreviate(StringUtils.normalizeSpace(text), "…", MAX_SHOWN) + '"';
    }
}
