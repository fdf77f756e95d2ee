/**
 * What a user allows a server to read and to do (PRPF's ethics statement): {@link dev.prpf.par.serve.policy.InterventionPolicy} takes away of a
 * moment what may not be read, says whether an intervention may follow, and keeps account. {@link dev.prpf.par.serve.policy.UserPolicies} is the
 * one of {@code --policy} (docs/POLICY.md): {@code PolicyFiles} has the {@code UserRules} of each user, {@code UserState} what is counted and
 * kept, in the SQLite file of {@code PolicyDatabase}; {@link dev.prpf.par.serve.policy.UserRoutes} answers users about it. Invariants: what a
 * user does not allow reaches neither encoder, prompt, log nor audit; a policy that cannot be asked means silence; a caller reaches the users
 * of its own requests alone.
 */
@NullMarked
package dev.prpf.par.serve.policy;

import org.jspecify.annotations.NullMarked;
