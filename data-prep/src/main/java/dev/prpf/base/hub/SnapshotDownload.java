package dev.prpf.base.hub;

import dev.prpf.base.error.PrpfException.RunInterruptedException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.LockFile;
import dev.prpf.base.hub.HubDownload.HubPlan;
import dev.prpf.base.hub.HubDownload.HubTarget;
import dev.prpf.base.run.Progress;
import dev.prpf.base.run.StopSignal;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Downloads the missing files of a plan in parallel. The first failure ends all downloads; partial files are kept. */
final class SnapshotDownload {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotDownload.class);
    /** Number of parallel downloads, the default of huggingface_hub. */
    private static final int WORKERS = 8;

    private static final long KILOBYTE = 1_000;
    private static final long MEGABYTE = 1_000_000;
    private static final long SMALL = 10 * MEGABYTE;
    private static final long LOOK_MS = 200;
    private static final long LONGEST_END_MS = 2_000;

    private final HubPlan plan;
    private final HubTarget target;
    private final HubClient client;
    private final StopSignal stop;
    private final AtomicLong received = new AtomicLong();
    private volatile boolean ended;
    private volatile long unit = MEGABYTE;

    SnapshotDownload(HubPlan plan, HubTarget target, HubClient client, StopSignal stop) {
        this.plan = plan;
        this.target = target;
        this.client = client;
        this.stop = stop;
    }

    void run(List<HubFile> missing) {
        if (missing.isEmpty()) {
            return;
        }
        requireSpace(missing);
        long bytes = missing.stream().mapToLong(HubFile::size).sum();
        ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
        unit = bytes < SMALL ? KILOBYTE : MEGABYTE;
        String task = "data hub get (" + (unit == KILOBYTE ? "kB" : "MB") + ")";
        try (Progress progress = Progress.start(task, units(bytes))) {
            CompletionService<Void> done = new ExecutorCompletionService<>(workers);
            Collection<List<HubFile>> contents = byContent(missing);
            contents.forEach(same -> done.submit(() -> fetch(same, progress), null));
            for (int n = 0; n < contents.size(); n++) {
                awaitOne(done);
            }
        } finally {
            ended = true;
            end(workers);
        }
    }

    /** Stops the workers and waits, so that nothing is written later; a slow server may delay a worker. */
    private static void end(ExecutorService workers) {
        workers.shutdownNow();
        try {
            workers.awaitTermination(LONGEST_END_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Groups files by content, so that each content is downloaded once. */
    private Collection<List<HubFile>> byContent(List<HubFile> missing) {
        return missing.stream()
                .collect(Collectors.groupingBy(
                        file -> target.partial(file) + " " + file.size(), LinkedHashMap::new, Collectors.toList()))
                .values();
    }

    /** Waits for one download. Workers may be waiting for a Retry-After, so this thread checks for a signal. */
    private void awaitOne(CompletionService<Void> done) {
        try {
            Future<Void> first = null;
            while (first == null) {
                check();
                first = done.poll(LOOK_MS, TimeUnit.MILLISECONDS);
            }
            first.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new IllegalStateException("a download failed", e.getCause());
        } catch (InterruptedException e) {
            throw HubErrors.interrupted(e);
        }
    }

    @SuppressWarnings("try") // the lock is held, not used
    private void fetch(List<HubFile> same, Progress progress) {
        HubFile file = same.get(0);
        try (LockFile lock = lock(target.lock(file))) {
            fetchLocked(same, progress);
        } catch (IOException e) {
            throw IoFailure.writing(plan.root().resolve(file.path()), e);
        } catch (InterruptedException e) {
            throw HubErrors.interrupted(e);
        }
    }

    /** Acquires the lock of a content across processes. The lock file is not deleted, like {@code huggingface_hub}'s. */
    private LockFile lock(Path file) throws InterruptedException {
        LockFile lock = LockFile.tryTake(file);
        if (lock == null) {
            LOG.info("waiting for another download to release {}", file);
        }
        while (lock == null) {
            check();
            Thread.sleep(LOOK_MS);
            lock = LockFile.tryTake(file);
        }
        return lock;
    }

    private void fetchLocked(List<HubFile> same, Progress progress) throws IOException, InterruptedException {
        HubFile file = same.get(0);
        if (!target.has(plan.commit(), file)) {
            Path partial = target.partial(file);
            URI address = client.content(plan.commit(), file);
            BlobDownload.Source source = new BlobDownload.Source(client, n -> count(n, progress), this::check);
            new BlobDownload(file, address, partial, source).run();
            target.place(plan.commit(), same, partial);
            return;
        }
        for (HubFile one : same) {
            target.keep(plan.commit(), one); // another process fetched it while we waited
        }
    }

    private void count(long bytes, Progress progress) {
        long after = received.addAndGet(bytes);
        progress.stepBy(units(after) - units(after - bytes));
    }

    /** Rounds up, so that a complete download shows as complete. */
    private long units(long bytes) {
        return (bytes + unit - 1) / unit;
    }

    private void check() {
        if (stop.requested()) {
            throw new RunInterruptedException("stopped by a signal; the downloaded part of "
                    + plan.request().what() + " is kept: run the same command again to resume");
        }
        if (ended) {
            throw new CancellationException("another file of the same plan failed");
        }
    }

    private void requireSpace(List<HubFile> missing) {
        long needed = missing.stream()
                .mapToLong(file -> file.size() - target.partial(file).toFile().length())
                .sum();
        Path place = target.root(plan.commit());
        while (!Files.exists(place)) {
            place = Objects.requireNonNull(place.getParent(), "no root");
        }
        long free = place.toFile().getUsableSpace();
        if (needed > free) {
            throw new UnavailableException(
                    "cannot write " + plan.root() + ": " + needed + " bytes are needed, " + free
                            + " are free; make room, select fewer files with --include, or another folder with HF_HOME or --out");
        }
    }
}
