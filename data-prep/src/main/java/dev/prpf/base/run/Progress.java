package dev.prpf.base.run;

import dev.prpf.base.error.Printable;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** Shows progress on standard error: a bar on a terminal, else a line every 15 seconds and at the end. Thread-safe. */
public final class Progress implements AutoCloseable {
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT);
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration BETWEEN_LINES = Duration.ofSeconds(15);

    private final String task;
    private final long total;
    private final long before;
    private final long start = System.nanoTime();
    private final boolean shown;
    private final @Nullable ProgressBar bar;
    private long done;
    private long lastLine = start;
    private String message = "";

    private Progress(String task, long total, long before, boolean shown) {
        this.task = task;
        this.total = total;
        this.before = before;
        this.done = before;
        this.shown = shown;
        // The launcher knows whether standard error is a terminal; the JDK (17) does not say.
        this.bar = shown && Boolean.getBoolean("prpf.terminal")
                ? new ProgressBarBuilder()
                        .setTaskName(task)
                        .setInitialMax(total)
                        .startsFrom(before, Duration.ZERO)
                        .setStyle(ProgressBarStyle.ASCII)
                        .setUpdateIntervalMillis(250)
                        .build()
                : null;
    }

    /** @param total number of steps, or -1 if unknown */
    public static Progress start(String task, long total) {
        return resume(task, total, 0);
    }

    /** @param before number of steps that an earlier process did; they do not count for the pace */
    public static Progress resume(String task, long total, long before) {
        return new Progress(task, total, before, true);
    }

    /** Returns a progress that shows nothing, for a small part of other work such as a server's response. */
    public static Progress hidden() {
        return new Progress("", -1, 0, false);
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

    /** Shows a short text next to the count, for example the last loss. */
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
        System.err.printf(
                Locale.ROOT,
                "%s: %d%s in %.0f s%s %s%n",
                task,
                done,
                of,
                seconds,
                left(seconds, LocalDateTime.now(ZoneId.systemDefault())),
                message);
    }

    /** Returns ", about 90 s left, until 14:05:00" at the current pace; empty if pace or total are unknown. */
    synchronized String left(double seconds, LocalDateTime now) {
        if (total < 0 || done <= before || done >= total) {
            return "";
        }
        long left = Math.round(seconds * (total - done) / (done - before));
        LocalDateTime end = now.plusSeconds(left);
        boolean today = end.toLocalDate().equals(now.toLocalDate());
        return ", about " + left + " s left, until " + end.format(today ? CLOCK : DAY);
    }

    @Override
    public synchronized void close() {
        if (bar != null) {
            bar.close();
        } else if (shown && !trivial()) {
            line();
        }
    }

    /** Returns whether nothing but a short, complete task could be reported. */
    private boolean trivial() {
        boolean whole = before == 0 && done == total && message.isEmpty();
        return whole && System.nanoTime() - start < SHORT.toNanos();
    }
}
