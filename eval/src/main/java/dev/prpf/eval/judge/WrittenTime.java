package dev.prpf.eval.judge;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.MonthDay;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * A date, a time of day, or both, however it is written. Dates are 2026-06-14, 2026/6/14, 2026年6月14日, June 14, 2026, 14 Jun 2026, and
 * without a year 6月14日, June 14. Times are 15:30, 15:30:00, 15点30分, 下午3点半, 3:30 PM, half past 3 in the afternoon. Ambiguous texts are
 * not moments: 06/14/2026, 2026.6.14 (also a version), 晚上1点, 上午12点, and midnight at the end of a date (6月4日晚上12点, 晚上24点).
 *
 * @param date a {@link LocalDate}, a {@link MonthDay} where the year is not given, or null
 * @param time null where none is given
 */
record WrittenTime(@Nullable Object date, @Nullable LocalTime time) {
    private static final List<String> MONTHS =
            List.of("january february march april may june july august september october november december".split(" "));
    private static final int MONTH_LETTERS = 3;
    private static final int NOON = 12;
    private static final int DAY = 24;

    /** One way to write a date, with the groups that hold its parts; year 0 where it has none. */
    private record Form(Pattern pattern, int year, int month, int day) {
        Form(String pattern, int year, int month, int day) {
            this(Pattern.compile(pattern), year, month, day);
        }

        Object date(Matcher matcher) {
            int monthValue = monthOf(matcher.group(month));
            int dayValue = Integer.parseInt(matcher.group(day));
            return year == 0
                    ? MonthDay.of(monthValue, dayValue)
                    : LocalDate.of(Integer.parseInt(matcher.group(year)), monthValue, dayValue);
        }
    }

    private static final List<Form> DATES = List.of(
            new Form("(\\d{4})([-/])(\\d{1,2})\\2(\\d{1,2})", 1, 3, 4),
            new Form("(\\d{4})年(\\d{1,2})月(\\d{1,2})[日号]", 1, 2, 3),
            new Form("(\\d{1,2})月(\\d{1,2})[日号]", 0, 1, 2),
            new Form("([a-z]{3,9})\\.? (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})", 3, 1, 2),
            new Form("(\\d{1,2})(?:st|nd|rd|th)? ([a-z]{3,9})\\.?,? (\\d{4})", 3, 2, 1),
            new Form("([a-z]{3,9})\\.? (\\d{1,2})(?:st|nd|rd|th)?", 0, 1, 2),
            new Form("(\\d{1,2})(?:st|nd|rd|th)? ([a-z]{3,9})\\.?", 0, 2, 1));

    /** Groups: part of the day; hour; minute and second after colons; minute in words; half; am, pm or part of the day. */
    private static final Pattern TIME = Pattern.compile(
            "(凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上)?\\s*(\\d{1,2})"
                    + "(?::(\\d{2})(?::(\\d{2}))?|[点时](?:(\\d{1,2})分?|(半)|整)?| o'clock)?\\s*(am|pm|a\\.m\\.|p\\.m\\.|in the (?:morning|afternoon|evening)|at night)?");

    private static final Pattern HALF_PAST = Pattern.compile("half past (\\d{1,2})\\b");

    /** The hours that belong to a part of the day, the last hour included; 24 is midnight at the end of the day. */
    private record Hours(int first, int last) {
        boolean contain(int hour) {
            return hour >= first && hour <= last;
        }
    }

    private static final Map<String, Hours> PARTS = Map.ofEntries(
            Map.entry("凌晨", new Hours(0, 6)),
            Map.entry("清晨", new Hours(3, 9)),
            Map.entry("早上", new Hours(3, 11)),
            Map.entry("早晨", new Hours(3, 11)),
            Map.entry("上午", new Hours(5, 11)),
            Map.entry("中午", new Hours(11, 14)),
            Map.entry("下午", new Hours(12, 19)),
            Map.entry("傍晚", new Hours(16, 19)),
            Map.entry("晚上", new Hours(18, DAY)),
            Map.entry("am", new Hours(0, 11)),
            Map.entry("a.m.", new Hours(0, 11)),
            Map.entry("pm", new Hours(12, 23)),
            Map.entry("p.m.", new Hours(12, 23)),
            Map.entry("in the morning", new Hours(0, 11)),
            Map.entry("in the afternoon", new Hours(12, 19)),
            Map.entry("in the evening", new Hours(16, 23)),
            Map.entry("at night", new Hours(18, 23)));

    /** Separator between date and time. */
    private static final Pattern BETWEEN = Pattern.compile("^(?:t|,? +)?");

    /** Parses a whole folded text; null if the text is not a moment. */
    static @Nullable WrittenTime read(String text) {
        try {
            for (Form form : DATES) {
                Matcher matcher = form.pattern().matcher(text);
                if (matcher.lookingAt()) {
                    String rest = BETWEEN.matcher(text.substring(matcher.end())).replaceFirst("");
                    LocalTime time = rest.isEmpty() || rest.matches("晚上\\s*(12|24).*") ? null : time(rest);
                    return rest.isEmpty() || time != null ? new WrittenTime(form.date(matcher), time) : null;
                }
            }
            LocalTime time = time(text);
            return time == null ? null : new WrittenTime(null, time);
        } catch (DateTimeException noSuchDay) {
            return null;
        }
    }

    private static int monthOf(String text) {
        if (StringUtils.isNumeric(text)) {
            return Integer.parseInt(text);
        }
        for (int i = 0; i < MONTHS.size(); i++) {
            String name = MONTHS.get(i);
            if (text.equals(name) || text.equals(name.substring(0, MONTH_LETTERS)) || (text.equals("sept") && i == 8)) {
                return i + 1;
            }
        }
        throw new DateTimeException("no month: " + text);
    }

    private static @Nullable LocalTime time(String written) {
        String text = HALF_PAST.matcher(written).replaceFirst("$1:30");
        Matcher matcher = TIME.matcher(text);
        if (!matcher.matches() || !(text.matches(".*([:点时]|o'clock).*") || matcher.group(7) != null)) {
            return null; // a bare number is no time
        }
        if (matcher.group(1) != null && matcher.group(7) != null) {
            return null; // 下午3点 am
        }
        String part = matcher.group(1) == null ? matcher.group(7) : matcher.group(1);
        int hour = Integer.parseInt(matcher.group(2));
        String minute = matcher.group(3) == null ? matcher.group(5) : matcher.group(3);
        return LocalTime.of(hour(hour, part), matcher.group(6) != null ? 30 : number(minute), number(matcher.group(4)));
    }

    private static int number(@Nullable String digits) {
        return digits == null ? 0 : Integer.parseInt(digits);
    }

    private static int hour(int hour, @Nullable String part) {
        if (part == null) {
            return hour;
        }
        Hours hours = Objects.requireNonNull(PARTS.get(part));
        List<Integer> meant =
                hour > NOON || hour == 0 ? List.of(hour) : List.of(hour % NOON, hour % NOON + NOON, hour % NOON + DAY);
        return meant.stream()
                        .filter(hours::contain)
                        .findFirst()
                        .orElseThrow(() -> new DateTimeException(part + " " + hour))
                % DAY;
    }
}
