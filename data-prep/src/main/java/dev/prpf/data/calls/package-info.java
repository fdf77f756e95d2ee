/**
 * Function-calling records in the Berkeley leaderboard's format: a request, the functions it may be served with, and the calls that would
 * be right, each parameter with every value that is accepted. {@link dev.prpf.data.calls.CallRecordReader} reads,
 * {@link dev.prpf.data.calls.CallRecord} says which answers are valid. Functions belong to their record and to no pool.
 */
@NullMarked
package dev.prpf.data.calls;

import org.jspecify.annotations.NullMarked;
