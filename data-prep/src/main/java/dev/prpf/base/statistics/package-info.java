/**
 * Statistics for all modules. {@link dev.prpf.base.statistics.Bootstrap} computes percentile intervals for independent samples
 * and for clusters ({@link dev.prpf.base.statistics.Means}). {@link dev.prpf.base.statistics.ClopperPearson} bounds a proportion.
 * {@link dev.prpf.base.statistics.MeanStd} summarises seeds.
 */
@NullMarked
package dev.prpf.base.statistics;

import org.jspecify.annotations.NullMarked;
