package dev.prpf.par.serve.policy;

import dev.prpf.base.config.Rule;
import java.time.LocalTime;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A part of the day; spans midnight if it begins later than it ends.
 *
 * @param from start, inclusive
 * @param to end, exclusive; differs from {@code from}
 */
record QuietHours(LocalTime from, LocalTime to) {
    private static final Pattern FORM = Pattern.compile("((?:[01]\\d|2[0-3]):[0-5]\\d)-((?:[01]\\d|2[0-3]):[0-5]\\d)");

    /**
     * Parses a range {@code HH:MM-HH:MM}.
     *
     * @throws IllegalArgumentException for another form, or for an empty range or a whole day
     */
    static QuietHours parse(String text) {
        Matcher parts = FORM.matcher(text);
        Rule.require(parts.matches(), "quiet-hours", text, "HH:MM-HH:MM, such as 22:00-07:00");
        QuietHours hours = new QuietHours(LocalTime.parse(parts.group(1)), LocalTime.parse(parts.group(2)));
        String rule = "of different times; \"enabled: false\" is silence all day";
        Rule.require(!hours.from.equals(hours.to), "quiet-hours", text, rule);
        return hours;
    }

    boolean hold(LocalTime time) {
        boolean begun = !time.isBefore(from);
        boolean over = !time.isBefore(to);
        return from.isBefore(to) ? begun && !over : begun || !over;
    }
}
