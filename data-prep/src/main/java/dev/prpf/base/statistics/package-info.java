/**
 * Statistics of every module. {@link dev.prpf.base.statistics.Bootstrap} is the one definition of a percentile interval, of independent
 * samples and of clusters ({@link dev.prpf.base.statistics.Means}); {@link dev.prpf.base.statistics.ClopperPearson} bounds one share.
 * {@link dev.prpf.base.statistics.McNemar} compares two systems on the same samples, {@link dev.prpf.base.statistics.Holm} corrects several
 * such tests, {@link dev.prpf.base.statistics.MeanStd} sums several seeds up.
 */
@NullMarked
package dev.prpf.base.statistics;

import org.jspecify.annotations.NullMarked;
