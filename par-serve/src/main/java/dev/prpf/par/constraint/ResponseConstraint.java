package dev.prpf.par.constraint;

import dev.prpf.par.constraint.States.State;
import dev.prpf.par.generate.TokenConstraint;
import dev.prpf.par.schema.WorkBudget;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Constrains one response to its grammar, token by token, and completes it within its length. */
final class ResponseConstraint implements TokenConstraint {
    /** Operations of a response before its first token; each token adds more. They pay for new states of the grammar. */
    static final long OPERATIONS = 1 << 22;

    static final long OPERATIONS_A_TOKEN = 1 << 17;

    /** Operations of a slice, which takes some milliseconds. */
    private static final long SLICE = 1 << 12;

    private static final byte[] NOTHING = {};

    private final State start;
    private final TokenSets sets;
    private final ForcedText forcedText;
    private final Set<Integer> endTokens;
    private final WorkBudget budget = new WorkBudget("the schema or pattern of this response", OPERATIONS);
    private final WrittenKeys keys = new WrittenKeys();
    private State state;
    private int tokensOfText;
    private boolean ended;
    private long[] known = {};
    private int knownRead;
    private long slice = SLICE;
    private int preparedFor = -1;
    private long[] prepared = {};

    /**
     * Creates a constraint for responses of one form that call functions of one pool. States and token sets grow while they are used. The rows of a
     * batch share them, one thread at a time.
     *
     * @param start state at the beginning of a response
     */
    ResponseConstraint(State start, TokenSets sets, ForcedText forcedText, Set<Integer> endTokens) {
        this.start = start;
        this.sets = sets;
        this.forcedText = forcedText;
        this.endTokens = endTokens;
        state = start;
    }

    State state() {
        return state;
    }

    WorkBudget budget() {
        return budget;
    }

    @Override
    public int shortest() {
        return start.cost();
    }

    @Override
    public boolean prepare(int left) {
        return preparedFor == left || inSlice(() -> follow(left));
    }

    /** Does work in a slice. The slice doubles while no state is made, because one step may need more than a slice. */
    private boolean inSlice(Runnable work) {
        sets.charge(budget);
        long made = sets.made();
        boolean done = budget.doWithin(slice, work);
        slice = done || sets.made() > made ? SLICE : 2 * slice;
        return done;
    }

    /** Finds the tokens allowed next, or after the forced ones. */
    private void follow(int left) {
        long[] forced = forced(left);
        if (forced.length == 0) {
            prepared = allowed(left);
        } else {
            State then = state;
            for (long token : forced) {
                then = ForcedText.after(
                        then, Objects.requireNonNullElse(sets.trie().written(token), NOTHING));
            }
            sets.within(then, left - forced.length - 1);
        }
        preparedFor = forced.length == 0 ? left : -1;
    }

    @Override
    public long[] forced(int left) {
        sets.charge(budget);
        if (state.complete()) {
            return endTokens.stream().mapToLong(Integer::longValue).limit(1).toArray();
        }
        if (knownRead == known.length) {
            known = forcedText.after(state, left);
            knownRead = 0;
        }
        return Arrays.copyOfRange(known, knownRead, known.length);
    }

    @Override
    public long[] allowed(int left) {
        sets.charge(budget);
        if (preparedFor == left) {
            return prepared;
        }
        if (ended || needed() > left) {
            throw new IllegalStateException(
                    "a response that needs " + needed() + " tokens has " + left + (ended ? " and has ended" : " left"));
        }
        if (!(state.head() instanceof Text text)) {
            return sets.within(state, left - 1);
        }
        TextMachine machine = text.site().machine();
        boolean tooLong = tokensOfText + 1 + machine.highestCost() > text.site().limit();
        boolean roomy = Expression.sum(text.site().highest(), state.rest().cost()) <= left - 1;
        if (state.inKey()) {
            long[] tokens = roomy && !tooLong ? sets.within(state, left - 1) : endingKey(text);
            return keys.without(tokens, sets.trie(), !roomy || tooLong);
        } else if (tooLong) {
            return ending(text, left);
        }
        return roomy ? sets.within(state, left - 1) : sets.where(state, next -> next.cost() < state.cost());
    }

    /** Returns the cost of the state; within a key, without the reserve for a duplicate key if the key is new. */
    private int needed() {
        return state.head() instanceof Text text && text.site().isKey() && !keys.repeats()
                ? state.cost() - text.site().reserve()
                : state.cost();
    }

    /** Returns the tokens that reduce the tokens needed, unless they lead to a duplicate key. */
    private long[] endingKey(Text text) {
        State here = state;
        int needed = needed();
        int reserve = text.site().reserve();
        return sets.where(here, next -> next.cost() - (next.sharesTextWith(here) ? reserve : 0) < needed);
    }

