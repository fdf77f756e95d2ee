package dev.prpf.base.run;

import dev.prpf.base.error.Printable;
import java.time.Duration;
import java.util.Locale;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** Progress on standard error: a bar on a terminal, a line now and then elsewhere. Counts from several threads. */
public final class Progress implements AutoCloseable {
    private static final Duration BETWEEN_LINES = Duration.ofSeconds(15);

    private final String task;
    private final long total;
    private final long start = System.nanoTime();
    private final boolean shown;
    private final @Nullable ProgressBar bar;
    private long done;
    private long lastLine = start;
    private String message = "";

    private Progress(String task, long total, boolean shown) {
        this.task = task;
        this.total = total;
        this.shown = shown;
        // The launcher knows whether standard error is a terminal; the JDK (17) does not say.
        this.bar = shown && Boolean.getBoolean("prpf.terminal")
                ? new ProgressBarBuilder()
                        .setTaskName(task)
                        .setInitialMax(total)
                        .setStyle(ProgressBarStyle.ASCII)
                        .setUpdateIntervalMillis(250)
                        .build()
                : null;
    }

    /** @param total how many steps there are to do, or -1 when that is not known */
    public static Progress start(String task, long total) {
        return new Progress(task, total, true);
    }

    /** Shows nothing: for work that is a small part of something else, as an answer of a server. */
    public static Progress hidden() {
        return new Progress("", -1, false);
    }

    public void step() {
        stepBy(1);
    }

    public synchronized void stepBy(long steps) {
        done += steps;
        if (bar != null) {
            bar.stepBy(steps);
        } else if (shown && System.nanoTime() - lastLine > BETWEEN_LINES.toNanos()) {
            line();
        }
    }

    /** A short text beside the count, such as the last loss. */
    public synchronized void note(String text) {
        message = Printable.text(text);
        if (bar != null) {
            bar.setExtraMessage(" " + message);
        }
    }

    private void line() {
        lastLine = System.nanoTime();
        double seconds = (lastLine - start) / 1e9;
        String of = total < 0 ? "" : "/" + total;
        System.err.printf(Locale.ROOT, "%s: %d%s in %.0f s %s%n", task, done, of, seconds, message);
    }

    @Override
    public synchronized void close() {
        if (bar != null) {
            bar.close();
        } else if (shown) {
            line();
        }
    }
}
