package dev.prpf.par.generate;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The text of one response without its end token, its stop text and what follows; whole characters only. Text that may begin a stop text is held back
 * until more tokens decide.
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
     * @param params of the generation
     * @param text decodes tokens; a character with missing bytes becomes U+FFFD
     * @param prompt the tokens before the response
     */
    public ResponseText(SamplingParams params, Function<long[], String> text, long[] prompt) {
        this.text = new IncrementalText(text, prompt);
        endTokens = params.ending().tokens();
        stops = params.ending().texts();
        minNewTokens = params.changes().minNewTokens();
    }

    /** Adds a token and returns the text that can be shown now. */
    public String add(long id) {
        tokens++;
        if (stop != null || endTokens.contains(Math.toIntExact(id))) {
            return "";
        }
        String gained = text.add(id);
        return tokens < minNewTokens ? gained : shown(gained);
    }

    /** Returns the text held back, unless a stop text ended the response; nothing follows. */
    public String end() {
        if (stop != null) {
            return "";
        }
        String last = shown(text.rest()) + held;
        held = "";
        return last;
    }

    /** Returns the stop text that ended the response, or null. */
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

    /** Returns the length of the longest suffix of a text that begins a stop text. */
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

    /**
     * Decodes tokens to text while they arrive. A character may need several tokens, and a token's text may depend on the previous token. So new text
     * is the difference between two decodings of the last tokens, once its last character is complete.
     */
    static final class IncrementalText {
        /** Number of prompt tokens that the first new tokens are decoded with. */
        private static final int CONTEXT = 5;

        private static final char INCOMPLETE = '\uFFFD';

        private final Function<long[], String> text;
        private long[] ids;
        private int length;
        private int from;
        private int read;

        /**
         * @param text decodes tokens; a character with missing bytes becomes U+FFFD
         * @param prompt the tokens of the prompt; their text is not returned
         */
        public IncrementalText(Function<long[], String> text, long[] prompt) {
            this.text = text;
            length = Math.min(CONTEXT, prompt.length);
            ids = Arrays.copyOf(Arrays.copyOfRange(prompt, prompt.length - length, prompt.length), 2 * CONTEXT);
            read = length;
        }

        /** Adds a token and returns the new text; empty while a character is incomplete. */
        public String add(long id) {
            if (length == ids.length) {
                ids = Arrays.copyOf(ids, 2 * length);
            }
            ids[length++] = id;
            String gained = gained();
            if (gained.isEmpty() || gained.charAt(gained.length() - 1) == INCOMPLETE) {
                return "";
            }
            from = read;
            read = length;
            return gained;
        }

        /** Returns the text held back, including an incomplete character; nothing follows. */
        public String rest() {
            String gained = gained();
            from = read;
            read = length;
            return gained;
        }

        private String gained() {
            String before = text.apply(Arrays.copyOfRange(ids, from, read));
            String now = text.apply(Arrays.copyOfRange(ids, from, length));
            return now.length() <= before.length() ? "" : now.substring(before.length());
        }
    }
}
