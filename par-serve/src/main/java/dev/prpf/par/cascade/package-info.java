/**
 * Gate and reasoner together: one sample in, one {@link Prediction} out. {@link Cascade} calls a perceiver, and a {@link
 * Reasoner} for samples that pass: {@link LocalReasoner} in this process or {@link RemoteReasoner} on a server. {@link
 * ReasonerPerceiver} uses a language model as perceiver. {@link PredictionCost} is the measured cost. {@link CascadeFolder} is a
 * trained cascade on disk.
 */
@NullMarked
package dev.prpf.par.cascade;

import org.jspecify.annotations.NullMarked;
