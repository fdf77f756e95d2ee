package dev.prpf.cli.launch;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Events that a member's job script noted ({@code configs/launch/member.sh}).
 *
 * @param last the last noted event
 * @param exitCode of the last end; null before the first
 */
record MemberNotes(int starts, Last last, @Nullable Integer exitCode) {
    enum Last {
        NOTHING,
        STARTED,
        ENDED,
        REQUEUED
    }

    /** Parses lines of time, event and a word; an incomplete last line is ignored. */
    static MemberNotes parse(String text) {
        int starts = 0;
        Last last = Last.NOTHING;
        Integer exitCode = null;
        for (String line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
            List<String> words = List.of(line.split(" ", -1));
            String event = words.size() > 1 ? words.get(1) : "";
            if (event.equals("started")) {
                starts++;
                last = Last.STARTED;
            } else if (event.equals("requeued") || event.equals("resumed")) {
                last = Last.REQUEUED;
            } else if (event.equals("ended") && words.size() > 2 && words.get(2).matches("\\d{1,3}")) {
                last = Last.ENDED;
                exitCode = Integer.valueOf(words.get(2));
            }
        }
        return new MemberNotes(starts, last, exitCode);
    }
}
