package dev.prpf.cli.tracking;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads event files as their formats are specified: TFRecord (tensorflow.org/tutorials/load_data/tfrecord), CRC32C (RFC 3720, appendix B.4,
 * bit by bit), the wire format of Protocol Buffers, the messages of tensorboard/compat/proto.
 */
final class EventReader {
    /** An event; what it does not hold is null or empty. */
    record Event(
            double wallTime,
            long step,
            @Nullable String version,
            boolean sessionStart,
            Map<String, Float> scalars,
            Map<String, String> texts) {}

    private EventReader() {}

    /** The folder's files, in the order TensorBoard reads them. */
    static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    static List<Event> events(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        List<Event> events = new ArrayList<>();
        while (bytes.hasRemaining()) {
            byte[] length = new byte[8];
            bytes.get(length);
            check(length, bytes.getInt());
            byte[] data = new byte
                    [Math.toIntExact(ByteBuffer.wrap(length)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .getLong())];
            bytes.get(data);
            check(data, bytes.getInt());
            events.add(event(data));
        }
        return events;
    }

    /** Returns tag to step to value, like TensorBoard: a session's start drops values at its step and later. */
    static Map<String, Map<Long, List<Float>>> shown(Path folder) throws IOException {
        Map<String, Map<Long, List<Float>>> shown = new TreeMap<>();
        for (Path file : files(folder)) {
            for (Event event : events(file)) {
                if (event.sessionStart()) {
                    shown.values().forEach(steps -> steps.keySet().removeIf(step -> step >= event.step()));
                }
                event.scalars().forEach((tag, value) -> shown.computeIfAbsent(tag, key -> new TreeMap<>())
                        .computeIfAbsent(event.step(), key -> new ArrayList<>())
                        .add(value));
            }
        }
        return shown;
    }

    private static void check(byte[] data, int masked) {
        int crc = -1;
        for (byte one : data) {
            crc ^= one & 0xff;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc >>> 1) ^ ((crc & 1) == 0 ? 0 : 0x82f63b78);
            }
        }
        crc = ~crc;
        if (masked != ((crc >>> 15) | (crc << 17)) + 0xa282ead8) {
            throw new AssertionError("a checksum is wrong");
        }
    }

    private static Event event(byte[] data) {
        Map<Integer, List<Object>> fields = fields(data);
        Map<String, Float> scalars = new LinkedHashMap<>();
        Map<String, String> texts = new LinkedHashMap<>();
        if (fields.containsKey(5)) {
            for (Object value : fields((byte[]) one(fields, 5)).getOrDefault(1, List.of())) {
                Map<Integer, List<Object>> of = fields((byte[]) value);
                String tag = text(one(of, 1));
                if (of.containsKey(2)) {
                    scalars.put(tag, Float.intBitsToFloat((Integer) one(of, 2)));
                } else {
                    Map<Integer, List<Object>> tensor = fields((byte[]) one(of, 8));
                    Map<Integer, List<Object>> plugin = fields((byte[]) one(fields((byte[]) one(of, 9)), 1));
                    if (!one(tensor, 1).equals(7L) || !text(one(plugin, 1)).equals("text")) {
                        throw new AssertionError("no text: " + tag);
                    }
                    texts.put(tag, text(one(tensor, 8)));
                }
            }
        }
        boolean start =
                fields.containsKey(7) && one(fields((byte[]) one(fields, 7)), 1).equals(1L);
        return new Event(
                Double.longBitsToDouble((Long) one(fields, 1)),
                fields.containsKey(2) ? (Long) one(fields, 2) : 0,
                fields.containsKey(3) ? text(one(fields, 3)) : null,
                start,
                scalars,
                texts);
    }

    private static Object one(Map<Integer, List<Object>> fields, int number) {
        return Objects.requireNonNull(fields.get(number)).get(0);
    }

    private static String text(Object bytes) {
        return new String((byte[]) bytes, StandardCharsets.UTF_8);
    }

    private static Map<Integer, List<Object>> fields(byte[] message) {
        ByteBuffer bytes = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
        Map<Integer, List<Object>> fields = new LinkedHashMap<>();
        while (bytes.hasRemaining()) {
            long key = varint(bytes);
            Object value =
                    switch ((int) (key & 7)) {
                        case 0 -> varint(bytes);
                        case 1 -> bytes.getLong();
                        case 2 -> {
                            byte[] inner = new byte[(int) varint(bytes)];
                            bytes.get(inner);
                            yield inner;
                        }
                        case 5 -> bytes.getInt();
                        default -> throw new AssertionError("no wire type: " + key);
                    };
            fields.computeIfAbsent((int) (key >>> 3), number -> new ArrayList<>())
                    .add(value);
        }
        return fields;
    }

    private static long varint(ByteBuffer bytes) {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = bytes.get();
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
    }
}
