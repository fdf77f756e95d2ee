package dev.prpf.base.run;

/** What to do with an unfinished run found in the run directory. */
public enum Resume {
    /** Go on where it stopped, or begin. */
    AUTO,
    /** Go on where it stopped; nothing to go on from is an error. */
    REQUIRED,
    /** Begin; an unfinished run in the directory is an error. */
    NEVER
}
