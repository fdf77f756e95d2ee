package dev.prpf.par.generate;

import dev.prpf.par.engine.DecoderFlops;
import dev.prpf.par.engine.TokenInputs;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A sequence in a row of the cache, and its tokens of the next pass. */
final class RunningSequence {
    private static final long[] NOTHING = {};

    /** Most tokens of a pass if each of them needs logits. */
    private static final int SCORED = 128;

    private final Sequence sequence;
    private final KvCache cache;
    private final @Nullable PromptLookup lookup;
    private final long turn;
    private int row;
    private boolean reported;
    private boolean finite;
    private int held;
    private int begin;
    private int end;
    private boolean chooses;
    /** Number of forced tokens in the pass. */
    private int jump;

    private long[] forced = NOTHING;
    private long[] draft = NOTHING;
    private KvCache.@Nullable Saved before;

    /** @param promptLookup most tokens of a guess; 0 for no guesses */
    RunningSequence(Sequence sequence, KvCache cache, int row, int promptLookup, long turn) {
        this.sequence = sequence;
        this.cache = cache;
        this.row = row;
        this.turn = turn;
        boolean guesses = promptLookup > 0 && sequence.params().sampling() == null;
        lookup = guesses ? new PromptLookup(promptLookup) : null;
    }

    Sequence sequence() {
        return sequence;
    }

    int row() {
        return row;
    }

    long turn() {
        return turn;
    }

    boolean isReported() {
        return reported;
    }

    void report() {
        reported = true;
    }

    void moveTo(int other) {
        cache.copy(row, other);
        row = other;
    }

    /** Returns the number of prompt tokens still to be prefilled, without the last one. */
    int unread() {
        return Math.max(0, sequence.prompt().length - 1 - cache.length(row));
    }

    /** Returns whether tokens of the prompt remain to be prefilled. */
    boolean reads() {
        return unread() > 0;
    }

    /**
     * Plans the tokens of the next pass.
     *
     * @param tokens most tokens, at least one
     * @param blocks whether the prefill stops at the end of a block of the prefix cache
     */
    void plan(int tokens, boolean blocks, boolean jumpForward) {
        held = 0;
        begin = cache.length(row);
        int read = sequence.prompt().length - 1;
        boolean scores = sequence.params().promptLogprobs() && begin < read;
        end = Math.min(sequence.total(), begin + (scores ? Math.min(tokens, SCORED) : tokens));
        if (blocks && begin < read) {
            int border = end / PrefixCache.BLOCK * PrefixCache.BLOCK;
            end = Math.min(read, border > begin ? border : end);
        }
        chooses = end == sequence.total();
        int spare = tokens - (end - begin);
        long[] next = chooses && jumpForward ? sequence.forced() : NOTHING;
        forced = Arrays.copyOf(next, Math.min(next.length, spare));
        jump = Math.min(forced.length, sequence.left() - 1);
        draft = guess(Math.min(sequence.left() - 1, spare) - forced.length);
        before = draft.length > 0 && !cache.rewinds() ? cache.save(row, 0, 0, true) : null;
    }

    /** Holds the row in the next pass. Every row of a pass has a token, so the pass feeds one, and {@link #settle} removes it. */
    void hold() {
        held++;
        begin = cache.length(row);
        end = begin + 1;
        chooses = false;
        jump = 0;
        forced = NOTHING;
        draft = NOTHING;
        before = cache.rewinds() ? null : cache.save(row, 0, 0, true);
    }

    /** Returns the number of consecutive passes in which this row was held. */
    int held() {
        return held;
    }

    /** Guesses the next tokens. If states cannot be rewound, the pass after a wrong guess computes one token again. */
    private long[] guess(int room) {
        boolean cheap = cache.rewinds() || end - begin == 1;
        if (lookup == null || !chooses || !cheap || room <= 0) {
            return NOTHING;
        }
        long[] guess = lookup.draft(known());
        return Arrays.stream(guess).limit(room).takeWhile(id -> id >= 0).toArray();
    }

    /** Returns prompt and response, with negative numbers for placeholders, which are never guessed. */
    private long[] known() {
        long[] tokens = Arrays.copyOf(sequence.keyed(), sequence.total() + forced.length);
        System.arraycopy(
                sequence.newTokens(0, sequence.length()), 0, tokens, sequence.keyed().length, sequence.length());
        System.arraycopy(forced, 0, tokens, sequence.total(), forced.length);
        return tokens;
    }

    /** Returns whether the pass reaches the last token, so that the next one is chosen. */
    boolean chooses() {
        return chooses;
    }

