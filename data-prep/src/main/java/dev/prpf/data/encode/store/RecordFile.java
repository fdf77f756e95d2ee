package dev.prpf.data.encode.store;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.data.encode.store.EmbeddingStore.Payloads;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.zip.CRC32;
import org.apache.commons.lang3.function.FailableRunnable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An append-only file of payloads by {@link ContentKey}. It belongs to one encoder; its header has the encoder's id.
 *
 * <p>Layout, big-endian: magic (8), id length (4), id (UTF-8); then records of key (32), payload length (4), payload, CRC-32 of
 * the three (4). Damaged records are ignored, and bytes after the last valid record, which a kill truncated, are removed; both
 * are logged. Processes may share a file: each append and opening holds the file's lock, so an unfinished record means that its
 * writer died.
 */
final class RecordFile implements Payloads {
    private static final Logger LOG = LoggerFactory.getLogger(RecordFile.class);
    private static final byte[] MAGIC = "PRPFSTO1".getBytes(StandardCharsets.US_ASCII);
    /** Bytes of a record before its payload: key and length. */
    private static final int PREFIX = ContentKey.BYTES + Integer.BYTES;

    private static final int OVERHEAD = PREFIX + Integer.BYTES;
    private static final int MAX_PAYLOAD = 1 << 24;
    private static final int MAX_ID = 1 << 12;
    /** Bytes searched for the next valid record after one with a damaged length. */
    private static final int SEARCHED = 1 << 18;
    /** Monitors by file: file locks exclude other processes, monitors exclude threads and stores of this process. */
    private static final Map<Path, Object> MONITORS = new ConcurrentHashMap<>();

    private final Path file;
    private final Object monitor;
    private final byte[] header;
    private final FileChannel channel;
    private final MappedFile mapped;
    private final Map<ContentKey, Extent> index = new HashMap<>();
    private long end;

    private record Extent(long at, int length) {}

    private RecordFile(Path file, String id) throws IOException {
        this.file = file;
        this.channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        this.monitor = MONITORS.computeIfAbsent(file.toRealPath(), path -> new Object());
        byte[] idBytes = id.getBytes(StandardCharsets.UTF_8);
        this.header = ByteBuffer.allocate(MAGIC.length + Integer.BYTES + idBytes.length)
                .put(MAGIC)
                .putInt(idBytes.length)
                .put(idBytes)
                .array();
        this.mapped = new MappedFile(channel);
        locked(() -> {
            openHeader();
            catchUp();
        });
    }

    /**
     * Opens or creates a store.
     *
     * @throws PrpfException 65 if the file is not a store, or another encoder's; 69 if it cannot be opened
     */
    static RecordFile open(Path file, String id) {
        try {
            Files.createDirectories(file.toAbsolutePath().resolveSibling("."));
            return new RecordFile(file, id);
        } catch (IOException e) {
            throw failure(file, "cannot be opened", e);
        }
    }

    private void locked(FailableRunnable<IOException> action) throws IOException {
        synchronized (monitor) {
            try (FileLock lock = channel.lock()) {
                assert lock.isValid();
                action.run();
            }
        }
    }

    private static PrpfException failure(Path file, String what, IOException cause) {
        return new UnavailableException(
                "store " + file + " " + what + ": " + IoFailure.reason(cause)
                        + "; check the folder, its permissions and the free disk space",
                cause);
    }

    private void openHeader() throws IOException {
        byte[] seen = Channels.newInputStream(channel.position(0)).readNBytes(header.length);
        if (seen.length < header.length && Arrays.equals(seen, Arrays.copyOf(header, seen.length))) {
            Channels.newOutputStream(channel.truncate(0)).write(header);
        } else if (!Arrays.equals(seen, header)) {
            channel.close();
            throw new InvalidDataException("store " + file + " " + writer() + ", must be encoder \""
                    + new String(header, MAGIC.length + 4, header.length - MAGIC.length - 4, StandardCharsets.UTF_8)
                    + "\"; remove it or name another folder");
        }
        end = header.length;
    }

