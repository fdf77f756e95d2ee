package dev.prpf.base.run;

import java.nio.file.Path;

/**
 * Hears of every run that this process writes ({@link RunDirectory#heardBy}), on the thread that writes it: each method returns at once and
 * throws nothing.
 */
public interface RunListener {
    /** A run was begun or is gone on with; its metrics may still be rewound. */
    void opened(Path run);

    /** A line of metrics stands in {@link RunDirectory#METRICS}; nothing is rewound after the first. */
    void appended(Path run);

    /** A run was left, and {@link RunDirectory#RUN} says how, or new files of it have come; may be told again. */
    void closed(Path run);
}
