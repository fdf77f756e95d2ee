package dev.prpf.par.constraint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.io.CallChecker;
import dev.prpf.par.constraint.ModelConstraints.ResponseConstraints;
import dev.prpf.par.constraint.States.State;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseGrammar;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.tokenizer.Tokenizer.WrittenToken;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class ResponseConstraintTest {
    private static final ConstraintSettings TIGHT = new ConstraintSettings(32, 40, 32, 32, 32, 2);
    private static final Set<String> TAGS = Set.copyOf(ResponseGrammar.tags());
    private static final ResponseForm[] FORMS = ResponseForm.values();

    @TempDir
    private static Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whateverTheModelWantsTheResponseParsesAndItsCallsAreThePools(boolean tags) {
        RandomPools pools = new RandomPools(17);
        Random random = new Random(18);
        int acting = 0;
        int cut = 0;
        try (Vocabulary vocabulary = new Vocabulary(directory, tags, TIGHT)) {
            for (int i = 0; i < 700; i++) {
                List<FunctionSpec> functions = i % 4 == 0 ? List.copyOf(Vocabulary.POOL.functions()) : pools.next();
                ResponseForm form = FORMS[random.nextInt(FORMS.length)];
                ResponseConstraint constraint = vocabulary.constraints.walker(form, functions);
                int maxNew = constraint.shortest() + random.nextInt(random.nextInt(10) == 0 ? 400 : 90);
                List<Long> ids = new RandomModel(i, i % 2 == 0).write(constraint, maxNew, vocabulary.end);
                assertThat(ids).hasSizeLessThanOrEqualTo(maxNew);
                cut += ids.size() == maxNew ? 1 : 0;
                acting += requireRight(vocabulary.text(ids), form, functions) ? 1 : 0;
            }
        }
        assertThat(acting).isGreaterThan(40);
        assertThat(cut).as("the length was what ended these").isGreaterThan(13);
    }

    /** Checks a response; returns whether it acts. */
    private static boolean requireRight(String text, ResponseForm form, List<FunctionSpec> functions) {
        ParResponse response = ResponseParser.parse(text, form);
        assertThat(response).as(text).isInstanceOf(ParResponse.Parsed.class);
        FunctionPool pool = new FunctionPool(functions);
        List<Recommendation> recommendations = ((ParResponse.Parsed) response).recommendations();
        recommendations.stream()
                .flatMap(recommendation -> recommendation.calls().stream())
                .forEach(call ->
                        assertThat(CallChecker.fatal(pool, call)).as(text).isEmpty());
        return !recommendations.isEmpty();
    }

    @Test
    void theSetsOfTokensAreThoseThatBruteForceFinds() {
        Random random = new Random(3);
        int compared = 0;
        try (Vocabulary vocabulary = new Vocabulary(directory, true, ConstraintSettings.DEFAULT)) {
            RandomPools pools = new RandomPools(4);
            for (int i = 0; i < 40; i++) {
                ResponseConstraint constraint = vocabulary.constraints.walker(FORMS[i % FORMS.length], pools.next());
                RandomModel model = new RandomModel(i, false);
                int left = constraint.shortest() + random.nextInt(150);
                List<Long> ids = new ArrayList<>();
                while (!constraint.state().complete()) {
                    long[] allowed = constraint.allowed(left);
                    if (random.nextInt(3) == 0) {
                        compared++;
                        requireBruteForce(vocabulary, constraint, ids, allowed, left);
                    }
                    ids.add(model.any(allowed));
                    constraint.accept(ids.get(ids.size() - 1));
                    left--;
                }
            }
        }
        assertThat(compared).isGreaterThan(300);
    }

    private static void requireBruteForce(
            Vocabulary vocabulary, ResponseConstraint constraint, List<Long> ids, long[] allowed, int left) {
        State state = constraint.state();
        BitSet expected = new BitSet();
        BitSet shortening = new BitSet();
        TokenTrie trie = new TokenTrie(vocabulary.tokenizer.writtenTokens(TAGS), vocabulary.width);
        StrictKeys keys = new StrictKeys(trie, ids);
        int reserve = state.head() instanceof Text text ? text.site().reserve() : 0;
        int needed = state.cost() - (state.inKey() && keys.standTwiceAfter("\"") ? 0 : reserve);
        for (int token = 0; token < vocabulary.width; token++) {
            byte[] bytes = trie.written(token);
            State next = bytes == null || token == vocabulary.end ? null : keys.follow(state, bytes);
            if (next != null) {
                expected.set(token, next.cost() < left);
                boolean stays = state.inKey() && next.sharesTextWith(state);
                boolean repeats = stays && bytes != null && keys.standTwiceAfter(StrictKeys.latin(bytes) + "\"");
                shortening.set(token, !repeats && next.cost() - (stays ? reserve : 0) < needed);
            }
        }
        boolean hurried = state.head() instanceof Text && left < state.cost() + 64;
        BitSet actual = BitSet.valueOf(allowed);
        if (hurried && !actual.equals(expected)) {
            assertThat(actual).isEqualTo(shortening);
        } else {
            assertThat(actual).isEqualTo(expected);
        }
        assertThat(shortening.cardinality())
                .as("some token always shortens what is left")
                .isPositive();
    }

    @Test
    void theShortestResponseFitsEveryLengthFromItsOwnOn() {
        try (Vocabulary vocabulary = new Vocabulary(directory, true, ConstraintSettings.DEFAULT)) {
            for (ResponseForm form : FORMS) {
                ResponseConstraint first =
                        vocabulary.constraints.walker(form, List.copyOf(Vocabulary.POOL.functions()));
                for (int maxNew = first.shortest(); maxNew < first.shortest() + 60; maxNew++) {
                    ResponseConstraint constraint =
                            vocabulary.constraints.walker(form, List.copyOf(Vocabulary.POOL.functions()));
                    List<Long> ids = new RandomModel(maxNew, true).write(constraint, maxNew, vocabulary.end);
                    assertThat(ids.size()).isBetween(1, maxNew);
                    assertThat(ResponseParser.parse(vocabulary.text(ids), form)).isInstanceOf(ParResponse.Parsed.class);
                }
                assertThatThrownBy(() -> first.allowed(first.shortest() - 1)).hasMessageContaining("needs");
            }
        }
    }

    @Test
    void aTextThatReachesItsLimitIsClosedAndTheResponseGoesOn() {
        try (Vocabulary vocabulary = new Vocabulary(directory, true, TIGHT)) {
            List<FunctionSpec> functions = List.copyOf(Vocabulary.POOL.functions());
            ResponseConstraint constraint = vocabulary.constraints.walker(ResponseForm.TEXT, functions);
            long letter = vocabulary.tokenizer.encodePlain("a")[0];
            constraint.accept(vocabulary.tokenizer.controlToken("<thinking>"));
            int written = 0;
            while (BitSet.valueOf(constraint.allowed(500)).get((int) letter)) {
                constraint.accept(letter);
                written++;
            }
            assertThat(written).isBetween(8, TIGHT.thinking() - 1);
            assertThat(BitSet.valueOf(constraint.allowed(500)))
                    .as("both ways out are open")
                    .matches(set -> set.get((int) vocabulary.tokenizer.controlToken("<function_selection>")))
                    .matches(set -> set.get((int) vocabulary.tokenizer.controlToken("</thinking>")));
        }
    }

    @Test
    void whatIsForcedIsWrittenAsTheTokenizerWritesIt() {
        try (Vocabulary vocabulary = new Vocabulary(directory, true, ConstraintSettings.DEFAULT)) {
            FunctionSpec only = new FunctionSpec("order_food", "", List.of(), List.of());
            ResponseConstraint constraint = vocabulary.constraints.walker(ResponseForm.BARE, List.of(only));
            constraint.accept(vocabulary.tokenizer.controlToken("<recommendations>"));
            assertThat(constraint.forced(100))
                    .as("the next byte is known, what it merges with is not")
                    .isEmpty();
            for (long id : vocabulary.tokenizer.encodePlain("[{\"instruction\":\"a\"")) {
                constraint.accept(id);
            }
            long[] forced = constraint.forced(100);
            assertThat(vocabulary.tokenizer.decode(forced)).startsWith(",\"function\":[{\"name\":\"order_food");
            assertThat(forced)
                    .startsWith(prefix(vocabulary.tokenizer.encodePlain(",\"function\":[{\"name\":\"order_food"), 4));
            for (long id : forced) {
                constraint.accept(id);
            }
            assertThat(constraint.forced(4)).as("no room for it").isEmpty();
        }
    }

    @Test
    void aForcedTokenIsLeftToTheModelOnlyForALongerOneThatMayCome() {
        try (Vocabulary vocabulary = new Vocabulary(directory, true, ConstraintSettings.DEFAULT)) {
            FunctionSpec food = new FunctionSpec("order_food", "", List.of(), List.of());
            FunctionSpec music = new FunctionSpec("play_music", "", List.of(), List.of());
            ResponseConstraint constraint = vocabulary.constraints.walker(ResponseForm.BARE, List.of(food, music));
            constraint.accept(vocabulary.tokenizer.controlToken("<recommendations>"));
            for (long id : vocabulary.tokenizer.encodePlain("[{\"instruction\":\"a\"")) {
                constraint.accept(id);
            }
            String known = ",\"function\":[{\"name\":\"";
            assertThat(vocabulary.tokenizer.writtenTokens(TAGS))
                    .as("a longer token, but no function's name is empty")
                    .extracting(token -> new String(token.bytes(), StandardCharsets.UTF_8))
                    .contains("\":\"", "\":\"\",\"");
            assertThat(constraint.forced(100)).containsExactly(vocabulary.tokenizer.encodePlain(known));
        }
    }

    private static long[] prefix(long[] ids, int length) {
        return Arrays.copyOf(ids, Math.min(length, ids.length));
    }

    @Test
    void aPoolThatNobodyCanCallLeavesSilence() {
        try (Vocabulary vocabulary = new Vocabulary(directory, true, ConstraintSettings.DEFAULT)) {
            for (ResponseForm form : FORMS) {
                for (int i = 0; i < 20; i++) {
                    ResponseConstraint constraint = vocabulary.constraints.walker(form, List.of());
                    List<Long> ids = new RandomModel(i, true).write(constraint, 200, vocabulary.end);
                    assertThat(requireRight(vocabulary.text(ids), form, List.of()))
                            .isFalse();
                }
            }
        }
    }

    @Test
    void aTokenThatIsNotAllowedIsABug() {
        try (Vocabulary vocabulary = new Vocabulary(directory, true, ConstraintSettings.DEFAULT)) {
            ResponseConstraint constraint = vocabulary.constraints.walker(ResponseForm.BARE, List.of());
            assertThatThrownBy(() -> constraint.accept(vocabulary.end)).hasMessageContaining("cannot come here");
            assertThatThrownBy(() -> constraint.accept(vocabulary.width + 5L)).hasMessageContaining("no text");
            long think = vocabulary.tokenizer.controlToken("<think>");
            assertThatThrownBy(() -> constraint.accept(think)).hasMessageContaining("no text");
        }
    }

    /** The order does not come from a set, which would differ in every process. */
    @Test
    void aCompleteResponseEndsAtTheFirstEndTokenThatTheModelHas() {
        int width = 300;
        for (List<Integer> ends : List.of(List.of(298, 299), List.of(299, 298), List.of(900, 299, 297, 298))) {
            ResponseConstraint walker = new ResponseConstraints(
                            MadeVocabulary.tokens(width), width, ends, ConstraintSettings.DEFAULT, text -> new long[0])
                    .walker(ResponseForm.BARE, List.of());
            for (byte letter : "No recommendation".getBytes(StandardCharsets.US_ASCII)) {
                walker.accept(letter);
            }
            long first = ends.stream().filter(id -> id < width).findFirst().orElseThrow();
            assertThat(walker.forced(5)).as("of %s", ends).containsExactly(first);
            assertThat(BitSet.valueOf(walker.allowed(5)).stream().boxed())
                    .as("of %s", ends)
                    .containsExactlyInAnyOrderElementsOf(
                            ends.stream().filter(id -> id < width).toList());
        }
    }

    @Test
    void aVocabularyThatCannotSpellEverythingIsRefused() {
        List<WrittenToken> letters = List.of(new WrittenToken(0, new byte[] {'a'}));
        assertThatThrownBy(() -> new ResponseConstraints(
                        letters, 8, List.of(7), ConstraintSettings.DEFAULT, text -> new long[0]))
                .isInstanceOf(PrpfException.class)
                .hasMessageContaining("single byte 0x20");
        assertThatThrownBy(() ->
                        new ResponseConstraints(letters, 8, List.of(), ConstraintSettings.DEFAULT, text -> new long[0]))
                .hasMessageContaining("needs an end token");
    }
}
