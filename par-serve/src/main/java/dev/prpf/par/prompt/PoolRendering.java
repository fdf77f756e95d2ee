package dev.prpf.par.prompt;

/** The form of the functions in a prompt. */
public enum PoolRendering {
    /** Description, and each parameter with type, description, whether it is required, and its values. */
    FULL,
    /** Name, parameters with type and enumeration ({@code ?} after the optional ones), description. */
    SIGNATURE,
    /** Name and required parameters. */
    COMPACT,
    /** The name of the function only. */
    NAMES
}
