package dev.prpf.data.synth;

import dev.prpf.data.Language;

/**
 * A half hour of the day.
 *
 * @param halfHours since midnight; {@link #FIRST} to {@link #LAST}
 */
record DayTime(int halfHours) {
    /** Seven in the morning. */
    static final int FIRST = 14;
    /** Half past ten in the evening. */
    static final int LAST = 45;

    String in(Language language) {
        int hour = halfHours / 2;
        boolean half = halfHours % 2 == 1;
        int shown = hour > 12 ? hour - 12 : hour;
        return language.of(
                part(hour) + shown + (half ? "点半" : "点"), shown + (half ? ":30" : "") + (hour < 12 ? " am" : " pm"));
    }

    /** Returns the time as in a status bar. */
    String digits() {
        return String.format(java.util.Locale.ROOT, "%02d:%02d", halfHours / 2, halfHours % 2 * 30);
    }

    private static String part(int hour) {
        if (hour < 9) {
            return "早上";
        }
        if (hour < 12) {
            return "上午";
        }
        if (hour == 12) {
            return "中午";
        }
        return hour < 18 ? "下午" : "晚上";
    }
}
