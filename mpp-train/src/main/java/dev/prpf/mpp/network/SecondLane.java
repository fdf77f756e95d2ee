package dev.prpf.mpp.network;

import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One daemon thread that runs the second half of a plan; it spins for a moment between pieces of work, then parks. */
final class SecondLane {
    /** Counters of two threads lie this far apart, so that they share no cache line. */
    static final int CACHE_LINE_INTS = 32;

    private static final int SPINS = 20_000;
    private static final long PAUSE_NANOS = 20_000;
    private static final AtomicReference<@Nullable Ticket> INBOX = new AtomicReference<>();
    private static final Thread THREAD = new Thread(SecondLane::serve, "mpp-second-lane");

    static {
        THREAD.setDaemon(true);
        THREAD.start();
    }

    private SecondLane() {}

    /** Whether this machine has a core for it; {@code -Dprpf.mpp.lanes=1} says no. */
    static boolean available() {
        return Runtime.getRuntime().availableProcessors() > 1 && Integer.getInteger("prpf.mpp.lanes", 2) > 1;
    }

    /** A piece of work under way. */
    static final class Ticket {
        private final Runnable work;
        private volatile boolean finished;
        private volatile @Nullable Throwable failure;

        private Ticket(Runnable work) {
            this.work = work;
        }

        private void run() {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                failure = e;
            } finally {
                finished = true;
            }
        }

        /** Waits for the work's end; throws what it threw. */
        void join() {
            for (int i = 0; !finished; i++) {
                pause(i);
            }
            Throwable thrown = failure;
            if (thrown != null && !(thrown instanceof CancellationException)) {
                throw new IllegalStateException("the second lane failed: " + thrown, thrown);
            }
        }
    }

    /** Hands work to the thread; if it is busy with another plan's work, waits until that is taken. */
    static Ticket start(Runnable work) {
        Ticket ticket = new Ticket(work);
        for (int i = 0; !INBOX.compareAndSet(null, ticket); i++) {
            pause(i);
        }
        LockSupport.unpark(THREAD);
        return ticket;
    }

    /** Returns when the counter has reached the value; throws when it says that its lane failed. */
    static void spinUntil(AtomicIntegerArray counters, int index, int value) {
        for (int i = 0; counters.get(index) < value; i++) {
            pause(i);
        }
        if (counters.get(index) == Integer.MAX_VALUE) {
            throw new CancellationException("the other lane failed");
        }
    }

    private static void serve() {
        for (int i = 0; ; i++) {
            Ticket ticket = INBOX.getAndSet(null);
            if (ticket != null) {
                ticket.run();
                i = 0;
            } else if (i < SPINS) {
                Thread.onSpinWait();
            } else {
                LockSupport.park();
                i = 0;
            }
        }
    }

    private static void pause(int spins) {
        if (spins < SPINS) {
            Thread.onSpinWait();
        } else {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
