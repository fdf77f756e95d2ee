package dev.prpf.par.reward;

import java.text.Normalizer;
import org.apache.commons.text.similarity.LevenshteinDistance;
import org.jspecify.annotations.Nullable;

/** How like two texts are, in [0, 1]: full-width or half-width, white space at the ends left out. */
final class TextSimilarity {
    private static final LevenshteinDistance EDITS = LevenshteinDistance.getDefaultInstance();

    private TextSimilarity() {}

    /** Two dates or times: the share of their parts that are equal. Else 1 - edits / length of the longer. */
    static double of(String predicted, String gold) {
        String a = normal(predicted);
        String b = normal(gold);
        if (a.equals(b)) {
            return 1;
        }
        DateText first = DateText.parse(a);
        DateText second = first == null ? null : DateText.parse(b);
        if (first != null && second != null && first.comparable(second)) {
            return first.agreement(second);
        }
        return 1 - (double) EDITS.apply(a, b) / Math.max(a.length(), b.length());
    }

    static boolean equal(String a, String b) {
        return normal(a).equals(normal(b));
    }

    static boolean isBlank(@Nullable String text) {
        return text == null || normal(text).isEmpty();
    }

    private static String normal(String text) {
        return Normalizer.normalize(text, Normalizer.Form.NFKC).strip();
    }
}
