package dev.prpf.cli.sweep;

/** Starts processes that run members. */
interface MemberStarter {
    /**
     * Starts a member's process.
     *
     * @throws dev.prpf.base.error.PrpfException 69 if it cannot be started
     */
    Process start(SweepPlan plan, SweepMember member);
}
