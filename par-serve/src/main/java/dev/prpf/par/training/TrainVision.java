package dev.prpf.par.training;

/** What of a vision tower learns beside the decoder. */
public enum TrainVision {
    /** Nothing: what it gives of a picture is computed once and kept. */
    NONE,
    /** The merger, which is its way into the decoder. */
    MERGER,
    /** All of it. */
    ALL
}
