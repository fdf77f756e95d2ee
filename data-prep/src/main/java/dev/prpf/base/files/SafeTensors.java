package dev.prpf.base.files;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.apache.commons.lang3.function.FailableConsumer;

/**
 * Reads and writes safetensors files: 8 bytes little-endian header length, a JSON header, raw little-endian data. Tensors may
 * have any size: their bytes are mapped, read and written in slices, because a buffer ends at 2 GiB.
 */
public final class SafeTensors implements AutoCloseable {
    private static final ObjectMapper JSON = JsonFile.JSON;
    private static final int SHOWN = 5;
    /** The largest number of values in a Java array. */
    private static final int MAX_FLOATS = Integer.MAX_VALUE - 8;

    /** Bytes of one value of each type. */
    private static final Map<String, Integer> BYTES = Map.ofEntries(
            Map.entry("F64", 8),
            Map.entry("F32", 4),
            Map.entry("F16", 2),
            Map.entry("BF16", 2),
            Map.entry("F8_E4M3", 1),
            Map.entry("F8_E5M2", 1),
            Map.entry("I64", 8),
            Map.entry("I32", 4),
            Map.entry("I16", 2),
            Map.entry("I8", 1),
            Map.entry("U64", 8),
            Map.entry("U32", 4),
            Map.entry("U16", 2),
            Map.entry("U8", 1),
            Map.entry("BOOL", 1));

    private static final long MAX_HEADER = 100_000_000;
    private static final String METADATA = "__metadata__";

    private final Path file;
    private final FileChannel channel;
    private final long base;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final Map<String, String> metadata = new LinkedHashMap<>();

    /**
     * The location of a tensor.
     *
     * @param dtype {@code F32}, {@code BF16}, {@code F16}, {@code I64}, …
     * @param begin first byte, from the end of the header
     * @param end one past its last byte
     */
    public record Entry(String dtype, long[] shape, long begin, long end) {
        /** The number of the tensor's bytes. */
        public long bytes() {
            return end - begin;
        }
    }

    /** Writes a tensor's bytes, little-endian and row-major, in parts of any size. */
    @FunctionalInterface
    public interface Content {
        /** Writes all bytes to a channel that takes whole buffers; returns their number. */
        long writeTo(WritableByteChannel out) throws IOException;
    }

    /**
     * A tensor to write.
     *
     * @param dtype as in {@link Entry}
     * @param content its bytes, as many as type and shape require
     */
    public record Tensor(String dtype, long[] shape, Content content) {
        /** Creates a tensor with bytes in a buffer. */
        public Tensor(String dtype, long[] shape, ByteBuffer data) {
            this(dtype, shape, out -> out.write(data.duplicate()));
        }

        private long bytes() {
            return LongStream.of(shape).reduce(Objects.requireNonNull(BYTES.get(dtype), dtype), Math::multiplyExact);
        }

        /** Creates a float32 tensor of concatenated parts; the parts must stay unchanged until they are written. */
        public static Tensor ofFloats(long[] shape, float[]... parts) {
            return new Tensor("F32", shape, out -> {
                long bytes = 0;
                for (float[] part : parts) {
                    bytes += write(part, out);
                }
                return bytes;
            });
        }

        private static long write(float[] values, WritableByteChannel out) throws IOException {
            int most = (int) Math.min(values.length, sliceBytes() / Float.BYTES);
            ByteBuffer slice = ByteBuffer.allocate(most * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            long bytes = 0;
            for (int at = 0; at < values.length; at += most) {
                int count = Math.min(most, values.length - at);
                slice.asFloatBuffer().put(values, at, count);
                bytes += out.write(slice.slice(0, count * Float.BYTES));
            }
            return bytes;
        }
    }

    /**
     * Returns the maximum bytes mapped, read or written at once, a multiple of 8. The property {@code prpf.slice-bytes} lowers it
     * for tests.
     */
    public static long sliceBytes() {
        return Math.max(Long.BYTES, Long.getLong("prpf.slice-bytes", 1L << 28) / Long.BYTES * Long.BYTES);
    }

    private SafeTensors(Path file, FileChannel channel) throws IOException {
        this.file = file;
        this.channel = channel;
        long headerLength = header(8, 0).getLong(0);
        if (headerLength < 2 || headerLength > MAX_HEADER || 8 + headerLength > channel.size()) {
            throw new InvalidDataException(file + ": header length = " + headerLength + ", file length = "
                    + channel.size() + "; this is not a safetensors file, or it is truncated");
        }
        base = 8 + headerLength;
        readHeader(JSON.readTree(header((int) headerLength, 8).array()));
    }

