/**
 * Checks and counts of data files.
 *
 * <p>{@link dev.prpf.data.check.Validator} goes over the raw records of a file, so that every defect is a
 * {@link dev.prpf.data.check.Finding} of its own, not only the first of a record; what follows from another defect is not reported
 * again. {@link dev.prpf.data.check.DatasetStatistics} counts what PRPF's Table 5 counts. Both hold one record in memory.
 */
@NullMarked
package dev.prpf.data.check;

import org.jspecify.annotations.NullMarked;
