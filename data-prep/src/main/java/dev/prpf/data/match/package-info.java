/**
 * Selects the valid answer that a response is scored against (PRPF Appendix A.4, B.3), for metrics and rewards:
 * {@link dev.prpf.data.match.BestMatch} by name sequence, then by {@link dev.prpf.data.match.BestMatch.NameOverlap}.
 */
@NullMarked
package dev.prpf.data.match;

import org.jspecify.annotations.NullMarked;
