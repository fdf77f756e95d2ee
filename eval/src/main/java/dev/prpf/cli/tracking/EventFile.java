package dev.prpf.cli.tracking;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.IoFailure;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * An event file of TensorBoard: messages {@code Event} (tensorboard/compat/proto/event.proto, summary.proto), each framed as a TFRecord:
 * length and bytes, both with a masked CRC32C.
 */
final class EventFile implements AutoCloseable {
    private static final Pattern NAME = Pattern.compile("events\\.out\\.tfevents\\.(\\d{10})\\..*");
    private static final int MASK = 0xa282ead8;
    private static final int SESSION_START = 1;
    private static final int DATA_STRING = 7;

    private final Path file;
    private final FileChannel channel;
    private final OutputStream out;

    private EventFile(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
        this.out = new BufferedOutputStream(Channels.newOutputStream(channel));
    }

    /**
     * Begins a file that TensorBoard reads after all that lie in the folder.
     *
     * @throws PrpfException 69 if it cannot be written
     */
    static EventFile create(Path folder) {
        try {
            Files.createDirectories(folder);
            long second = Math.max(System.currentTimeMillis() / 1000, newest(folder) + 1);
            Path file = folder.resolve(String.format(
                    Locale.ROOT,
                    "events.out.tfevents.%010d.prpf.%d",
                    second,
                    ProcessHandle.current().pid()));
            EventFile events = new EventFile(
                    file, FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
            events.write(event().text(3, "brain.Event:2"));
            return events;
        } catch (IOException e) {
            throw IoFailure.writing(folder, e);
        }
    }

    private static long newest(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> NAME.matcher(file.getFileName().toString()))
                    .filter(Matcher::matches)
                    .map(found -> Long.parseLong(found.group(1)))
                    .max(Comparator.naturalOrder())
                    .orElse(0L);
        }
    }

    private static ProtoMessage event() {
        return new ProtoMessage().real(1, System.currentTimeMillis() / 1000.0);
    }

    private static ProtoMessage event(long step) {
        return event().integer(2, step);
    }

    /** What earlier files hold of this step and later ones is no longer shown. */
    void startAt(long step) {
        write(event(step).message(7, new ProtoMessage().integer(1, SESSION_START)));
    }

    /** Numbers of one step; TensorBoard keeps them with 24 bits of precision. */
    void scalars(long step, Map<String, Double> values) {
        ProtoMessage summary = new ProtoMessage();
        values.forEach((tag, value) ->
                summary.message(1, new ProtoMessage().text(1, tag).single(2, value.floatValue())));
        write(event(step).message(5, summary));
    }

    /** A text in Markdown. */
    void text(long step, String tag, String text) {
        ProtoMessage plugin = new ProtoMessage().text(1, "text");
        ProtoMessage tensor = new ProtoMessage()
                .integer(1, DATA_STRING)
                .message(2, new ProtoMessage().message(2, new ProtoMessage().integer(1, 1)))
                .text(8, text);
        ProtoMessage value =
                new ProtoMessage().text(1, tag).message(8, tensor).message(9, new ProtoMessage().message(1, plugin));
        write(event(step).message(5, new ProtoMessage().message(1, value)));
    }

    private void write(ProtoMessage event) {
        byte[] data = event.bytes();
        byte[] length = ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(data.length)
                .array();
        IoFailure.whileWriting(file, () -> {
            out.write(length);
            out.write(sum(length));
            out.write(data);
            out.write(sum(data));
        });
    }

    private static byte[] sum(byte[] data) {
        CRC32C crc = new CRC32C();
        crc.update(data);
        int masked = Integer.rotateRight((int) crc.getValue(), 15) + MASK;
        return ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(masked)
                .array();
    }

    /** Makes what was written durable. */
    void flush() {
        IoFailure.whileWriting(file, () -> {
            out.flush();
            channel.force(false);
        });
    }

    @Override
    public void close() {
        IoFailure.whileWriting(file, out::close);
    }
}
