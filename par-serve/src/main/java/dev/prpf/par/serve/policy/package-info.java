/**
 * What a user allows a server to read and to do (PRPF's ethics statement): {@link dev.prpf.par.serve.policy.InterventionPolicy} takes away of a
 * moment what may not be read, says whether an intervention may follow, and keeps account. Invariant: what a user does not allow reaches
 * neither encoder, prompt, log nor audit.
 */
@NullMarked
package dev.prpf.par.serve.policy;

import org.jspecify.annotations.NullMarked;
