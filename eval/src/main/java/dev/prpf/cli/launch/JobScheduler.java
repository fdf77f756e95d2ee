package dev.prpf.cli.launch;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.workflow.MemberState;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Submits and controls jobs. Each method fails with 69 and the scheduler's message if it refuses or is missing. */
interface JobScheduler {
    /**
     * Submits members of a job.
     *
     * @param members numbers of the members to submit, in order
     * @return the scheduler's id of the job
     * @throws PrpfException 2 if it cannot run only these members
     */
    String submit(LaunchFolder folder, List<Integer> members);

    /** Returns the status of each member, in order. */
    List<MemberStatus> status(LaunchFolder folder);

    /** Cancels a job; members save first. */
    void cancel(LaunchFolder folder);

    /**
     * Prints the logs of members.
     *
     * @param members numbers of the members
     * @param every polling interval until all members end; null to print the present logs
     */
    void logs(LaunchFolder folder, List<Integer> members, @Nullable Duration every);

    /**
     * Progress of a member.
     *
     * @param exitCode the last exit code; null before the first exit
     * @param detail further facts; null without any
     */
    record MemberStatus(
            int member,
            MemberState state,
            @Nullable Integer exitCode,
            int starts,
            @Nullable String detail,
            String command) {}
}
