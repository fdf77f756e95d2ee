/** Statistics that every module's figures are given with: {@link dev.prpf.data.statistics.Interval}s and where they come from. */
@NullMarked
package dev.prpf.data.statistics;

import org.jspecify.annotations.NullMarked;
