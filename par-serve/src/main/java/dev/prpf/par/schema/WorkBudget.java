package dev.prpf.par.schema;

import dev.prpf.base.error.PrpfException.InvalidDataException;

/**
 * Counts the operations of one piece of work, such as compiling a schema or constraining a response, and refuses work beyond a limit. A count instead
 * of a deadline: what is refused does not depend on the machine or its load. Not thread-safe.
 */
public final class WorkBudget {
    private static final int MOST_REPEATED = 8;

    private final String work;
    private final long limit;
    private long spent;
    private long pauseAt = Long.MAX_VALUE;
    private long repeated;

    /** Interrupts work that has used its slice. */
    private static final class Pause extends RuntimeException {
        private static final long serialVersionUID = 1;

        Pause() {
            super("the slice is used", null, false, false);
        }
    }

    /**
     * @param work subject of the message, for instance "the schema"
     * @param limit operations allowed
     */
    public WorkBudget(String work, long limit) {
        this.work = work;
        this.limit = limit;
    }

    /**
     * Counts operations of the work.
     *
     * @throws InvalidDataException beyond the limit
     */
    public void spend(long operations) {
        spent += operations;
        if (spent > limit) {
            throw exceeded();
        }
        if (spent > pauseAt) {
            throw new Pause();
        }
    }

    private InvalidDataException exceeded() {
        return new InvalidDataException(work + " takes more than " + limit
                + " operations; use fewer alternatives, fewer optional parts and fewer counts within counts");
    }

    /**
     * Does work until it is done or has used a slice. After a pause, call again with work that keeps its intermediate results. Paused work is not
     * charged, but totals at most eight times the limit.
     *
     * @param slice operations
     * @return whether the work is done
     * @throws InvalidDataException beyond the limit
     */
    public boolean doWithin(long slice, Runnable task) {
        long before = spent;
        pauseAt = before + slice;
        try {
            task.run();
            return true;
        } catch (Pause e) {
            repeated += spent - before;
            spent = before;
            if (repeated > MOST_REPEATED * limit) {
                throw exceeded();
            }
            return false;
        } finally {
            pauseAt = Long.MAX_VALUE;
        }
    }

    /** Refills the budget, by at most the operations counted. */
    public void refill(long operations) {
        spent = Math.max(0, spent - operations);
    }

    /** Returns the operations counted and not refilled. */
    public long spent() {
        return spent;
    }
}
