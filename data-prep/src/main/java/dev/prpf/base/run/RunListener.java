package dev.prpf.base.run;

import java.nio.file.Path;

/**
 * Listens to every run that this process writes ({@link RunDirectory#heardBy}). Called on the thread that writes it; methods must
 * return at once and not throw.
 */
public interface RunListener {
    /** Called when a run starts or resumes; its metrics may still be rewound. */
    void opened(Path run);

    /** Called after a line was appended to {@link RunDirectory#METRICS}; nothing is rewound after the first line. */
    void appended(Path run);

    /** Called when a run was closed ({@link RunDirectory#RUN} has its state) or has new files; may be called repeatedly. */
    void closed(Path run);
}
