/**
 * Rationales of supervised responses (PRPF Appendix A.3): a {@link dev.prpf.par.teacher.Teacher} writes one for a sample, the answer to be
 * learned and the candidates that will stand in the prompt. {@link dev.prpf.par.teacher.OfflineTeacher} works without a model;
 * {@link dev.prpf.par.teacher.ModelTeacher} asks a model on a server, and its texts are read against the answer.
 *
 * <p>Invariants: a written response keeps the grammar and recommends exactly the answer; a silent sample has no rationale.
 */
@NullMarked
package dev.prpf.par.teacher;

import org.jspecify.annotations.NullMarked;
