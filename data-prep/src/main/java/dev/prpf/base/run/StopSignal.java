package dev.prpf.base.run;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.RunInterruptedException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A flag that SIGTERM, SIGINT and SIGUSR1 set, so that a loop can save at its next step and leave with 75. A second signal ends the
 * process as if nothing had been installed.
 */
public final class StopSignal implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StopSignal.class);
    private static final List<String> NAMES = List.of("TERM", "INT", "USR1");

    private final AtomicBoolean requested = new AtomicBoolean();
    private final List<Object[]> replaced = new ArrayList<>();

    private StopSignal() {}

    /** Takes the signals until {@link #close()}. */
    public static StopSignal install() {
        StopSignal signal = new StopSignal();
        NAMES.forEach(signal::take);
        return signal;
    }

    /** Whether a signal came. */
    public boolean requested() {
        return requested.get();
    }

    /** Sets the flag as a signal would. */
    public void request() {
        requested.set(true);
    }

    /**
     * For work that saves nothing on its way; looked at between its steps.
     *
     * @throws PrpfException 75 once a signal came
     */
    public void requireNone() {
        if (requested()) {
            throw new RunInterruptedException(
                    "stopped by a signal before there was a result, and nothing is kept of it; run the same command"
                            + " again");
        }
    }

    /** What a loop throws after it saved. */
    public static PrpfException checkpointed(long step, Object runDirectory) {
        return new RunInterruptedException("stopped by a signal after step " + step + ", saved in " + runDirectory
                + "; to go on run the same command again with --run-dir " + runDirectory);
    }

    // sun.misc.Signal is the JDK's only way to a signal; by reflection, since the compiler warns of it beyond
    // silencing.
    private void take(String name) {
        try {
            Class<?> signalType = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object signal = signalType.getConstructor(String.class).newInstance(name);
            Object handler = Proxy.newProxyInstance(
                    StopSignal.class.getClassLoader(), new Class<?>[] {handlerType}, (proxy, method, arguments) -> {
                        if (method.getName().equals("handle")) {
                            came(name);
                            return null;
                        }
                        return method.getName().equals("hashCode")
                                ? System.identityHashCode(proxy)
                                : proxy == arguments[0];
                    });
            Object before =
                    signalType.getMethod("handle", signalType, handlerType).invoke(null, signal, handler);
            replaced.add(new Object[] {signal, before});
        } catch (InvocationTargetException e) {
            LOG.debug("signal {} cannot be taken: {}", name, e.getCause());
        } catch (ReflectiveOperationException e) {
            LOG.warn("signals cannot be taken on this JVM: {}", e.toString());
        }
    }

    private void came(String name) {
        if (requested.getAndSet(true)) {
            Runtime.getRuntime().halt(ExitCode.CHECKPOINTED.status());
        }
        LOG.warn("SIG{}: leaving with 75 at the next step, after saving (a second signal leaves at once)", name);
    }

    @Override
    public void close() {
        for (Object[] pair : replaced) {
            try {
                Class<?> signalType = Class.forName("sun.misc.Signal");
                Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
                signalType.getMethod("handle", signalType, handlerType).invoke(null, pair);
            } catch (ReflectiveOperationException e) {
                LOG.warn("a signal's handler cannot be put back: {}", e.toString());
            }
        }
        replaced.clear();
    }
}
