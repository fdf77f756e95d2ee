package dev.prpf.cli.launch;

import dev.prpf.base.error.PrpfException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who runs jobs. Each method leaves with 69 and the scheduler's own words where it refuses or is not here. */
interface Scheduler {
    /**
     * Hands a job over.
     *
     * @param members which of them, in order
     * @return what the scheduler calls the job
     * @throws PrpfException 2 if it cannot take these members alone
     */
    String submit(LaunchFolder folder, List<Integer> members);

    /** How far each member is, in order. */
    List<MemberStatus> status(LaunchFolder folder);

    /** Ends a job; members save first. */
    void cancel(LaunchFolder folder);

    /**
     * Prints what members wrote.
     *
     * @param members which of them
     * @param every how often to look for more until all of them are over; null to print what there is
     */
    void logs(LaunchFolder folder, List<Integer> members, @Nullable Duration every);
}
