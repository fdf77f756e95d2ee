package dev.prpf.data.encode;

import dev.prpf.data.Frame;
import dev.prpf.data.Sample;
import dev.prpf.data.ScreenTrajectory;
import dev.prpf.data.run.ExitCode;
import dev.prpf.data.run.PrpfException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The screen reader behind its {@link ScreenTextStore}; the models are loaded when a picture was not read before. */
final class StoredScreenReader implements AutoCloseable {
    private final ScreenTextStore store;
    private final @Nullable Path images;
    private final int threads;
    private final Map<String, String> byPath = new ConcurrentHashMap<>();
    private @Nullable ScreenReader reader;
    private long read;

    private StoredScreenReader(ScreenTextStore store, @Nullable Path images, int threads) {
        this.store = store;
        this.images = images;
        this.threads = threads;
    }

    static StoredScreenReader open(EncoderSettings settings) {
        ScreenTextStore store = ScreenTextStore.open(settings.store(), ScreenReader.ID);
        return new StoredScreenReader(store, settings.images(), settings.threads());
    }

    synchronized long read() {
        return read;
    }

    synchronized boolean loaded() {
        return reader != null;
    }

    /** Reads and stores what was not read yet; an error names the sample. */
    void readAll(List<Sample> samples) {
        for (Sample sample : samples) {
            if (sample.trajectory() instanceof ScreenTrajectory shown) {
                for (Frame frame : shown.frames()) {
                    if (frame instanceof Frame.Screenshot screenshot) {
                        read(sample, screenshot);
                    }
                }
            }
        }
    }

    private void read(Sample sample, Frame.Screenshot screenshot) {
        try {
            text(screenshot);
        } catch (PrpfException e) {
            throw new PrpfException(e.exitCode(), "sample " + sample.id() + ": " + e.getMessage(), e);
        }
    }

    /** The text on a picture. A picture is hashed once a process and read once ever. */
    String text(Frame.Screenshot frame) {
        return byPath.computeIfAbsent(frame.picture(), path -> text(resolve(path)));
    }

    /** The text on a picture wherever it lies. */
    synchronized String text(Path picture) {
        ContentKey key = ContentKey.ofFile(picture);
        String known = store.get(key);
        if (known != null) {
            return known;
        }
        if (reader == null) {
            reader = ScreenReader.load(threads);
        }
        String text = reader.text(picture);
        store.put(key, text);
        read++;
        return text;
    }

    private Path resolve(String picture) {
        if (images == null) {
            throw new PrpfException(
                    ExitCode.USAGE, "picture " + picture + " has no folder to be found in; give --images DIR");
        }
        Path root = images.toAbsolutePath().normalize();
        Path path;
        try {
            path = root.resolve(picture).normalize();
        } catch (InvalidPathException e) {
            throw PrpfException.badData("picture \"" + picture + "\" is no path: " + e.getReason());
        }
        if (!path.startsWith(root)) {
            throw PrpfException.badData("picture " + picture + " lies outside the image root " + images
                    + "; give paths relative to the root");
        }
        return path;
    }

    @Override
    public synchronized void close() {
        store.close();
        if (reader != null) {
            reader.close();
        }
    }
}
