package dev.prpf.par.prompt;

/** How a prompt describes each function. */
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
