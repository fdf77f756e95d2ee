package dev.prpf.par.prompt;

/** How much a prompt says of each function. */
public enum PoolRendering {
    /** Description, and each parameter with type, description, whether it is required, and its values. */
    FULL,
    /** Name, parameters with type and enumeration ({@code ?} after the optional ones), description. */
    SIGNATURE,
    /** Name and required parameters. */
    COMPACT,
    /** Name only. */
    NAMES
}
