/**
 * Function-calling records in the Berkeley leaderboard's format: a request, its functions, and the accepted calls with all
 * accepted values of each parameter. {@link dev.prpf.data.calls.CallRecordReader} reads them,
 * {@link dev.prpf.data.calls.CallRecord} has the valid answers. Functions belong to their record, not to a pool.
 */
@NullMarked
package dev.prpf.data.calls;

import org.jspecify.annotations.NullMarked;