    /** Returns whether the row is known to contain no NaN. */
    boolean finite() {
        return finite;
    }

    /** Marks the row as finite: the last logits of its last pass, which depend on the whole row, contain no NaN. */
    void markFinite() {
        finite = true;
    }

    /** Returns the tokens of the pass. */
    long[] fed() {
        long[] tokens = Arrays.copyOf(sequence.tokens(begin, end), end - begin + jump + draft.length);
        System.arraycopy(forced, 0, tokens, end - begin, jump);
        System.arraycopy(draft, 0, tokens, end - begin + jump, draft.length);
        return tokens;
    }

    /** Adds the tokens to those of the rows before. */
    void feed(TokenInputs inputs) {
        inputs.add(fed(), begin, sequence.images());
    }

    int feeds() {
        return end - begin + jump + draft.length;
    }

    /** Charges the sequence for its part of the pass. */
    void charge(DecoderFlops flops, double secondsOfToken) {
        if (held > 0) {
            return;
        }
        boolean reads = begin < sequence.prompt().length;
        sequence.took(reads, flops.of(begin, feeds(), scored() + outputs()), secondsOfToken * feeds());
    }

    /** Returns the number of the pass's last tokens that need logits. */
    int outputs() {
        return chooses ? 1 + (sequence.params().scores() ? jump : 0) + draft.length : 0;
    }

    /** Returns the number of the pass's first tokens with logits that score the prompt. */
    int scored() {
        int last = sequence.prompt().length - 1;
        return sequence.params().promptLogprobs() && held == 0 ? Math.max(0, Math.min(end, last) - begin) : 0;
    }

    /** Returns the prompt's tokens that follow the scored ones. */
    long[] scoredTokens() {
        return sequence.tokens(begin + 1, begin + 1 + scored());
    }

    long[] forced() {
        return forced;
    }

    long[] draft() {
        return draft;
    }

    /** Drops the rejected tokens of the pass from the cache. */
    void settle(int accepted) {
        int valid = held > 0 ? begin : end + jump + accepted;
        if (cache.length(row) > valid) {
            if (before == null) {
                cache.truncate(row, valid);
            } else {
                cache.restore(row, begin, before);
            }
        }
        drop();
        if (lookup != null) {
            lookup.verified(draft.length, accepted);
        }
    }

    /** Fails the sequence after a broken pass, unless it ended before. */
    void abandon(RuntimeException cause) {
        if (!sequence.done()) {
            sequence.fail(cause);
        }
        drop();
    }

    private void drop() {
        if (before != null) {
            before.close();
            before = null;
        }
    }

    /** Saves the prefilled part of the prompt in the prefix cache. */
    void keep(PrefixCache prefixes) {
        int read = sequence.prompt().length - 1;
        int now = cache.length(row);
        if (!prefixes.keeps() || held > 0 || begin >= read || sequence.failure() != null) {
            return;
        }
        if (cache.rewinds() ? now >= read : now == read || (now < read && now % PrefixCache.BLOCK == 0)) {
            prefixes.save(
                    sequence.tenant(),
                    sequence.keyed(),
                    Math.min(now, read),
                    (from, to, states) -> cache.save(row, from, to, states));
        }
    }

    /**
     * Guesses the next tokens from prompt and response (prompt lookup decoding, Saxena 2023, as in transformers and vLLM). The guess is the continuation
     * of the last tokens' latest earlier occurrence. A correct guess costs nothing. Its length adapts to the last results.
     */
    static final class PromptLookup {
        private static final int LONGEST_NGRAM = 3;
        private static final int SHORTEST_NGRAM = 2;
        private static final long[] NOTHING = {};

        private final int most;
        private int next;

        /** @param most tokens in a guess */
        PromptLookup(int most) {
            this.most = most;
            next = Math.min(2, most);
        }

        /** @param tokens of prompt and response so far */
        long[] draft(long[] tokens) {
            for (int n = LONGEST_NGRAM; n >= SHORTEST_NGRAM && next > 0; n--) {
                for (int end = tokens.length - 1; end >= n; end--) {
                    if (Arrays.equals(tokens, end - n, end, tokens, tokens.length - n, tokens.length)) {
                        return Arrays.copyOfRange(tokens, end, Math.min(tokens.length, end + next));
                    }
                }
            }
            return NOTHING;
        }

        /** Adapts the length of guesses to a result. */
        void verified(int guessed, int right) {
            if (guessed > 0) {
                next = right == guessed ? Math.min(most, 2 * next) : Math.max(1, Math.min(next, right + 1));
            }
        }
    }
}
