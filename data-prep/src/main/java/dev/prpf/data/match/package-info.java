/**
 * Which valid answer a response is measured against (PRPF Appendix A.4, B.3), for the score and the reward alike: {@link
 * dev.prpf.data.match.BestMatch} by name sequence, then by {@link dev.prpf.data.match.NameOverlap}.
 */
@NullMarked
package dev.prpf.data.match;

import org.jspecify.annotations.NullMarked;
