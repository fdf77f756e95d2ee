package dev.prpf.mpp.network.host;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Helper threads of this process. The pool serves one caller at a time. A caller that finds it busy runs its work itself, so that parallel
 * networks do not exceed their threads. An idle helper spins briefly, then sleeps.
 */
public final class WorkerPool {
    private static final int MAX_DEFAULT_THREADS = 8;
    private static final int SPINS = 20_000;
    private static final long SLEEP_NANOS = 20_000;
    private static final AtomicBoolean BUSY = new AtomicBoolean();
    private static final List<Helper> HELPERS = new ArrayList<>(); // used only by the thread that has set BUSY

    private WorkerPool() {}

    /** Default number of threads of a network: {@code OMP_NUM_THREADS}, else the cores; at most 8. */
    public static int defaultThreads() {
        int cores = Runtime.getRuntime().availableProcessors();
        String variable = System.getenv("OMP_NUM_THREADS");
        boolean number = variable != null && variable.matches("[1-9][0-9]{0,3}");
        return Math.min(MAX_DEFAULT_THREADS, number ? Integer.parseInt(variable) : cores);
    }

    /**
     * Runs the work on up to {@code threads} threads including the caller, and returns when all started threads are done. The threads divide
     * the work; the calling thread must be able to do all of it.
     */
    static void run(int threads, Runnable work) {
        if (threads == 1 || !BUSY.compareAndSet(false, true)) {
            work.run();
            return;
        }
        try {
            while (HELPERS.size() < threads - 1) {
                HELPERS.add(new Helper(HELPERS.size() + 1));
            }
            List<Helper> helpers = HELPERS.subList(0, threads - 1);
            helpers.forEach(helper -> helper.begin(work));
            try {
                work.run();
            } finally {
                helpers.forEach(Helper::end);
            }
        } finally {
            BUSY.set(false);
        }
    }

    /** Waits briefly, for the n-th time in a row. */
    static void pause(int n) {
        if (n < SPINS) {
            Thread.onSpinWait();
        } else {
            LockSupport.parkNanos(SLEEP_NANOS);
        }
    }

    private static final class Helper {
        private static final int IDLE = 0;
        private static final int GIVEN = 1;
        private static final int RUNNING = 2;

        private final AtomicInteger state = new AtomicInteger(IDLE);
        private Runnable work = () -> {}; // written before the state, read after it
        private @Nullable Throwable failure; // likewise
        private final Thread thread;

        Helper(int number) {
            thread = new Thread(this::serve, "mpp-worker-" + number);
            thread.setDaemon(true);
            thread.start();
        }

        void begin(Runnable given) {
            work = given;
            state.set(GIVEN);
            LockSupport.unpark(thread);
        }

        /** Takes the work back if it has not begun, else waits for its end. */
        void end() {
            if (state.compareAndSet(GIVEN, IDLE)) {
                return;
            }
            for (int i = 0; state.get() != IDLE; i++) {
                pause(i);
            }
            Throwable thrown = failure;
            failure = null;
            if (thrown != null) {
                throw new IllegalStateException("a worker thread failed: " + thrown, thrown);
            }
        }

        private void serve() {
            for (int idle = 0; ; idle++) {
                if (state.get() == GIVEN && state.compareAndSet(GIVEN, RUNNING)) {
                    try {
                        work.run();
                    } catch (RuntimeException | Error e) {
                        failure = e;
                    }
                    state.set(IDLE);
                    idle = 0;
                } else if (idle < SPINS) {
                    Thread.onSpinWait();
                } else {
                    LockSupport.park();
                    idle = 0;
                }
            }
        }
    }
}
