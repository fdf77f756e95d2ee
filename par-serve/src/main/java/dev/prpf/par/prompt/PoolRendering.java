package dev.prpf.par.prompt;

/** How much a prompt says of each function. */
public enum PoolRendering {
    /** Description, and each parameter with type, description, whether it is required, and its values. */
    FULL,
    /** Name and required parameters. */
    COMPACT,
    /** Name only. */
    NAMES
}
