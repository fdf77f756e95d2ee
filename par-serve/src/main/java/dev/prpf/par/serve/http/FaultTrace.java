package dev.prpf.par.serve.http;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.commons.lang3.exception.ExceptionUtils;

/** Formats an exception for the log without messages, which may contain a request's text: only classes and code positions. */
public final class FaultTrace {
    private static final int MOST_FRAMES = 60;

    private FaultTrace() {}

    /** Returns a stack trace in Java's format, without the messages. */
    public static String of(Throwable fault) {
        return ExceptionUtils.getThrowableList(fault).stream() // each cause once
                .map(at -> at.getClass().getName()
                        + Arrays.stream(at.getStackTrace())
                                .limit(MOST_FRAMES)
                                .map(frame -> "\n\tat " + frame)
                                .collect(Collectors.joining()))
                .collect(Collectors.joining("\nCaused by: "));
    }
}
