/**
 * Rationales of supervised responses (PRPF Appendix A.3): a {@link dev.prpf.par.teacher.Teacher} writes one from a sample, the answer to
 * learn and the prompt's candidates. {@link dev.prpf.par.teacher.OfflineTeacher} works without a model. {@link
 * dev.prpf.par.teacher.ModelTeacher} uses a model on a server and checks its texts against the answer.
 *
 * <p>Invariants: a written response follows the grammar and recommends exactly the answer. A silent sample has no rationale.
 */
@NullMarked
package dev.prpf.par.teacher;

import org.jspecify.annotations.NullMarked;
