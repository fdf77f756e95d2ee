package dev.prpf.par.prompt;

/** The fixed text of a prompt, without the sample. */
public enum PromptWording {
    /** System message, task, XML-tagged context, output instructions; in Chinese. */
    FULL,
    /** FULL in English and shorter, for English data; omits the blank parts of the sample's context. */
    ENGLISH,
    /** ProactiveMobile's prompt for training and inference, in Chinese; fully described functions are written as in the data. */
    PROACTIVEMOBILE,
    /** Only a marker before each field: for small new models. */
    BRIEF
}
