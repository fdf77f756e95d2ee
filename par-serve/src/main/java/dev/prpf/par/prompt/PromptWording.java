package dev.prpf.par.prompt;

/** The text of a prompt beside the sample. */
public enum PromptWording {
    /** System message, task, XML-tagged context, output instructions; in Chinese. */
    FULL,
    /** The same in English and shorter, for English data; what the sample's context leaves blank is left out. */
    ENGLISH,
    /** A marker before each field and nothing else: for small models trained from nothing. */
    BRIEF
}
