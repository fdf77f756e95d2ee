package dev.prpf.eval.judge;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.BestMatch;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.io.JsonText;
import dev.prpf.par.openai.RemoteUsage;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether predictions do the same as valid answers (the equivalence of PRPF eq. 29). A judge sees only pairs of sequences that both act:
 * silence equals only silence, for every judge.
 */
public interface Judge extends AutoCloseable {
    /**
     * One pair to decide on.
     *
     * @param pool defines functions and parameters; a called function may be missing from it
     * @param answer a valid answer, at least one call
     */
    record Case(Sample sample, FunctionPool pool, List<FunctionCall> predicted, List<FunctionCall> answer) {}

    /**
     * The decision on one pair.
     *
     * @param equivalent whether the two sequences are functionally equivalent; null where the judge abstained
     */
    record Verdict(@Nullable Boolean equivalent, String reason) {
        static Verdict abstention(String reason) {
            return new Verdict(null, reason);
        }

        /** Returns whether the judge made no decision. */
        public boolean abstained() {
            return equivalent == null;
        }
    }

    static Judge standard() {
        return new ExactJudge();
    }

    /** Names the judge and its settings, for reports and provenance. */
    String id();

    /**
     * Returns one verdict for each case, in order.
     *
     * @throws dev.prpf.base.error.PrpfException 69 if the judge cannot be reached, 75 when stopped
     */
    List<Verdict> judge(List<Case> cases);

    /** Returns the model's token usage, earlier processes included; null if the judge is not a model. */
    default @Nullable RemoteUsage usage() {
        return null;
    }

    @Override
    default void close() {}

    /**
     * Equivalence without a language model: the same functions in the same order, each with equal parameters in their {@link NormalForm}. The
     * paper's judge (Gemini-2.5-Pro) also accepts paraphrases, so metrics of this judge are lower bounds, not comparable with the paper's SR.
     */
    public static final class ExactJudge implements Judge {
        @Override
        public String id() {
            return "exact";
        }

        /** {@inheritDoc} This judge never abstains. */
        @Override
        public List<Verdict> judge(List<Case> cases) {
            return cases.stream().map(ExactJudge::judge).toList();
        }

        static Verdict judge(Case one) {
            String difference = difference(one);
            return new Verdict(difference == null, difference == null ? "equal calls" : difference);
        }

        /** Returns the normal forms of a sequence; this judge takes equal forms as equivalent. */
        public static List<NormalForm> normalised(List<FunctionCall> calls, FunctionPool pool) {
            return calls.stream()
                    .map(call -> NormalForm.of(call, pool.get(call.name())))
                    .toList();
        }

        /** Describes the first difference; null if the calls are equal. */
        private static @Nullable String difference(Case one) {
            List<String> predicted = BestMatch.names(one.predicted());
            List<String> answered = BestMatch.names(one.answer());
            if (!predicted.equals(answered)) {
                return "calls " + predicted + ", the answer calls " + answered;
            }
            List<NormalForm> forms = normalised(one.predicted(), one.pool());
            List<NormalForm> wanted = normalised(one.answer(), one.pool());
            for (int i = 0; i < forms.size(); i++) {
                Map<String, Object> found = forms.get(i).parameters();
                Map<String, Object> expected = wanted.get(i).parameters();
                TreeSet<String> names = new TreeSet<>(found.keySet());
                names.addAll(expected.keySet());
                for (String name : names) {
                    if (!Objects.equals(found.get(name), expected.get(name))) {
                        return predicted.get(i) + ": " + name + " = "
                                + shown(one.predicted().get(i), name) + ", the answer has "
                                + shown(one.answer().get(i), name);
                    }
                }
            }
            return null;
        }

        private static String shown(FunctionCall call, String parameter) {
            JsonNode value = call.parameters().get(parameter);
            return value == null ? "nothing" : JsonText.abbreviate(value);
        }
    }
}