    /**
     * Opens a file for reading.
     *
     * @throws PrpfException 65, naming the file, if it is missing, truncated or not a safetensors file
     */
    public static SafeTensors open(Path file) {
        try {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
            try {
                return new SafeTensors(file, channel);
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
        } catch (PrpfException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw new InvalidDataException(file + ": cannot be read as safetensors: " + e, e);
        }
    }

    private void readHeader(JsonNode header) throws IOException {
        if (!header.isObject()) {
            throw new InvalidDataException(file + ": its header is not a JSON object; this is not a safetensors file");
        }
        for (Map.Entry<String, JsonNode> field : header.properties()) {
            if (field.getKey().equals(METADATA)) {
                field.getValue()
                        .properties()
                        .forEach(e -> metadata.put(e.getKey(), e.getValue().asText()));
            } else {
                entries.put(field.getKey(), readEntry(field.getKey(), field.getValue()));
            }
        }
        refuseGaps();
    }

    private Entry readEntry(String name, JsonNode tensor) {
        long[] shape = wholeNumbers(name, tensor, "shape");
        long[] offsets = wholeNumbers(name, tensor, "data_offsets");
        boolean inOrder = offsets.length == 2 && offsets[0] <= offsets[1];
        require(inOrder, name, tensor, "data_offsets", "must be two numbers, begin <= end");
        String dtype = tensor.path("dtype").asText();
        Integer bytes = BYTES.get(dtype);
        require(bytes != null, name, tensor, "dtype", "must be one of " + new TreeSet<>(BYTES.keySet()));
        BigInteger size = LongStream.of(shape)
                .mapToObj(BigInteger::valueOf)
                .reduce(BigInteger.valueOf(Objects.requireNonNull(bytes)), BigInteger::multiply);
        long taken = offsets[1] - offsets[0];
        require(
                size.equals(BigInteger.valueOf(taken)),
                name,
                tensor,
                "data_offsets",
                "shape " + Arrays.toString(shape) + " of " + dtype + " takes " + size + " bytes, not " + taken);
        return new Entry(dtype, shape, offsets[0], offsets[1]);
    }

    /** Checks the format's rule that tensors fill the file without gaps and overlaps. */
    private void refuseGaps() throws IOException {
        List<Map.Entry<String, Entry>> inOrder = new ArrayList<>(entries.entrySet());
        inOrder.sort(Map.Entry.comparingByValue(
                Comparator.comparingLong(Entry::begin).thenComparingLong(Entry::end)));
        long end = 0;
        for (Map.Entry<String, Entry> next : inOrder) {
            if (next.getValue().begin() != end) {
                throw new InvalidDataException(file + ": tensor " + next.getKey() + " begins at byte "
                        + next.getValue().begin() + ", but the one before ends at " + end
                        + "; tensors must lie one after the other");
            }
            end = next.getValue().end();
        }
        if (base + end != channel.size()) {
            throw new InvalidDataException(file + ": its tensors end at byte " + (base + end) + " and the file at "
                    + channel.size() + "; it is cut off or has a foreign tail");
        }
    }

    private long[] wholeNumbers(String name, JsonNode tensor, String key) {
        boolean whole = tensor.path(key).isArray();
        for (JsonNode value : tensor.path(key)) {
            whole &= value.isIntegralNumber() && value.canConvertToLong() && value.asLong() >= 0;
        }
        require(whole, name, tensor, key, "must be a list of whole numbers from 0 on");
        return JSON.convertValue(tensor.path(key), long[].class);
    }

    private void require(boolean holds, String name, JsonNode tensor, String key, String rule) {
        if (!holds) {
            String seen = tensor.has(key) ? tensor.path(key).toString() : "(missing)";
            throw new InvalidDataException(file + ": tensor " + name + ": " + key + " = " + seen + ": " + rule);
        }
    }

    private ByteBuffer header(int length, long at) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        try {
            fill(buffer, at);
        } catch (EOFException e) {
            throw new InvalidDataException(file + ": the file ends inside its header", e);
        }
        return buffer;
    }

    /** Reads from an offset until the buffer is full. */
    private void fill(ByteBuffer buffer, long at) throws IOException {
        for (long place = at; buffer.hasRemaining(); ) {
            int read = channel.read(buffer, place);
            if (read < 0) {
                throw new EOFException("the file ends at " + place);
            }
            place += read;
        }
    }

    public Map<String, Entry> entries() {
        return Collections.unmodifiableMap(entries);
    }

    public Map<String, String> metadata() {
        return Collections.unmodifiableMap(metadata);
    }

    public Entry entry(String name) {
        Entry entry = entries.get(name);
        if (entry == null) {
            throw new InvalidDataException(file + ": has no tensor \"" + name + "\"; it has "
                    + entries.keySet().stream().limit(SHOWN).toList() + " (" + entries.size() + " in all)");
        }
        return entry;
    }

    /** Returns a read-only little-endian view of a tensor's bytes, which must be fewer than 2^31. */
    public ByteBuffer map(String name) {
        Entry entry = entry(name);
        return map(name, entry, 0, entry.bytes());
    }

