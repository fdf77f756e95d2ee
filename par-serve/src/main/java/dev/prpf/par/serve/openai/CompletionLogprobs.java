package dev.prpf.par.serve.openai;

import dev.prpf.par.generate.Generation.PromptScores;
import dev.prpf.par.generate.Generation.TopLogprobs;
import dev.prpf.par.serve.generation.GenerationStream.Update;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Log-probabilities in the format of OpenAI's completions: one list per property, in the tokens' order.
 *
 * @param tokenLogprobs null for a prompt's first token, which has no predecessor
 * @param topLogprobs the likeliest tokens at each position, and the actual one; null where the log-probability is null
 * @param textOffset where each token begins in the text, in code points; a token within a character has that character's offset
 */
record CompletionLogprobs(
        List<String> tokens,
        List<@Nullable Float> tokenLogprobs,
        List<@Nullable Map<String, Float>> topLogprobs,
        List<Integer> textOffset) {

    private static CompletionLogprobs empty() {
        return new CompletionLogprobs(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }

    /** Collects the log-probabilities of one answer. */
    static final class Builder {
        private final LongFunction<String> names;
        private final TokenTexts texts;
        private CompletionLogprobs collected = empty();
        private int offset;

        Builder(TokenTexts texts, boolean asIds) {
            names = asIds ? TokenTexts::asId : texts::distinct;
            this.texts = texts;
        }

        /** Adds the prompt's tokens, for an answer that echoes them. */
        void add(long[] prompt, PromptScores scores) {
            add(prompt[0], null, null);
            for (int i = 1; i < prompt.length; i++) {
                TopLogprobs top = scores.top().isEmpty() ? null : scores.top().get(i - 1);
                add(prompt[i], scores.logProbabilities()[i - 1], top);
            }
        }

        void add(Update.Tokens more) {
            for (int i = 0; i < more.ids().length; i++) {
                add(
                        more.ids()[i],
                        more.logProbabilities()[i],
                        more.top().isEmpty() ? null : more.top().get(i));
            }
        }

        private void add(long id, @Nullable Float logProbability, @Nullable TopLogprobs top) {
            int[] bytes = texts.bytes(id);
            boolean within = bytes != null && bytes.length > 0 && continues(bytes[0]);
            collected.tokens.add(names.apply(id));
            collected.tokenLogprobs.add(logProbability);
            collected.topLogprobs.add(logProbability == null ? null : likeliest(id, logProbability, top));
            collected.textOffset.add(within ? Math.max(0, offset - 1) : offset);
            offset += bytes == null
                    ? (int) texts.text(id).codePoints().count()
                    : (int) Arrays.stream(bytes).filter(b -> !continues(b)).count();
        }

        /** Returns whether a byte of UTF-8 continues a character. */
        private static boolean continues(int b) {
            return (b & 0xC0) == 0x80;
        }

        private Map<String, Float> likeliest(long id, float logProbability, @Nullable TopLogprobs top) {
            Map<String, Float> likeliest = new LinkedHashMap<>();
            for (int i = 0; top != null && i < top.ids().length; i++) {
                likeliest.putIfAbsent(names.apply(top.ids()[i]), top.logProbabilities()[i]);
            }
            likeliest.put(names.apply(id), logProbability);
            return likeliest;
        }

        /** Returns the tokens since the last call. */
        CompletionLogprobs take() {
            CompletionLogprobs taken = collected;
            collected = empty();
            return taken;
        }
    }
}
