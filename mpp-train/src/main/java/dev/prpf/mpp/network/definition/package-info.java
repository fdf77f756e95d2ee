/**
 * The perceiver's network and its objective, defined once (PRPF eq. 3 to 12).
 *
 * <p>{@link dev.prpf.mpp.network.definition.PerceiverDefinition} describes the network by the {@link
 * dev.prpf.mpp.network.definition.Operations} of an interpreter. Each interpreter gives them another meaning: {@link
 * dev.prpf.mpp.network.definition.NetworkSummary} lists parameters and counts floating-point operations, {@code network.host} computes on the
 * processor, {@code network.graph} builds a SameDiff graph. A new kind of layer is one line in the definition and one operation in each of
 * the three.
 *
 * <p>A {@link dev.prpf.mpp.network.definition.FeatureBatch} holds the inputs, {@link dev.prpf.mpp.network.definition.JointLoss} the
 * objective.
 */
@NullMarked
package dev.prpf.mpp.network.definition;

import org.jspecify.annotations.NullMarked;
