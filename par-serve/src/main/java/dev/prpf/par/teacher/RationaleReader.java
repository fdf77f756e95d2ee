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
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * Reads a model's text against the answer it was to argue for. A text that keeps the grammar and ends in the answer's calls is taken as it is.
 * One that does not is repaired, its recommendation replaced by the answer, where its reasoning names the answer's functions and mentions the
 * value of every argument; else it is dropped: reasoning that leads elsewhere must not be learned. Time is linear in the text's length,
 * whatever the text.
 */
final class RationaleReader {
    private static final String OWN_THOUGHTS = "<think>";
    private static final String END_OF_OWN_THOUGHTS = "</think>";
    private static final int MOST_SHOWN = 81;
    private static final Pattern FENCE = Pattern.compile("```\\w*");

    private RationaleReader() {}

    /** The summary of screens, or null where the text holds none. */
    static @Nullable String summary(String text) {
        String own = withoutThoughts(text);
        String tagged =
                StringUtils.substringBetween(own, ResponseGrammar.open(UI_SUMMARY), ResponseGrammar.close(UI_SUMMARY));
        String summary = clean(tagged == null ? withoutFences(own) : tagged);
        return summary.isEmpty() ? null : summary;
    }

    /** @param summary of the screens, or null for a text sample */
    static RationaleResult read(String text, RationaleRequest request, @Nullable String summary) {
        if (ResponseParser.parse(text, ResponseForm.TEXT) instanceof ParResponse.Parsed parsed
                && parsed.thinking() != null
                && parsed.functionSelection() != null
                && parsed.calls().equals(request.answer().calls())) {
            return written(parsed.thinking(), parsed.functionSelection(), request, summary, false);
        }
        String own = withoutFences(withoutThoughts(text));
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

    /** The text without the thoughts that a reasoning model writes before its answer. */
    private static String withoutThoughts(String text) {
        String own = text.stripLeading();
        int end = own.startsWith(OWN_THOUGHTS) ? own.indexOf(END_OF_OWN_THOUGHTS) : -1;
        return end < 0 ? text : own.substring(end + END_OF_OWN_THOUGHTS.length());
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

    /** Whether a name or value stands by itself and not within a longer word or number. */
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

    /** The calls of the text's recommendation, or null where none can be read. */
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

    /** The first argument's value that does not stand in the reasoning, or null. */
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

    /** In which no tag of the grammar can stand. */
    private static String clean(String text) {
        String clean = text.strip();
        for (String tag : ResponseGrammar.tags()) {
            clean = clean.replace(tag, tag.replace('<', '＜'));
        }
        return clean.strip();
    }

    private static String shown(String text) {
        return '"' + StringUtils.abbreviate(StringUtils.normalizeSpace(text), "…", MOST_SHOWN) + '"';
    }
}
