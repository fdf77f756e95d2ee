package dev.prpf.par.training;

/** The trained part of a vision encoder, in addition to the decoder. */
public enum TrainVision {
    /** No part: an image's features are computed once and cached. */
    NONE,
    /** The merger, which projects features into the decoder's space. */
    MERGER,
    /** The whole vision encoder. */
    ALL
}
