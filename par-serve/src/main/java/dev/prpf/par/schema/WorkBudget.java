package dev.prpf.par.schema;

import dev.prpf.base.error.InvalidDataException;

/**
 * Counts the operations of one piece of work, such as compiling a schema or constraining a response, and refuses work beyond a limit. A count instead
 * of a deadline: what is refused does not depend on the machine or its load. Not thread-safe.
 */
public final class WorkBudget {
    private final String work;
    private final long limit;
    private long spent;

    /**
     * @param work subject of the message, for instance "the schema"
     * @param limit operations allowed
     */
    public WorkBudget(String work, long limit) {
        this.work = work;
        this.limit = limit;
    }

    /**
     * Counts operations.
     *
     * @throws InvalidDataException beyond the limit
     */
    public void spend(long operations) {
        spent += operations;
        if (spent > limit) {
            throw new InvalidDataException(work + " takes more than " + limit
                    + " operations; use fewer alternatives, fewer optional parts and fewer counts within counts");
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
