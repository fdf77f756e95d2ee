package dev.prpf.data.encode.store;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.IoFailure;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An append-only file of payloads found by {@link ContentKey}; the file belongs to one encoder, whose id stands in its header.
 *
 * <p>Layout, big-endian: magic (8), id length (4), id (UTF-8); then records of key (32), payload length (4), payload, CRC-32 of the
 * three (4). A spoilt record is passed over, as if it had never been put; what lies behind the last sound one, cut off by a kill, is
 * dropped; the log says either. Several processes may share a file: each append and each opening holds the file's lock, so an
 * unfinished record is seen only after its writer died.
 */
final class ContentStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ContentStore.class);
    private static final byte[] MAGIC = "PRPFSTO1".getBytes(StandardCharsets.US_ASCII);
    private static final int OVERHEAD = ContentKey.BYTES + Integer.BYTES + Integer.BYTES;
    private static final int MAX_PAYLOAD = 1 << 24;
    private static final int MAX_ID = 1 << 12;
    /** How far behind a record whose length is spoilt too the next sound one is looked for. */
    private static final int SEARCHED = 1 << 18;
    /** File locks exclude processes; within this one, threads and other stores on the same file take this monitor. */
    private static final Map<Path, Object> MONITORS = new ConcurrentHashMap<>();

    private final Path file;
    private final Object monitor;
    private final byte[] header;
    private final FileChannel channel;
    private final Map<ContentKey, Extent> index = new HashMap<>();
    private long end;

    private record Extent(long at, int length) {}

    private ContentStore(Path file, String id) throws IOException {
        this.file = file;
        this.monitor = MONITORS.computeIfAbsent(file.toRealPath(), path -> new Object());
        byte[] idBytes = id.getBytes(StandardCharsets.UTF_8);
        this.header = ByteBuffer.allocate(MAGIC.length + Integer.BYTES + idBytes.length)
                .put(MAGIC)
                .putInt(idBytes.length)
                .put(idBytes)
                .array();
        this.channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        locked(() -> {
            openHeader();
            catchUp();
        });
    }

    /**
     * Opens or makes a store.
     *
     * @throws PrpfException 65 if the file is not a store, or another encoder's; 69 if it cannot be opened
     */
    static ContentStore open(Path file, String id) {
        try {
            Path parent = file.toAbsolutePath().getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            if (!Files.exists(file)) {
                Files.write(file, new byte[0], StandardOpenOption.CREATE);
            }
            return new ContentStore(file, id);
        } catch (IOException e) {
            throw failure(file, "cannot be opened", e);
        }
    }

    private interface Action {
        void run() throws IOException;
    }

    private void locked(Action action) throws IOException {
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
                        + "; check the folder, its rights and the disk's space",
                cause);
    }

    private void openHeader() throws IOException {
        ByteBuffer seen = ByteBuffer.allocate((int) Math.min(channel.size(), header.length));
        readFully(seen, 0);
        if (seen.capacity() < header.length && Arrays.equals(seen.array(), Arrays.copyOf(header, seen.capacity()))) {
            channel.truncate(0);
            writeFully(ByteBuffer.wrap(header), 0);
        } else if (!Arrays.equals(seen.array(), header)) {
            channel.close();
            throw new InvalidDataException("store " + file + " " + writer() + ", must be encoder \""
                    + new String(header, MAGIC.length + 4, header.length - MAGIC.length - 4, StandardCharsets.UTF_8)
                    + "\"; remove it or name another folder");
        }
        end = header.length;
    }

    /** Who wrote a file whose header is not ours; the channel is closed, the file is read anew. */
    private String writer() throws IOException {
        try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
            if (!Arrays.equals(in.readNBytes(MAGIC.length), MAGIC)) {
                return "is no store at all";
            }
            byte[] id = in.readNBytes(Math.min(MAX_ID, Math.max(0, in.readInt())));
            return "was written by encoder \"" + new String(id, StandardCharsets.UTF_8) + "\"";
        } catch (EOFException e) {
            return "is no store at all";
        }
    }

    /** Indexes the records behind {@link #end}, which another process may have written, and drops a torn tail. */
    private void catchUp() throws IOException {
        long size = channel.size();
        if (size < end) {
            throw new InvalidDataException("store " + file + " has " + size + " bytes but had " + end
                    + " a moment ago: something else shortened it; run again");
        }
        if (size > end) {
            RecordScan scan = new RecordScan(channel, end, size);
            end = scan.run(index);
            if (scan.spoilt() > 0) {
                LOG.warn(
                        "store {}: passed over {} bytes of spoilt records; their content is encoded again when it is"
                                + " next asked for",
                        file,
                        scan.spoilt());
            }
        }
        if (size > end) {
            LOG.warn("store {}: dropped {} bytes of unfinished or spoilt records at its end", file, size - end);
            channel.truncate(end);
        }
    }

    /** Reads records one after the other through a buffer. */
    private static final class RecordScan {
        private final FileChannel channel;
        private final long size;
        private ByteBuffer buffer = ByteBuffer.allocate(1 << 20).limit(0);
        private long position;
        private long spoilt;

        RecordScan(FileChannel channel, long from, long size) {
            this.channel = channel;
            this.position = from;
            this.size = size;
        }

        /** Adds every sound record to the index and returns where the last one ends. */
        long run(Map<ContentKey, Extent> index) throws IOException {
            long end = position;
            while (isRecord() || findNext()) {
                spoilt += position - end;
                int length = length();
                ContentKey key = ContentKey.read(buffer.duplicate());
                index.put(key, new Extent(position + ContentKey.BYTES + Integer.BYTES, length));
                end = position + OVERHEAD + length;
                seek(end);
            }
            return end;
        }

        /** Bytes between sound records. */
        long spoilt() {
            return spoilt;
        }

        /** Goes to the next sound record behind one that is not: where its length says, or, as that may be spoilt too, wherever one is. */
        private boolean findNext() throws IOException {
            long from = position;
            if (available(ContentKey.BYTES + Integer.BYTES) && length() >= 0) {
                seek(from + OVERHEAD + length());
                if (isRecord()) {
                    return true;
                }
            }
            for (long at = from + 1; at < Math.min(size, from + SEARCHED); at++) {
                seek(at);
                if (isRecord()) {
                    return true;
                }
            }
            return false;
        }

        private void seek(long to) {
            long ahead = to - position;
            if (ahead >= -buffer.position() && ahead <= buffer.remaining()) {
                buffer.position(buffer.position() + (int) ahead);
            } else {
                buffer.limit(0);
            }
            position = to;
        }

        private int length() {
            return buffer.getInt(buffer.position() + ContentKey.BYTES);
        }

        private boolean isRecord() throws IOException {
            if (!available(ContentKey.BYTES + Integer.BYTES)) {
                return false;
            }
            int length = length();
            return length >= 0 && length <= MAX_PAYLOAD && available(OVERHEAD + length) && sound(length);
        }

        private boolean sound(int length) {
            CRC32 crc = new CRC32();
            int body = OVERHEAD - Integer.BYTES + length;
            crc.update(buffer.array(), buffer.position(), body);
            return (int) crc.getValue() == buffer.getInt(buffer.position() + body);
        }

        private boolean available(int bytes) throws IOException {
            if (buffer.remaining() >= bytes) {
                return true;
            }
            if (size - position < bytes) {
                return false;
            }
            if (buffer.capacity() < bytes) {
                buffer = ByteBuffer.allocate(bytes);
            }
            buffer.clear().limit((int) Math.min(buffer.capacity(), size - position));
            long at = position;
            while (buffer.hasRemaining()) {
                int read = channel.read(buffer, at);
                if (read < 0) {
                    break;
                }
                at += read;
            }
            buffer.flip();
            return buffer.remaining() >= bytes;
        }
    }

    int size() {
        synchronized (monitor) {
            return index.size();
        }
    }

    boolean contains(ContentKey key) {
        synchronized (monitor) {
            return index.containsKey(key);
        }
    }

    /** The payload, or null when the store lacks it. */
    byte @Nullable [] get(ContentKey key) {
        Extent extent;
        synchronized (monitor) {
            extent = index.get(key);
        }
        if (extent == null) {
            return null;
        }
        ByteBuffer payload = ByteBuffer.allocate(extent.length());
        try {
            readFully(payload, extent.at());
        } catch (IOException e) {
            throw failure(file, "cannot be read", e);
        }
        return payload.array();
    }

    /** Appends what the store does not have yet, in one write. */
    void put(Map<ContentKey, byte[]> payloads) {
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
            extents.put(key, new Extent(end + records.position() + Integer.BYTES, payload.length));
            records.putInt(payload.length).put(payload);
            CRC32 crc = new CRC32();
            crc.update(records.array(), from, records.position() - from);
            records.putInt((int) crc.getValue());
        });
        writeFully(records.flip(), end);
        end += bytes;
        index.putAll(extents);
    }

    private void readFully(ByteBuffer into, long at) throws IOException {
        long position = at;
        while (into.hasRemaining()) {
            int read = channel.read(into, position);
            if (read < 0) {
                throw new IOException("the file ends at " + position);
            }
            position += read;
        }
    }

    private void writeFully(ByteBuffer from, long at) throws IOException {
        long position = at;
        while (from.hasRemaining()) {
            position += channel.write(from, position);
        }
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
}
