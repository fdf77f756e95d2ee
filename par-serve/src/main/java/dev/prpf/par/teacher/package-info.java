/**
 * The reasoning that supervised responses carry (PRPF Appendix A.3): a {@link dev.prpf.par.teacher.Teacher} writes it for a sample, the answer
 * to be learned and the candidates that will stand in the prompt. {@link dev.prpf.par.teacher.OfflineTeacher} looks up where things stand;
 * {@link dev.prpf.par.teacher.ModelTeacher} asks a model on a server, and what it writes is read against the answer.
 *
 * <p>Invariants: a taught response keeps the grammar and recommends exactly the answer; a silent sample has no reasoning.
 */
@NullMarked
package dev.prpf.par.teacher;

import org.jspecify.annotations.NullMarked;