    /** Passes read-only little-endian views of a tensor's bytes to a consumer, slice by slice. */
    public <E extends Exception> void slices(String name, FailableConsumer<ByteBuffer, E> consumer) throws E {
        Entry entry = entry(name);
        long most = sliceBytes();
        for (long from = 0; from < entry.bytes(); from += most) {
            consumer.accept(map(name, entry, from, Math.min(most, entry.bytes() - from)));
        }
    }

    /** Returns a tensor of this file for writing to another file. This file must stay open until then. */
    public Tensor tensor(String name) {
        Entry entry = entry(name);
        return new Tensor(entry.dtype(), entry.shape(), out -> {
            slices(name, out::write);
            return entry.bytes();
        });
    }

    private ByteBuffer map(String name, Entry entry, long from, long length) {
        return IoFailure.whileReading(
                        file + ": tensor " + name,
                        () -> channel.map(FileChannel.MapMode.READ_ONLY, base + entry.begin() + from, length))
                .order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Returns whether two tensors have equal types, shapes and bytes. */
    public static boolean equal(SafeTensors a, String nameInA, SafeTensors b, String nameInB) {
        Entry first = a.entry(nameInA);
        Entry second = b.entry(nameInB);
        if (!first.dtype().equals(second.dtype()) || !Arrays.equals(first.shape(), second.shape())) {
            return false;
        }
        long most = sliceBytes();
        for (long from = 0; from < first.bytes(); from += most) {
            long length = Math.min(most, first.bytes() - from);
            if (!a.map(nameInA, first, from, length).equals(b.map(nameInB, second, from, length))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Copies a tensor's bytes. Unlike {@link #map}, it leaves no mapped pages in the process.
     *
     * @param from offset of the first byte in the tensor
     * @param memory receives as many bytes as it has remaining
     */
    public void read(String name, long from, ByteBuffer memory) {
        Entry entry = entry(name);
        Objects.checkFromIndexSize(from, memory.remaining(), entry.bytes());
        try {
            fill(memory, base + entry.begin() + from);
        } catch (EOFException e) {
            throw new InvalidDataException(file + ": the file ends inside tensor " + name, e);
        } catch (IOException e) {
            throw new UncheckedIOException(file + ": tensor " + name, e);
        }
    }

    /** Returns a float32 tensor's values, row-major. */
    public float[] floats(String name) {
        Entry entry = entry(name);
        if (!entry.dtype().equals("F32")) {
            throw new InvalidDataException(file + ": tensor " + name + " is " + entry.dtype() + ", must be F32");
        }
        long count = entry.bytes() / Float.BYTES;
        if (count > MAX_FLOATS) {
            throw new InvalidDataException(file + ": tensor " + name + " has " + count + " values, must be at most "
                    + MAX_FLOATS + "; split the file");
        }
        FloatBuffer values = FloatBuffer.allocate((int) count);
        slices(name, slice -> values.put(slice.asFloatBuffer()));
        return values.array();
    }

    @Override
    public String toString() {
        return file.toString();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Writes tensors in the given order, atomically.
     *
     * @throws PrpfException 69 if the file cannot be written
     */
    public static void write(Path file, Map<String, Tensor> tensors, Map<String, String> metadata) {
        byte[] header = header(tensors, metadata);
        try (PendingFile pending = PendingFile.create(file)) {
            WritableByteChannel out = Channels.newChannel(pending.stream()); // writes whole buffers
            out.write(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, header.length));
            out.write(ByteBuffer.wrap(header));
            for (Map.Entry<String, Tensor> e : tensors.entrySet()) {
                long written = e.getValue().content().writeTo(out);
                if (written != e.getValue().bytes()) {
                    throw new IllegalArgumentException("tensor " + e.getKey() + " has " + written
                            + " bytes; its type and shape take " + e.getValue().bytes());
                }
            }
            pending.commit();
        } catch (IOException e) {
            throw IoFailure.writing(file, e);
        }
    }

    private static byte[] header(Map<String, Tensor> tensors, Map<String, String> metadata) {
        ObjectNode header = JSON.createObjectNode();
        if (!metadata.isEmpty()) {
            header.set(METADATA, JSON.valueToTree(metadata));
        }
        long offset = 0;
        for (Map.Entry<String, Tensor> e : tensors.entrySet()) {
            ObjectNode entry = header.putObject(e.getKey());
            entry.put("dtype", e.getValue().dtype());
            entry.set("shape", JSON.valueToTree(e.getValue().shape()));
            entry.putArray("data_offsets")
                    .add(offset)
                    .add(offset += e.getValue().bytes());
        }
        try {
            byte[] bytes = JSON.writeValueAsString(header).getBytes(StandardCharsets.UTF_8);
            byte[] padded = Arrays.copyOf(bytes, (bytes.length + 7) / 8 * 8);
            Arrays.fill(padded, bytes.length, padded.length, (byte) ' ');
            return padded;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
