package dev.prpf.par.generate;

import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The text of one response as its reader sees it: without the token that ended it, without the stop text and what follows that, whole characters
 * only. Text that may begin a stop text is held until more tokens decide.
 */
public final class ResponseText {
    private final IncrementalText text;
    private final Set<Integer> endTokens;
    private final List<String> stops;
    private final int minNewTokens;
    private String held = "";
    private int tokens;
    private @Nullable String stop;

    /**
     * @param params it is generated with
     * @param text of tokens, a character whose last bytes are missing as U+FFFD
     * @param prompt it follows
     */
    public ResponseText(SamplingParams params, Function<long[], String> text, long[] prompt) {
        this.text = new IncrementalText(text, prompt);
        endTokens = params.ending().tokens();
        stops = params.ending().texts();
        minNewTokens = params.changes().minNewTokens();
    }

    /** What can be shown now that there is one more token. */
    public String add(long id) {
        tokens++;
        if (stop != null || endTokens.contains(Math.toIntExact(id))) {
            return "";
        }
        String gained = text.add(id);
        return tokens < minNewTokens ? gained : shown(gained);
    }

    /** What was held back, where no stop text came of it; nothing follows. */
    public String end() {
        if (stop != null) {
            return "";
        }
        String last = shown(text.rest()) + held;
        held = "";
        return last;
    }

    /** The stop text that ended it, or null. */
    public @Nullable String stop() {
        return stop;
    }

    private String shown(String gained) {
        String all = held + gained;
        int end = all.length() + 1;
        for (String each : stops) {
            int at = all.indexOf(each);
            if (at >= 0 && at < end) {
                end = at;
                stop = each;
            }
        }
        int kept = stop == null ? all.length() - beginning(all) : end;
        held = stop == null ? all.substring(kept) : "";
        return all.substring(0, kept);
    }

    /** Length of the longest end of a text that some stop text begins with. */
    private int beginning(String all) {
        int longest = 0;
        for (String each : stops) {
            for (int n = Math.min(each.length() - 1, all.length()); n > longest; n--) {
                if (all.endsWith(each.substring(0, n))) {
                    longest = n;
                }
            }
        }
        return longest;
    }
}
