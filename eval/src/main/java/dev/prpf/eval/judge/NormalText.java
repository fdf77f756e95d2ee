package dev.prpf.eval.judge;

import java.text.Normalizer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Strings in a form where equal meaning, as far as it can be told without a model, is equality. */
final class NormalText {
    private static final int LONGEST_VALUE = 48;

    private NormalText() {}

    /** In Unicode compatibility form (full width is half width, NFKC), in lower case, without white space at its ends. */
    static String folded(String text) {
        return Normalizer.normalize(text, Normalizer.Form.NFKC).strip().toLowerCase(Locale.ROOT);
    }

    /** A string that is a date, a time or a quantity as a whole becomes a {@link Moment} or {@link Quantity}; others are folded. */
    static Object of(String text) {
        String folded = folded(text);
        if (folded.length() > LONGEST_VALUE || folded.chars().noneMatch(c -> c >= '0' && c <= '9')) {
            return folded;
        }
        Moment moment = Moment.read(folded);
        if (moment != null) {
            return moment;
        }
        @Nullable Quantity quantity = Quantity.read(folded);
        return quantity == null ? folded : quantity;
    }
}
