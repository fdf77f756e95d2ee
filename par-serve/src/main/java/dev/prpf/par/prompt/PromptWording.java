package dev.prpf.par.prompt;

/** The text of a prompt beside the sample. */
public enum PromptWording {
    /** System message, task, XML-tagged context, output instructions; in Chinese. */
    FULL,
    /** The same in English and shorter, for English data; what the sample's context leaves blank is left out. */
    ENGLISH,
    /** ProactiveMobile's prompt for training and inference, in Chinese; functions that are described in full stand as the data have them. */
    PROACTIVEMOBILE,
    /** A marker before each field and nothing else: for small models trained from nothing. */
    BRIEF
}
