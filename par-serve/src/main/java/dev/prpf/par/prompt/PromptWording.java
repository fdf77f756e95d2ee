package dev.prpf.par.prompt;

/** How much a prompt says beside the sample. */
public enum PromptWording {
    /** System message, task, XML-tagged context, output instructions. */
    FULL,
    /** A marker before each field and nothing else: for small models trained from nothing. */
    BRIEF
}
