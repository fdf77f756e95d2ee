package dev.prpf.par.constraint;

import dev.prpf.par.model.TokenConstraint;
import java.util.Arrays;
import java.util.Set;

/** Keeps one response to its grammar, token by token, and ends it in time. */
final class ResponseConstraint implements TokenConstraint {
    private final ResponseAutomaton automaton;
    private final ForcedText forcedText;
    private final Set<Integer> endTokens;
    private State state;
    private int tokensOfText;
    private boolean ended;
    private long[] known = {};
    private int knownRead;

    ResponseConstraint(ResponseAutomaton automaton, ForcedText forcedText, Set<Integer> endTokens) {
        this.automaton = automaton;
        this.forcedText = forcedText;
        this.endTokens = endTokens;
        state = automaton.start();
    }

    State state() {
        return state;
    }

    @Override
    public int shortest() {
        return automaton.start().cost();
    }

    @Override
    public long[] forced(int left) {
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
        if (ended || state.cost() > left) {
            throw new IllegalStateException("a response that needs " + state.cost() + " tokens has " + left
                    + (ended ? " and has ended" : " left"));
        }
        TokenSets sets = automaton.sets();
        if (!(state.head() instanceof Text text)) {
            return sets.within(state, left - 1);
        }
        if (tokensOfText + 1 + highestDistance(text) > text.site().limit()) {
            return ending(text, left);
        }
        TextMachine machine = text.site().machine();
        int costAfter = Cost.sum(text.site().costAfter(0), state.rest().cost());
        return machine.highestCost(0) + costAfter <= left - 1
                ? sets.within(state, left - 1)
                : sets.where(state, next -> next.cost() < state.cost());
    }

    private static int highestDistance(Text text) {
        TextMachine machine = text.site().machine();
        int highest = 0;
        for (int exit = 0; exit < machine.exits(); exit++) {
            highest = Math.max(highest, machine.highestCost(exit));
        }
        return highest;
    }

    /** The text is as long as it may be: what leads to its nearest ending, or beyond. */
    private long[] ending(Text text, int left) {
        State here = state;
        int distance = text.distance(left, here.rest().cost());
        return automaton.sets().where(here, next -> {
            boolean lingers = next.head() instanceof Text other
                    && other.site() == text.site()
                    && next.rest() == here.rest()
                    && other.distance(left - 1, here.rest().cost()) >= distance;
            return !lingers && next.cost() < left;
        });
    }

    @Override
    public void accept(long token) {
        boolean asKnown = knownRead < known.length && known[knownRead] == token;
        knownRead = asKnown ? knownRead + 1 : known.length;
        if (state.complete() && endTokens.contains((int) token)) {
            ended = true;
            return;
        }
        byte[] bytes = automaton.trie().written(token);
        State at = bytes == null ? null : state;
        boolean left = false;
        for (int i = 0; bytes != null && i < bytes.length && at != null; i++) {
            at = at.step(bytes[i] & 0xFF);
            left |= at != null && !(at.head() instanceof Text);
        }
        if (at == null) {
            throw new IllegalStateException("token " + token + " = "
                    + (bytes == null ? "no text" : Arrays.toString(bytes)) + " cannot come here");
        }
        boolean continued = state.head() instanceof Text && !left;
        tokensOfText = at.head() instanceof Text ? (continued ? tokensOfText : 0) + 1 : 0;
        state = at;
    }
}
