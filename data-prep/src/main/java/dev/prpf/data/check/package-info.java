/**
 * Validates data files and counts their samples.
 *
 * <p>{@link dev.prpf.data.check.Validator} checks the raw records of a file and reports every defect as a
 * {@link dev.prpf.data.check.Finding}, without consequences of other defects. {@link dev.prpf.data.check.DatasetStatistics} has
 * the counts of PRPF's Table 5. Both hold one record in memory.
 */
@NullMarked
package dev.prpf.data.check;

import org.jspecify.annotations.NullMarked;
