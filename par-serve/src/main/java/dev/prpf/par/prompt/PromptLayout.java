package dev.prpf.par.prompt;

/** The order of a prompt's parts. */
public enum PromptLayout {
    /** PRPF Appendix D: trace, profile, phone, world, predicted scenes, functions, instructions. */
    PAPER,
    /** Common parts first, for servers' prefix caches: instructions, functions in catalogue order, then the sample. */
    PREFIX,
    /** ProactiveMobile Appendix F: instructions, profile, phone, world, trace, functions, a closing sentence. */
    PROACTIVEMOBILE
}
