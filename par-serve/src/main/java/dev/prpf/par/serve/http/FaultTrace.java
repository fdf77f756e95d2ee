package dev.prpf.par.serve.http;

import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Formats an exception for the log without messages, which may contain a request's text: only classes and code positions. */
public final class FaultTrace {
    private static final int MOST_FRAMES = 60;

    private FaultTrace() {}

    /** Returns a stack trace in Java's format, without the messages. */
    public static String of(Throwable fault) {
        StringBuilder text = new StringBuilder();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (@Nullable Throwable at = fault; at != null && seen.add(at); at = at.getCause()) {
            text.append(text.isEmpty() ? "" : "\nCaused by: ")
                    .append(at.getClass().getName());
            text.append(Arrays.stream(at.getStackTrace())
                    .limit(MOST_FRAMES)
                    .map(frame -> "\n\tat " + frame)
                    .collect(Collectors.joining()));
        }
        return text.toString();
    }
}
