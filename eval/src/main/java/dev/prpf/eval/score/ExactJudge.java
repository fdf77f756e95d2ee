package dev.prpf.eval.score;

import java.util.List;

/**
 * Equivalence without a language model: the same functions in the same order, each with equal parameters. The paper's judge
 * (Gemini-2.5-Pro) also accepts paraphrases, so metrics of this judge are lower bounds and do not stand beside the paper's SR.
 *
 * <p>Taken as equal: a parameter given as null or as a blank string and one not given (the benchmark's records name every parameter and
 * leave optional ones empty); numbers of equal value (3 and 3.0); strings that differ in Unicode compatibility form (full-width and
 * half-width, NFKC) or in white space at their ends; dicts in any key order, their empty fields as absent.
 *
 * <p>Taken as different: letter case, white space inside a string, other punctuation, the string "3" and the number 3, "true" and true,
 * lists in another order, an empty list and an absent parameter, and every paraphrase.
 */
final class ExactJudge implements Judge {
    @Override
    public String id() {
        return "exact";
    }

    /** Never abstains. */
    @Override
    public List<Verdict> judge(List<Case> cases) {
        return cases.stream().map(ExactJudge::judge).toList();
    }

    private static Verdict judge(Case one) {
        boolean equal = NormalForm.of(one.predicted()).equals(NormalForm.of(one.answer()));
        return new Verdict(equal, equal ? "equal calls" : "other calls or parameters", false);
    }
}
