package dev.prpf.par.constraint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.par.constraint.ModelConstraints.ResponseConstraints;
import dev.prpf.par.constraint.States.State;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseGrammar;
import dev.prpf.par.response.ResponseParser;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SingleStageRulesTest {
    private static final List<ResponseForm> FORMS = Arrays.stream(ResponseForm.values())
            .filter(ResponseForm::singleStage)
            .toList();
    private static final List<FunctionSpec> POOL = List.of(new FunctionSpec(
            "set_alarm", "", List.of(), List.of(new ParameterSpec("time", "", "string", true, null, null))));
    private static final String CALLS =
            "<function>{\"model_recommendation\":[{\"name\":\"set_alarm\",\"parameters\":{\"time\":\"8\"}}]}</function>";
    private static final String NONE = "<function>{\"model_recommendation\":[]}</function>";

    @TempDir
    private static Path directory;

    private static Vocabulary vocabulary;
    private static ResponseConstraints constraints;

    @BeforeAll
    static void make() {
        vocabulary = new Vocabulary(directory, true, ConstraintSettings.DEFAULT);
        constraints = ResponseConstraints.of(
                vocabulary.tokenizer,
                ResponseGrammar.singleStageTags(),
                vocabulary.width,
                List.of(vocabulary.end),
                ConstraintSettings.DEFAULT);
    }

    @AfterAll
    static void close() {
        vocabulary.close();
    }

    private static boolean accepted(String text, ResponseForm form, List<FunctionSpec> pool) {
        State state = constraints.walker(form, pool).state();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            State next = state.step(b & 0xFF);
            if (next == null) {
                return false;
            }
            state = next;
        }
        return state.complete();
    }

    @ParameterizedTest
    @CsvSource({
        "FUNCTION,,A,true",
        "FUNCTION,,N,true",
        "FUNCTION,<rec>a</rec>,A,false",
        "REC_FUNCTION,<rec>提醒吃饭</rec>,A,true",
        "REC_FUNCTION,<rec>无线耳机</rec>,A,true",
        "REC_FUNCTION,<rec>提醒吃饭</rec>,N,true",
        "REC_FUNCTION,<rec>无推荐</rec>,N,true",
        "REC_FUNCTION,<rec>No Recommendation</rec>,N,true",
        "REC_FUNCTION,<rec>无推荐</rec>,A,false",
        "REC_FUNCTION,<rec>Not Recommended</rec>,N,true",
        "REC_FUNCTION,<rec>Not Recommended</rec>,A,false",
        "REC_FUNCTION,<rec>nOT rECOMMENDED: busy</rec>,A,false",
        "REC_FUNCTION,<rec>NO RECOMMENDATION</rec>,A,false",
        "REC_FUNCTION,<rec>Not now but at ten</rec>,A,true",
        "REC_FUNCTION,<rec>No recommendatıon</rec>,A,true",
        "REC_FUNCTION,<rec>Notrecommended</rec>,A,true",
        "REC_FUNCTION,'<rec> \u3000no recommendation here</rec>',A,false",
        "REC_FUNCTION,<rec>没有无推荐</rec>,A,true",
        "REC_FUNCTION,<rec> </rec>,N,false",
        "REC_FUNCTION,<rec>a<function></rec>,N,false",
        "REC_FUNCTION,,N,false",
        "THINK_FUNCTION,<think>t</think>,A,true",
        "THINK_FUNCTION,,N,true",
        "THINK_FUNCTION,,A,false",
        "THINK_REC_FUNCTION,<think>t</think><rec>a</rec>,A,true",
        "THINK_REC_FUNCTION,<think>t</think><rec>无推荐</rec>,A,false",
        "THINK_REC_FUNCTION,<rec>无推荐</rec>,N,true",
        "THINK_REC_FUNCTION,<rec>a</rec>,A,false",
        "THINK_REC_FUNCTION,<think>t</think>,A,false"
    })
    void onlyWhatParsesCanBeWritten(ResponseForm form, String begin, String calls, boolean legal) {
        String text = (begin == null ? "" : begin) + (calls.equals("A") ? CALLS : NONE);
        assertThat(accepted(text, form, POOL)).as(text).isEqualTo(legal);
        assertThat(ResponseParser.parse(text, form) instanceof ParResponse.Parsed)
                .as(text)
                .isEqualTo(legal);
        assertThat(accepted(text, form, List.of())).isEqualTo(legal && calls.equals("N"));
    }

    /** The tag of a thought is a token of its own here, as in Qwen3's vocabulary. */
    @Test
    void theFormsTagsMayBeTokens() {
        ResponseConstraint constraint = constraints.walker(ResponseForm.THINK_FUNCTION, POOL);
        long think = vocabulary.tokenizer.controlToken("<think>");
        assertThat(BitSet.valueOf(constraint.allowed(200)).get((int) think)).isTrue();
        ResponseConstraint other = vocabulary.constraints.walker(ResponseForm.TEXT, POOL);
        assertThat(BitSet.valueOf(other.allowed(200)).get((int) think)).isFalse();
    }

    @Test
    void whateverTheModelWantsTheResponseParsesInTime() {
        Random random = new Random(8);
        int acting = 0;
        for (int i = 0; i < 600; i++) {
            ResponseForm form = FORMS.get(i % FORMS.size());
            ResponseConstraint constraint = constraints.walker(form, POOL);
            int maxNew = constraint.shortest() + random.nextInt(120);
            List<Long> ids = new RandomModel(i, i % 2 == 0).write(constraint, maxNew, vocabulary.end);
            assertThat(ids).hasSizeLessThanOrEqualTo(maxNew);
            String text = vocabulary.text(ids);
            ParResponse response = ResponseParser.parse(text, form);
            assertThat(response).as(text).isInstanceOf(ParResponse.Parsed.class);
            acting += ((ParResponse.Parsed) response).calls().isEmpty() ? 0 : 1;
        }
        assertThat(acting).isGreaterThan(30);
    }

    /** No call can follow the words for silence, so the text must still know the distance to its end. */
    @Test
    void aRecommendationAtItsLimitIsClosedWhateverItBegunWith() {
        for (String begin : List.of("<rec>无推荐", "<rec>无推", "<rec>吃饭")) {
            ResponseConstraint constraint = constraints.walker(ResponseForm.REC_FUNCTION, POOL);
            List<Long> ids = new ArrayList<>();
            for (long id : vocabulary.tokenizer.encodePlain(begin)) {
                constraint.accept(id);
                ids.add(id);
            }
            int left = 120;
            while (!constraint.state().complete()) {
                BitSet allowed = BitSet.valueOf(constraint.allowed(left--));
                long letter = vocabulary.tokenizer.encodePlain("a")[0];
                long next = allowed.get((int) letter) ? letter : allowed.nextSetBit(0);
                constraint.accept(next);
                ids.add(next);
            }
            assertThat(ResponseParser.parse(vocabulary.text(ids), ResponseForm.REC_FUNCTION))
                    .as(begin)
                    .isInstanceOf(ParResponse.Parsed.class);
        }
    }
}
