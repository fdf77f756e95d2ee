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

/** Progress on standard error: a bar on a terminal, a line now and then elsewhere. Counts from several threads. */
public final class Progress implements AutoCloseable {
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT);
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

    /** @param total how many steps there are to do, or -1 when that is not known */
    public static Progress start(String task, long total) {
        return resume(task, total, 0);
    }

    /** @param before how many of the steps an earlier process did, which say nothing of this one's pace */
    public static Progress resume(String task, long total, long before) {
        return new Progress(task, total, before, true);
    }

    /** Shows nothing: for work that is a small part of something else, as an answer of a server. */
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

    /** ", about 90 s left, until 14:05:00" at the pace so far; empty where there is no pace or no end. */
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
        } else if (shown) {
            line();
        }
    }
}