    /** Returns the tokens that lead to the nearest end of a text that has its full length, or beyond the end. */
    private long[] ending(Text text, int left) {
        State here = state;
        int distance = text.distance(left, here.rest().cost());
        return sets.where(here, next -> {
            boolean lingers = next.head() instanceof Text other
                    && next.sharesTextWith(here)
                    && other.distance(left - 1, here.rest().cost()) >= distance;
            return !lingers && next.cost() < left;
        });
    }

    @Override
    public void accept(long token) {
        preparedFor = -1;
        budget.refill(OPERATIONS_A_TOKEN);
        sets.charge(budget);
        boolean asKnown = knownRead < known.length && known[knownRead] == token;
        knownRead = asKnown ? knownRead + 1 : known.length;
        if (endTokens.contains((int) token) && state.mayEnd()) {
            ended = true;
            return;
        }
        boolean left = false;
        State at = state;
        byte[] bytes = sets.trie().written(token);
        if (bytes == null) {
            throw unexpected(token, "no text");
        }
        for (byte b : bytes) {
            State next = at.step(b & 0xFF);
            if (next == null || !keys.step(at, b & 0xFF, next)) {
                throw unexpected(token, Arrays.toString(bytes));
            }
            left |= !(next.head() instanceof Text);
            at = next;
        }
        boolean continued = state.head() instanceof Text && !left;
        tokensOfText = at.head() instanceof Text ? (continued ? tokensOfText : 0) + 1 : 0;
        state = at;
    }

    private static IllegalStateException unexpected(long token, String written) {
        return new IllegalStateException("token " + token + " = " + written + " cannot come here");
    }

    /**
     * Leaves a response free until it begins a call, which is constrained to its grammar; after the call the response is free again. A call without
     * room for its completion is not begun. Like llama.cpp's lazy grammars, but no token extends beyond the trigger.
     *
     * @param response of a grammar with open free texts ({@link Text#open})
     */
    record Lazy(ResponseConstraint response) implements TokenConstraint {
        private static final long[] NONE = {};

        private boolean free() {
            return response.state.head() instanceof Text text && text.site().isOpen();
        }

        @Override
        public int shortest() {
            return 1;
        }

        @Override
        public boolean prepare(int left) {
            return free()
                    ? response.inSlice(() -> response.sets.within(response.state, left - 1))
                    : response.prepare(left);
        }

        @Override
        public long[] forced(int left) {
            return free() ? NONE : response.forced(left);
        }

        @Override
        public long[] allowed(int left) {
            response.sets.charge(response.budget);
            return free() ? response.sets.open(response.state, left - 1) : response.allowed(left);
        }

        @Override
        public void accept(long token) {
            if (!free() || response.sets.trie().written(token) != null) {
                response.accept(token);
            }
        }
    }

    /** Tracks the keys that one response has written in its open objects, so that no key is repeated. States do not contain keys. */
    static final class WrittenKeys {
        private final List<List<String>> objects = new ArrayList<>();
        private final StringBuilder key = new StringBuilder();

        /** Reads a byte that led from one state to another; returns false if it ended a duplicate key. */
        boolean step(State from, int b, State to) {
            while (objects.size() > to.openObjects()) {
                objects.remove(objects.size() - 1);
            }
            while (objects.size() < to.openObjects()) {
                objects.add(new ArrayList<>());
            }
            if (from.inKey() && to.inKey()) {
                key.append((char) b);
            } else if (from.inKey()) {
                boolean repeats = repeats();
                before().add(key.toString());
                key.setLength(0);
                return !repeats;
            }
            return true;
        }

        private List<String> before() {
            return objects.get(objects.size() - 1);
        }

        /** Returns whether the key so far is a key of the object. */
        boolean repeats() {
            return before().contains(key.toString());
        }

        /**
         * Removes from tokens that may continue a key those that end it as a duplicate.
         *
         * @param toNew whether to remove tokens that lead to a duplicate key too
         */
        long[] without(long[] tokens, TokenTrie trie, boolean toNew) {
            long[] kept = null;
            for (String other : before()) {
                int node = other.startsWith(key.toString()) ? trie.find(latin(other.substring(key.length()))) : -1;
                if (node >= 0) {
                    kept = kept == null ? tokens.clone() : kept;
                    remove(node, trie, toNew, kept);
                }
            }
            return kept == null ? tokens : kept;
        }

        private static void remove(int node, TokenTrie trie, boolean toNew, long[] tokens) {
            if (toNew && node > 0) {
                trie.unmark(node, tokens);
            }
            int closed = trie.child(node, '"');
            for (int below = closed; closed >= 0 && below < trie.end(closed); below++) {
                trie.unmark(below, tokens);
            }
        }

        private static byte[] latin(String text) {
            return text.getBytes(StandardCharsets.ISO_8859_1);
        }
    }
}
