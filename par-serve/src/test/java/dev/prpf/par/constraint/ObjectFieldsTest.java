package dev.prpf.par.constraint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.par.constraint.Branch.Option;
import dev.prpf.par.constraint.States.State;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("slow")
class ObjectFieldsTest {
    private static final TokenTrie TRIE = new TokenTrie(MadeVocabulary.tokens(3_000), 3_000);

    private final States states = new States();

    private State inside(boolean mayBeEmpty, ObjectFields.Field... fields) {
        return states.of(List.of(new ObjectFields(List.of(fields), mayBeEmpty, TRIE).first()), states.end());
    }

    private static ObjectFields.Field field(String name, boolean required, String... values) {
        List<Option> options = new ArrayList<>();
        for (String value : values) {
            options.add(Option.end(value));
        }
        return new ObjectFields.Field(name, required, options);
    }

    private State inside(boolean mayBeEmpty) {
        return inside(
                mayBeEmpty,
                field("name", true, "1", "12"),
                field("names", false, "true"),
                field("na", false, "null"),
                field("的", true, "0"));
    }

    private static boolean complete(State from, String text) {
        State at = from;
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            State next = at.step(b & 0xFF);
            if (next == null) {
                return false;
            }
            at = next;
        }
        return at.complete();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"name\":1,\"的\":0}|true",
                "\"的\":0,\"name\":12}|true",
                "\"na\":null,\"的\":0,\"names\":true,\"name\":1}|true",
                "\"names\":true,\"name\":1,\"的\":0,\"na\":null}|true",
                "}|false",
                "\"name\":1}|false",
                "\"name\":1,\"的\":0,}|false",
                "\"name\":1,\"的\":0,\"name\":1}|false",
                "\"name\":1,\"的\":0,\"na\":null,\"na\":null}|false",
                "\"nam\":1,\"的\":0}|false",
                "\"name\":2,\"的\":0}|false",
                ",\"name\":1,\"的\":0}|false",
                "\"name\":1\"的\":0}|false"
            })
    void fieldsComeInAnyOrderEachOnceTheRequiredOnesForCertain(String text, boolean right) {
        assertThat(complete(inside(true), text)).isEqualTo(right);
        assertThat(complete(inside(false), text)).isEqualTo(right);
    }

    @Test
    void whatIsEmptyEndsAtOnceIfItMay() {
        assertThat(complete(inside(true, field("a", false, "1")), "}")).isTrue();
        assertThat(complete(inside(false, field("a", false, "1")), "}")).isFalse();
        assertThat(complete(inside(true), "}")).as("something is required").isFalse();
        assertThat(complete(inside(true), "}")).isFalse();
        assertThat(inside(true, new ObjectFields.Field[0]).cost()).isEqualTo(2);
        assertThat(inside(false, field("a", true)).cost())
                .as("no value is right")
                .isEqualTo(Expression.NEVER);
    }

    @Test
    void twoFieldsOfOneNameAreABug() {
        assertThatThrownBy(() -> inside(true, field("a", true, "1"), field("b", true, "1"), field("a", false, "2")))
                .hasMessage("two fields of an object have one name: [a, b, a]");
    }

    /** Fewest tokens to the end, by trying all. */
    private int cheapest(State state, Map<State, Integer> known) {
        if (state.complete()) {
            return 1;
        }
        Integer before = known.get(state);
        if (before != null) {
            return before;
        }
        known.put(state, Expression.NEVER); // tokens are not empty, so no way leads back here
        int best = Expression.NEVER;
        for (State next : afterOneToken(state)) {
            best = Math.min(best, Expression.sum(1, cheapest(next, known)));
        }
        known.put(state, best);
        return best;
    }

    private static List<State> afterOneToken(State state) {
        List<State> after = new ArrayList<>();
        for (int token = 0; token < TRIE.width(); token++) {
            byte[] bytes = TRIE.written(token);
            State at = bytes == null ? null : state;
            for (int i = 0; bytes != null && i < bytes.length && at != null; i++) {
                at = at.step(bytes[i] & 0xFF);
            }
            if (at != null) {
                after.add(at);
            }
        }
        return after;
    }

    @Test
    void aPlacesCostSufficesAndSomeTokenAlwaysLowersItByOne() {
        Random random = new Random(4);
        Map<State, Integer> known = new HashMap<>();
        for (int i = 0; i < 6; i++) {
            State at = inside(i % 2 == 0);
            while (!at.complete()) {
                List<State> after = afterOneToken(at);
                int cost = at.cost();
                assertThat(after).anyMatch(next -> next.cost() <= cost - 1);
                assertThat(cheapest(at, known)).isBetween(1, cost);
                at = after.get(random.nextInt(after.size()));
            }
        }
    }

    @Test
    void aPlaceIsEqualHoweverItWasReached() {
        State one = inside(true, field("ab", false, "1"), field("ac", false, "1"), field("b", false, "1"));
        State other = one;
        for (byte b : "\"ab\":1,\"b\":1,".getBytes(StandardCharsets.UTF_8)) {
            one = Objects.requireNonNull(one.step(b));
        }
        for (byte b : "\"b\":1,\"ab\":1,".getBytes(StandardCharsets.UTF_8)) {
            other = Objects.requireNonNull(other.step(b));
        }
        assertThat(one).isSameAs(other);
        assertThat(one.head()).isNotNull();
        assertThat(Objects.requireNonNull(one.head()).onlyByte()).isEqualTo('"');
        assertThat(Objects.requireNonNull(one.head()).cost()).isGreaterThan(1);
    }
}
