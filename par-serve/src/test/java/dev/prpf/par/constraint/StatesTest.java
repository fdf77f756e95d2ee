package dev.prpf.par.constraint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.FunctionSpec;
import dev.prpf.par.constraint.ModelConstraints.ResponseConstraints;
import dev.prpf.par.constraint.States.State;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseParser;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("slow")
class StatesTest {
    private static final int BOUND = 500;
    private static final TokenTrie TRIE = new TokenTrie(MadeVocabulary.tokens(2_000), 2_000);
    private static final TextMachines MACHINES = TextMachines.of(TRIE);

    private static State start(States states) {
        ResponseRules rules = new ResponseRules(TRIE, MACHINES, ConstraintSettings.DEFAULT, OpenPools.named("basic"));
        return states.of(List.of(rules.response(ResponseForm.BARE)), states.end());
    }

    @Test
    void statesThatWereForgottenAreFreed() {
        States states = new States(BOUND, 1 << 20);
        State start = start(states);
        List<WeakReference<State>> seen = new ArrayList<>();
        Random random = new Random(1);
        for (int i = 0; i < 500; i++) {
            State at = start;
            while (at != null && !at.complete()) {
                seen.add(new WeakReference<>(at));
                at = randomStep(at, random);
                assertThat(states.kept()).isLessThanOrEqualTo(BOUND);
            }
        }
        System.gc();
        assertThat(states.made()).as("forgotten many times over").isGreaterThan(6L * BOUND);
        assertThat(seen.stream().map(WeakReference::get).distinct().count()).isLessThan(2L * BOUND);
        assertThat(start.step('<')).as("and the start still leads on").isNotNull();
    }

    private static State randomStep(State from, Random random) {
        State next = null;
        while (next == null) {
            next = from.step(random.nextInt(256));
        }
        return next;
    }

    @Test
    void equalStatesAreOneObject_andForgottenOnesGiveEqualSets() {
        States small = new States(BOUND, 1 << 8);
        States large = new States(1 << 20, 1 << 20);
        TokenSets ofSmall = new TokenSets(TRIE, small, Set.of(1_999));
        TokenSets ofLarge = new TokenSets(TRIE, large, Set.of(1_999));
        Random random = new Random(2);
        State startOfSmall = start(small);
        State startOfLarge = start(large);
        for (int i = 0; i < 20; i++) {
            State forgetful = startOfSmall;
            State remembering = startOfLarge;
            while (!remembering.complete()) {
                assertThat(forgetful.cost()).isEqualTo(remembering.cost());
                assertThat(ofSmall.of(forgetful).tokens())
                        .isEqualTo(ofLarge.of(remembering).tokens());
                int b = random.nextInt(256);
                State next = remembering.step(b);
                State same = forgetful.step(b);
                assertThat(same == null).isEqualTo(next == null);
                remembering = next == null ? remembering : next;
                forgetful = same == null ? forgetful : same;
            }
        }
        assertThat(small.made()).isGreaterThan(2L * BOUND);
    }

    @ParameterizedTest
    @CsvSource({"dict, 4096", "basic, 49152", "many, 4096"})
    void tensOfThousandsOfTokensInOpenObjectsKeepFewStates(String pool, int width) {
        assertFewStates(pool, width);
    }

    /** The smaller test is {@link #tensOfThousandsOfTokensInOpenObjectsKeepFewStates}, with the other pairs. */
    @ParameterizedTest
    @CsvSource({"dict, 49152", "basic, 4096", "many, 49152"})
    @Tag("nightly")
    void otherOpenObjectsKeepFewStates(String pool, int width) {
        assertFewStates(pool, width);
    }

    private static void assertFewStates(String pool, int width) {
        ResponseConstraints constraints = MadeVocabulary.constraints(width);
        RandomModel model = new RandomModel(5, false);
        int tokens = 0;
        while (tokens < 20_000) {
            ResponseConstraint constraint = constraints.walker(ResponseForm.BARE, OpenPools.named(pool));
            tokens += model.write(constraint, 300, width - 1).size();
        }
        assertThat(constraints.states().kept()).isLessThanOrEqualTo(States.MAX_STATES);
        assertThat(constraints.states().made())
                .as("no state for every text: fewer than one a token")
                .isLessThan(tokens);
    }

    @Test
    void anEnumeratedTextOfThousandsOfCharactersIsWritten(@TempDir Path directory) {
        String longest = "x".repeat(20_000);
        try (Vocabulary vocabulary = new Vocabulary(directory, true, ConstraintSettings.DEFAULT)) {
            List<FunctionSpec> pool = OpenPools.enumerated(longest, "y");
            ResponseConstraint constraint = vocabulary.constraints.walker(ResponseForm.BARE, pool);
            String text =
                    "<recommendations>[{\"instruction\":\"a\",\"function\":[{\"name\":\"f\",\"parameters\":{\"a\":\""
                            + longest + "\"}}]}]</recommendations>";
            int left = 30_000;
            for (long id : vocabulary.tokenizer.encodeControl(text)) {
                assertThat(BitSet.valueOf(constraint.allowed(left--)).get((int) id))
                        .isTrue();
                constraint.accept(id);
            }
            assertThat(constraint.state().complete()).isTrue();
            assertThat(ResponseParser.parse(text, ResponseForm.BARE)).isInstanceOf(ParResponse.Parsed.class);
        }
    }
}
