package dev.prpf.par.constraint;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A key, after its opening quote, of an object whose fields the pool does not name. Keys are not repeated, so a key knows those before it;
 * no escapes, so that equal keys have equal bytes.
 *
 * @param site the object
 * @param state of the site's text machine
 * @param written bytes so far, as Latin-1
 * @param used keys before, likewise
 */
record OpenKey(Site site, int state, String written, Set<String> used) implements Expression {
    /** Fewer than there are letters: so some letter always makes a used key a new one. */
    static final int MOST_FIELDS = 16;

    private static final int LONGEST = 48;

    /**
     * One object.
     *
     * @param machine of a string without escapes that is not blank
     * @param value what follows a key's closing quote, given all keys so far
     * @param costOfValue its cost
     */
    record Site(TextMachine machine, Function<Set<String>, List<Expression>> value, int costOfValue) {}

    OpenKey {
        used = Set.copyOf(used);
    }

    @Override
    public @Nullable List<Expression> step(int b) {
        int code = site.machine.next(state, b);
        boolean mustGrow = used.contains(written);
        if (code == TextMachine.REJECTED || (code < 0 && mustGrow)) {
            return null;
        } else if (code < 0) {
            Set<String> keys = new TreeSet<>(used);
            keys.add(written);
            return site.value.apply(keys);
        }
        boolean begins = (b & 0xC0) != 0x80;
        if (begins && written.length() >= LONGEST && !mustGrow) {
            return null;
        }
        String more = new String(new byte[] {(byte) b}, StandardCharsets.ISO_8859_1);
        return List.of(new OpenKey(site, code, written + more, used));
    }

    @Override
    public @Nullable List<Expression> end() {
        return null;
    }

    @Override
    public int cost() {
        boolean complete = site.machine.next(state, '"') < TextMachine.REJECTED;
        boolean mayMeetUsed = complete ? used.contains(written) : !used.isEmpty();
        return Cost.sum(site.machine.cost(state, 0) + (mayMeetUsed ? 1 : 0), site.costOfValue);
    }
}
