package dev.prpf.par.serve.cascade;

import dev.prpf.par.response.ResponseGrammar;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Splits a response into summary, reasoning and recommendations while it is generated (docs/RESPONSE.md), without the tags. Text that may begin a tag
 * is held back. Recommendations are held back until they are known not to be an empty list, which is silence.
 */
final class ResponseParts {
    /** A piece of text, and the part that contains it. */
    record Delta(String part, String text) {}

    /** The part of each block; a single-stage response has blocks of its own. */
    private static final Map<String, String> PARTS = Map.of(
            ResponseGrammar.UI_SUMMARY, ResponseGrammar.UI_SUMMARY,
            ResponseGrammar.THINKING, ResponseGrammar.THINKING,
            ResponseGrammar.FUNCTION_SELECTION, ResponseGrammar.THINKING,
            ResponseGrammar.THINK, ResponseGrammar.THINKING,
            ResponseGrammar.RECOMMENDATIONS, ResponseGrammar.RECOMMENDATIONS,
            ResponseGrammar.REC, ResponseGrammar.RECOMMENDATIONS,
            ResponseGrammar.FUNCTION, ResponseGrammar.RECOMMENDATIONS);

    /** From a tag to the part that begins after it; empty after an end tag. */
    private static final Map<String, String> AFTER = PARTS.entrySet().stream()
            .flatMap(block -> Stream.of(
                    Map.entry(ResponseGrammar.open(block.getKey()), block.getValue()),
                    Map.entry(ResponseGrammar.close(block.getKey()), around(block.getKey()))))
            .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));

    private final Predicate<Delta> listener;
    private String waiting = "";
    private String part = "";
    private String held = "";
    private boolean acts;

    /** @param listener receives the new pieces; false cancels the rest */
    ResponseParts(Predicate<Delta> listener) {
        this.listener = listener;
    }

    private static String around(String block) {
        return block.equals(ResponseGrammar.FUNCTION_SELECTION) ? ResponseGrammar.THINKING : "";
    }

    /**
     * Passes on the new pieces; returns whether the listener wants more.
     *
     * @param gained text since the last call, whole characters only
     */
    boolean tell(String gained, boolean ended) {
        return add(gained, ended).stream().allMatch(listener);
    }

    private List<Delta> add(String gained, boolean ended) {
        List<Delta> deltas = new ArrayList<>();
        String text = waiting + gained;
        int at = 0;
        while (at < text.length()) {
            int bracket = text.indexOf('<', at);
            int end = bracket < 0 ? text.length() : bracket;
            add(text.substring(at, end), deltas);
            at = end;
            if (bracket < 0) {
                break;
            }
            String rest = text.substring(at);
            String tag = tag(rest::startsWith);
            if (tag != null) {
                part = AFTER.getOrDefault(tag, "");
                at += tag.length();
            } else if (!ended && tag(known -> known.startsWith(rest)) != null) {
                break;
            } else {
                add("<", deltas);
                at++;
            }
        }
        waiting = text.substring(at);
        return deltas;
    }

    private static @Nullable String tag(Predicate<String> which) {
        return AFTER.keySet().stream().filter(which).findFirst().orElse(null);
    }

    private void add(String text, List<Delta> deltas) {
        String shown = text;
        if (part.equals(ResponseGrammar.RECOMMENDATIONS) && !acts) {
            held += text;
            acts = !mayBeEmpty(held);
            shown = acts ? held : "";
        }
        if (part.isEmpty() || shown.isEmpty()) {
            return;
        }
        Delta last = deltas.isEmpty() ? null : deltas.get(deltas.size() - 1);
        if (last != null && last.part().equals(part)) {
            deltas.set(deltas.size() - 1, new Delta(part, last.text() + shown));
        } else {
            deltas.add(new Delta(part, shown));
        }
    }

    /** Returns whether the text is the empty list, or a prefix of one. */
    private static boolean mayBeEmpty(String recommendations) {
        return recommendations.matches("\\s*(\\[\\s*(]\\s*)?)?");
    }
}
