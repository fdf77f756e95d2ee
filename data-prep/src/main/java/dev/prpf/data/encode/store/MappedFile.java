package dev.prpf.data.encode.store;

import dev.prpf.base.files.IoFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Maps a growing file into memory, one window at a time. Mapped bytes stay readable after the channel is closed. */
final class MappedFile {
    private static final long WINDOW = 1L << 30;
    /** Bytes that a slice may reach beyond its window. */
    private static final long OVERLAP = 1L << 26;

    private final FileChannel channel;
    private final List<MappedByteBuffer> windows = new ArrayList<>();

    MappedFile(FileChannel channel) {
        this.channel = channel;
    }

    /** Returns bytes of the file, big-endian; the file must have them. */
    synchronized ByteBuffer slice(long at, int length) throws IOException {
        int n = (int) (at / WINDOW);
        while (windows.size() <= n) {
            windows.add(map(windows.size()));
        }
        int from = (int) (at - n * WINDOW);
        if (windows.get(n).capacity() < from + length) { // the file has grown
            windows.set(n, map(n));
        }
        return windows.get(n).slice(from, length);
    }

    /** Maps bytes now and returns a supplier that reads them. */
    Supplier<ByteBuffer> lazily(long at, int length) throws IOException {
        slice(at, length);
        return () -> IoFailure.whileReading("a stored encoding cannot be read", () -> slice(at, length));
    }

    private MappedByteBuffer map(int n) throws IOException {
        long from = n * WINDOW;
        long length = Math.max(0, Math.min(channel.size() - from, WINDOW + OVERLAP));
        return channel.map(FileChannel.MapMode.READ_ONLY, from, length);
    }
}
