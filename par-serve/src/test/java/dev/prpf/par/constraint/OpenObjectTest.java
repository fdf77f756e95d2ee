package dev.prpf.par.constraint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.io.CallChecker;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.tokenizer.Tokenizer.WrittenToken;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OpenObjectTest {
    private static final List<FunctionSpec> POOL = OpenPools.named("dict");
    private static final String BEFORE =
            "<recommendations>[{\"instruction\":\"a\",\"function\":[{\"name\":\"f\",\"parameters\":{\"options\":";
    private static final String AFTER = "}}]}]</recommendations>";
    private static final int ROOM = 500;

    @TempDir
    private static Path directory;

    private static final long[] BYTES = new long[256];

    private static Vocabulary vocabulary;
    private static List<WrittenToken> tokens;

    @BeforeAll
    static void make() {
        vocabulary = new Vocabulary(directory, false, ConstraintSettings.DEFAULT);
        tokens = vocabulary.tokenizer.writtenTokens(Set.of());
        tokens.stream()
                .filter(token -> token.bytes().length == 1)
                .forEach(token -> BYTES[token.bytes()[0] & 0xFF] = token.id());
    }

    @AfterAll
    static void close() {
        vocabulary.close();
    }

    private static ResponseConstraint constraint() {
        return vocabulary.constraints.walker(ResponseForm.BARE, POOL);
    }

    /** The token of a single byte. */
    private static long token(int b) {
        return BYTES[b & 0xFF];
    }

    /** Writes a text byte by byte; the number of bytes that could come. */
    private static int write(ResponseConstraint constraint, String text) {
        int written = 0;
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            long token = token(b);
            if (!BitSet.valueOf(constraint.allowed(ROOM)).get((int) token)) {
                return written;
            }
            constraint.accept(token);
            written++;
        }
        return written;
    }

    private static ResponseConstraint after(String text) {
        ResponseConstraint constraint = constraint();
        assertThat(write(constraint, text)).as(text).isEqualTo(text.getBytes(StandardCharsets.UTF_8).length);
        return constraint;
    }

    private static boolean allows(ResponseConstraint constraint, int b, int left) {
        return BitSet.valueOf(constraint.allowed(left)).get((int) token(b));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":1}",
                "{\"a\":1,\"ab\":2,\"b\":3}",
                "{\"ab\":1,\"a\":2,\"abc\":3}",
                "{\"键\":\"值\",\"键键\":true,\"é\":-1.5}",
                "{\" a\":1,\"a\":2,\"a \":3}",
                "{\"a\":{\"a\":\"a\",\"b\":false},\"b\":{\"a\":1}}",
                "{\"a\":[{\"a\":1},\"x\",[2]],\"b\":{}}",
                "{\"a\":\"\\\"b\\\":1\",\"b\":\"}\"}"
            })
    void objectsOfAnyKeysThatDifferAreReachable(String object) {
        ResponseConstraint constraint = after(BEFORE + object + AFTER);
        assertThat(constraint.state().complete()).isTrue();
        assertThat(ResponseParser.parse(BEFORE + object + AFTER, ResponseForm.BARE))
                .isInstanceOf(ParResponse.Parsed.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":1,\"a",
                "{\"a\":1,\"b\":2,\"a",
                "{\"a\":{\"b\":1,\"b",
                "{\"a\":{\"b\":1},\"a",
                "{\"a\":[{\"b\":1}],\"c\":{\"b\":1},\"a",
                "{\"键\":1,\"键"
            })
    void aKeyDoesNotEndAsOneThatStandsAlreadyButGoesOn(String object) {
        ResponseConstraint constraint = after(BEFORE + object);
        assertThat(allows(constraint, '"', ROOM)).isFalse();
        assertThat(allows(constraint, 'x', ROOM)).isTrue();
        BitSet allowed = BitSet.valueOf(constraint.allowed(ROOM));
        tokens.stream().filter(token -> token.bytes()[0] == '"').forEach(token -> assertThat(allowed.get(token.id()))
                .isFalse());
        assertThatThrownBy(() -> constraint.accept(token('"'))).hasMessageContaining("cannot come here");
    }

    @Test
    void withNoTokenToSpareAKeyThatStandsAlreadyTakesOneMoreByte() {
        ResponseConstraint constraint = after(BEFORE + "{\"a\":1,\"a");
        int needed = constraint.state().cost();
        assertThat(allows(constraint, 'x', needed)).isTrue();
        assertThat(allows(constraint, '"', needed)).isFalse();
        assertThatThrownBy(() -> constraint.allowed(needed - 1))
                .hasMessage("a response that needs " + needed + " tokens has " + (needed - 1) + " left");
        constraint.accept(token('x'));
        assertThat(allows(constraint, '"', needed - 1)).isTrue();
        assertThat(allows(constraint, 'x', needed - 1)).isFalse();
    }

    @Test
    void withNoTokenToSpareAKeyDoesNotBecomeOneThatStandsAlready() {
        ResponseConstraint constraint = after(BEFORE + "{\"a\":1,\"");
        int needed = constraint.state().cost();
        assertThat(allows(constraint, 'a', needed)).isFalse();
        assertThat(allows(constraint, 'b', needed)).isTrue();
    }

    @Test
    void anObjectIsFullAfterSixteenFields() {
        StringBuilder object = new StringBuilder("{");
        for (int i = 0; i < OpenObject.MAX_FIELDS; i++) {
            object.append(i == 0 ? "" : ",")
                    .append('"')
                    .append((char) ('a' + i))
                    .append("\":true");
        }
        ResponseConstraint constraint = after(BEFORE + object);
        assertThat(allows(constraint, ',', ROOM)).isFalse();
        assertThat(write(constraint, "}" + AFTER)).isEqualTo(1 + AFTER.length());
    }

    @Test
    void aKeyThatReachesItsLimitIsEndedThoughItMayTakeOneMoreByte() {
        ResponseConstraint constraint = after(BEFORE + "{\"");
        int length = write(constraint, "a".repeat(200));
        assertThat(length).isBetween(48, 64);
        assertThat(write(constraint, "\":1,\"" + "a".repeat(length))).isEqualTo(5 + length);
        assertThat(allows(constraint, '"', ROOM)).isFalse();
        constraint.accept(token('a'));
        assertThat(allows(constraint, 'a', ROOM)).isFalse();
        assertThat(write(constraint, "\":1}" + AFTER)).isEqualTo(4 + AFTER.length());
    }

    /** Chooses an allowed token, a short one of keys if there is one. */
    private static long keyed(long[] allowed, Random random) {
        BitSet set = BitSet.valueOf(allowed);
        String wanted = random.nextInt(3) == 0 ? ",{" : "ab\":0,";
        for (int i = 0; i < 4; i++) {
            long token = token(wanted.charAt(random.nextInt(wanted.length())));
            if (set.get((int) token)) {
                return token;
            }
        }
        return set.stream().skip(random.nextInt(set.cardinality())).findFirst().orElseThrow();
    }

    @Test
    void aModelThatRepeatsItsKeysSaysNothingUnparseableInAnyLength() {
        Random random = new Random(8);
        int several = 0;
        for (int i = 0; i < 1_000; i++) {
            ResponseConstraint constraint = after(BEFORE + "{\"a\":0,");
            List<Long> ids = new ArrayList<>();
            for (int left = constraint.state().cost() + random.nextInt(60); ; left--) {
                long token = keyed(constraint.allowed(left), random);
                constraint.accept(token);
                if (token == vocabulary.end) {
                    break;
                }
                ids.add(token);
            }
            String text = BEFORE + "{\"a\":0," + vocabulary.text(ids);
            several += requireRight(text) > 2 ? 1 : 0;
        }
        assertThat(several).as("objects of three fields and more").isGreaterThan(100);
    }

    /** The most fields of an object. */
    private static int requireRight(String text) {
        ParResponse response = ResponseParser.parse(text, ResponseForm.BARE);
        assertThat(response).as(text).isInstanceOf(ParResponse.Parsed.class);
        int most = 0;
        for (Recommendation recommendation : ((ParResponse.Parsed) response).recommendations()) {
            for (FunctionCall call : recommendation.calls()) {
                assertThat(CallChecker.fatal(new FunctionPool(POOL), call))
                        .as(text)
                        .isEmpty();
                most = Math.max(
                        most, call.parameters().values().iterator().next().size());
            }
        }
        return most;
    }
}
