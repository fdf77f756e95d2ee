/** Statistics that every module's figures are given with: {@link dev.prpf.base.statistics.Interval}s and where they come from. */
@NullMarked
package dev.prpf.base.statistics;

import org.jspecify.annotations.NullMarked;
