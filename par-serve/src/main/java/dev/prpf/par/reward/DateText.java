package dev.prpf.par.reward;

import java.util.Arrays;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A date, a time, or both, as calls write them: {@code 2026-03-05 08:30}, {@code 2026/3/5}, {@code 2026年3月5日8点30分}, {@code 3月5日},
 * {@code 08:30:00}.
 *
 * @param year null where there is none, as with every part
 * @param month 1 to 12
 * @param day 1 to 31
 * @param hour 0 to 24
 * @param minute 0 to 59
 * @param second 0 to 60; absent is 0 where there is a time
 */
record DateText(
        @Nullable Integer year,
        @Nullable Integer month,
        @Nullable Integer day,
        @Nullable Integer hour,
        @Nullable Integer minute,
        @Nullable Integer second) {
    private static final Pattern TEXT =
            Pattern.compile("(?:(?:(?<y>\\d{4})(?:(?<s>[-/.])(?<m>\\d{1,2})\\k<s>(?<d>\\d{1,2})"
                    + "|年(?<cm>\\d{1,2})月(?<cd>\\d{1,2})[日号]))|(?<pm>\\d{1,2})月(?<pd>\\d{1,2})[日号])?"
                    + "(?:^|[T\\s]+|(?<=[日号])|$)"
                    + "(?:(?<h>\\d{1,2})(?:[:](?<min>\\d{2})(?::(?<sec>\\d{2}))?|[点时](?:(?<cmin>\\d{1,2})分?)?))?");

    /** Null where the text is neither. */
    static @Nullable DateText parse(String text) {
        if (text.isEmpty() || text.length() > 32 || !Character.isDigit(text.charAt(0))) {
            return null;
        }
        Matcher m = TEXT.matcher(text);
        if (!m.matches()) {
            return null;
        }
        boolean timed = m.group("h") != null;
        DateText date = new DateText(
                number(m, "y"),
                number(m, "m", "cm", "pm"),
                number(m, "d", "cd", "pd"),
                number(m, "h"),
                timed ? orZero(number(m, "min", "cmin")) : null,
                timed ? orZero(number(m, "sec")) : null);
        return date.exists() ? date : null;
    }

    private static @Nullable Integer number(Matcher match, String... groups) {
        return Arrays.stream(groups)
                .map(match::group)
                .filter(Objects::nonNull)
                .map(Integer::valueOf)
                .findFirst()
                .orElse(null);
    }

    private static Integer orZero(@Nullable Integer value) {
        return value == null ? 0 : value;
    }

    private boolean exists() {
        return within(month, 1, 12)
                && within(day, 1, 31)
                && within(hour, 0, 24)
                && within(minute, 0, 59)
                && within(second, 0, 60);
    }

    private static boolean within(@Nullable Integer value, int least, int most) {
        return value == null || (value >= least && value <= most);
    }

    /** Whether both have the same parts. */
    boolean comparable(DateText other) {
        @Nullable Integer[] ours = parts();
        @Nullable Integer[] theirs = other.parts();
        for (int i = 0; i < ours.length; i++) {
            if ((ours[i] == null) != (theirs[i] == null)) {
                return false;
            }
        }
        return true;
    }

    /** The share of the parts present that are equal. */
    double agreement(DateText other) {
        @Nullable Integer[] ours = parts();
        @Nullable Integer[] theirs = other.parts();
        int present = 0;
        int equal = 0;
        for (int i = 0; i < ours.length; i++) {
            if (ours[i] != null) {
                present++;
                equal += ours[i].equals(theirs[i]) ? 1 : 0;
            }
        }
        return (double) equal / present;
    }

    private @Nullable Integer[] parts() {
        return new @Nullable Integer[] {year, month, day, hour, minute, second};
    }
}