    /** Describes the writer of a file with another header; reads the file again, since the channel is closed. */
    private String writer() throws IOException {
        try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
            if (!Arrays.equals(in.readNBytes(MAGIC.length), MAGIC)) {
                return "is not a store";
            }
            byte[] id = in.readNBytes(Math.min(MAX_ID, Math.max(0, in.readInt())));
            return "was written by encoder \"" + new String(id, StandardCharsets.UTF_8) + "\"";
        } catch (EOFException e) {
            return "is not a store";
        }
    }

    /** Indexes the records after {@link #end}, which another process may have written, and removes an incomplete one. */
    private void catchUp() throws IOException {
        long size = channel.size();
        if (size < end) {
            throw new InvalidDataException("store " + file + " has " + size + " bytes but had " + end
                    + " a moment ago: another program shortened it; run again");
        }
        long damaged = scan(size);
        if (damaged > 0) {
            LOG.warn(
                    "store {}: {} bytes of damaged records are ignored; their content is encoded again when it is needed",
                    file,
                    damaged);
        }
        if (size > end) {
            LOG.warn("store {}: removed {} bytes of unfinished or damaged records at its end", file, size - end);
            channel.truncate(end);
        }
    }

    /** Indexes the valid records from {@link #end} and moves it after the last one; returns the damaged bytes between them. */
    private long scan(long size) throws IOException {
        long damaged = 0;
        for (long at = next(end, size); at >= 0; at = next(end, size)) {
            int length = length(at, size);
            damaged += at - end;
            index.put(ContentKey.read(mapped.slice(at, ContentKey.BYTES)), new Extent(at + PREFIX, length));
            end = at + OVERHEAD + length;
        }
        return damaged;
    }

    /** Returns the next valid record: here, after a damaged record of valid length, or at the next match; or -1. */
    private long next(long from, long size) throws IOException {
        if (isValid(from, size)) {
            return from;
        }
        int length = length(from, size);
        if (length >= 0 && isValid(from + OVERHEAD + length, size)) {
            return from + OVERHEAD + length;
        }
        for (long at = from + 1; at < Math.min(size, from + SEARCHED); at++) {
            if (isValid(at, size)) {
                return at;
            }
        }
        return -1;
    }

    /** Returns the payload length in a record, or -1 if it is invalid. */
    private int length(long at, long size) throws IOException {
        if (size - at < OVERHEAD) {
            return -1;
        }
        int length = mapped.slice(at + ContentKey.BYTES, Integer.BYTES).getInt();
        return length <= MAX_PAYLOAD ? length : -1;
    }

    private boolean isValid(long at, long size) throws IOException {
        int length = length(at, size);
        if (length < 0 || size - at < OVERHEAD + length) {
            return false;
        }
        CRC32 crc = new CRC32();
        crc.update(mapped.slice(at, PREFIX + length));
        return (int) crc.getValue()
                == mapped.slice(at + PREFIX + length, Integer.BYTES).getInt();
    }

    @Override
    public int size() {
        synchronized (monitor) {
            return index.size();
        }
    }

    @Override
    public boolean contains(ContentKey key) {
        synchronized (monitor) {
            return index.containsKey(key);
        }
    }

    /** Returns the payload in the mapped file, readable after {@link #close}; null if missing. */
    @Override
    public @Nullable Supplier<ByteBuffer> get(ContentKey key) {
        Extent extent;
        synchronized (monitor) {
            extent = index.get(key);
        }
        try {
            return extent == null ? null : mapped.lazily(extent.at(), extent.length());
        } catch (IOException e) {
            throw failure(file, "cannot be read", e);
        }
    }

    /** Appends the missing payloads in one write. */
    @Override
    public void put(Map<ContentKey, byte[]> payloads) {
        try {
            locked(() -> {
                catchUp();
                append(payloads);
            });
        } catch (IOException e) {
            throw failure(file, "cannot be written", e);
        }
    }

    private void append(Map<ContentKey, byte[]> payloads) throws IOException {
        Map<ContentKey, byte[]> missing = new HashMap<>(payloads);
        missing.keySet().removeAll(index.keySet());
        int bytes = missing.values().stream().mapToInt(p -> OVERHEAD + p.length).sum();
        ByteBuffer records = ByteBuffer.allocate(bytes);
        Map<ContentKey, Extent> extents = new HashMap<>();
        missing.forEach((key, payload) -> {
            int from = records.position();
            key.write(records);
            extents.put(key, new Extent(end + from + PREFIX, payload.length));
            records.putInt(payload.length).put(payload);
            CRC32 crc = new CRC32();
            crc.update(records.array(), from, records.position() - from);
            records.putInt((int) crc.getValue());
        });
        Channels.newOutputStream(channel.position(end)).write(records.array());
        end += bytes;
        index.putAll(extents);
    }

    @Override
    public void close() {
        try {
            if (channel.isOpen()) {
                channel.force(true);
                channel.close();
            }
        } catch (IOException e) {
            throw failure(file, "cannot be closed", e);
        }
    }

    /** Maps a growing file into memory, one window at a time. Mapped bytes stay readable after the channel is closed. */
    static final class MappedFile {
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
}
