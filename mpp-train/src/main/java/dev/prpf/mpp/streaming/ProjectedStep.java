package dev.prpf.mpp.streaming;

/**
 * What is kept of a step; arrays of a channel that is off are empty.
 *
 * @param score its weight in the slow channel's pooling, before the softmax
 * @param projected its vector in the unified width (PRPF eq. 3), shape (d)
 * @param token the same through the fast channel's projection, shape (d)
 */
record ProjectedStep(float score, float[] projected, float[] token) {}
