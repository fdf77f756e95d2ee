/**
 * The policy of what a server may read and do for a user (PRPF's ethics statement). {@link dev.prpf.par.serve.policy.InterventionPolicy} removes from
 * a sample what may not be read, decides whether an intervention may follow, and keeps account. {@link dev.prpf.par.serve.policy.UserPolicies}
 * implements {@code --policy} (docs/POLICY.md). {@code PolicyFiles} has the {@code UserRules} of each user; {@code UserState} keeps state in the
 * SQLite file of {@code PolicyDatabase}. {@link dev.prpf.par.serve.policy.UserRoutes} answers users about it. Invariants: what a user does not allow
 * reaches neither encoder, prompt, log nor audit. An unavailable policy means silence. An API key reaches only the users of its own requests.
 */
@NullMarked
package dev.prpf.par.serve.policy;

import org.jspecify.annotations.NullMarked;
