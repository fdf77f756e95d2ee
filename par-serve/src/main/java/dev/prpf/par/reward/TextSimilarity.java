package dev.prpf.par.reward;

import java.text.Normalizer;
import java.util.Arrays;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.commons.text.similarity.LevenshteinDistance;
import org.jspecify.annotations.Nullable;

/** Computes the similarity of two texts, in [0, 1], after NFKC normalisation and trimming. */
final class TextSimilarity {
    private static final LevenshteinDistance EDITS = LevenshteinDistance.getDefaultInstance();

    private TextSimilarity() {}

    /** Returns the share of equal parts for two dates or times, else 1 - edits / length of the longer text. */
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

    /**
     * A date, a time, or both, in the notations of calls: {@code 2026-03-05 08:30}, {@code 2026/3/5}, {@code 2026年3月5日8点30分}, {@code 3月5日},
     * {@code 08:30:00}.
     *
     * @param parts year, month, day, hour, minute, second; {@link #ABSENT} if missing
     */
    private record DateText(int[] parts) {
        private static final int ABSENT = -1;
        private static final int HOUR = 3;
        private static final Pattern TEXT =
                Pattern.compile("(?:(?:(?<y>\\d{4})(?:(?<s>[-/.])(?<m>\\d{1,2})\\k<s>(?<d>\\d{1,2})"
                        + "|年(?<cm>\\d{1,2})月(?<cd>\\d{1,2})[日号]))|(?<pm>\\d{1,2})月(?<pd>\\d{1,2})[日号])?"
                        + "(?:^|[T\\s]+|(?<=[日号])|$)"
                        + "(?:(?<h>\\d{1,2})(?:[:](?<min>\\d{2})(?::(?<sec>\\d{2}))?|[点时](?:(?<cmin>\\d{1,2})分?)?))?");
        private static final String[][] GROUPS = {
            {"y"}, {"m", "cm", "pm"}, {"d", "cd", "pd"}, {"h"}, {"min", "cmin"}, {"sec"}
        };
        private static final int[] MIN = {0, 1, 1, 0, 0, 0};
        private static final int[] MAX = {9999, 12, 31, 24, 59, 60};

        /** Parses a date or time; null if the text is neither. */
        static @Nullable DateText parse(String text) {
            if (text.isEmpty() || text.length() > 32 || !Character.isDigit(text.charAt(0))) {
                return null;
            }
            Matcher match = TEXT.matcher(text);
            if (!match.matches()) {
                return null;
            }
            int[] parts = new int[GROUPS.length];
            for (int i = 0; i < parts.length; i++) {
                int absent = i > HOUR && parts[HOUR] != ABSENT ? 0 : ABSENT; // "8点" is 8:00:00
                parts[i] = Arrays.stream(GROUPS[i])
                        .map(match::group)
                        .filter(Objects::nonNull)
                        .mapToInt(Integer::parseInt)
                        .findFirst()
                        .orElse(absent);
                if (parts[i] != ABSENT && (parts[i] < MIN[i] || parts[i] > MAX[i])) {
                    return null;
                }
            }
            return new DateText(parts);
        }

        /** Returns whether both have the same parts. */
        boolean comparable(DateText other) {
            return Arrays.equals(present(), other.present());
        }

        /** Returns the share of equal parts among those present. */
        double agreement(DateText other) {
            return Arrays.stream(present())
                    .mapToDouble(i -> parts[i] == other.parts[i] ? 1 : 0)
                    .average()
                    .orElseThrow();
        }

        private int[] present() {
            return IntStream.range(0, parts.length)
                    .filter(i -> parts[i] != ABSENT)
                    .toArray();
        }
    }
}
