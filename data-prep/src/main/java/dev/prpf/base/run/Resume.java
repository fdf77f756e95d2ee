package dev.prpf.base.run;

/** Policy for an unfinished run in the run directory. */
public enum Resume {
    /** Resumes a run, or starts a new one. */
    AUTO,
    /** Resumes a run; a missing run is an error. */
    REQUIRED,
    /** Starts a new run; an existing run is an error. */
    NEVER
}
