/** Statistics of every module: {@link dev.prpf.base.statistics.Interval}s by {@link dev.prpf.base.statistics.Bootstrap} and {@link dev.prpf.base.statistics.ClopperPearson}. */
@NullMarked
package dev.prpf.base.statistics;

import org.jspecify.annotations.NullMarked;
