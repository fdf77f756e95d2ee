package dev.prpf.cli.tracking;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.ProtoMessage;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * An event file of TensorBoard: messages {@code Event} (tensorboard/compat/proto/event.proto, summary.proto), each framed as a TFRecord:
 * length and bytes, both with a masked CRC32C.
 */
final class EventFile implements AutoCloseable {
    private static final int MASK = 0xa282ead8;
    private static final int SESSION_START = 1;
    private static final int DATA_STRING = 7;

    private final Path file;
    private final OutputStream out;

    /**
     * Creates a file with a name that sorts after those of earlier files.
     *
     * @throws PrpfException 69 if it cannot be written
     */
    EventFile(Path folder) {
        long now = System.currentTimeMillis();
        this.file = folder.resolve(
                String.format(Locale.ROOT, "events.out.tfevents.%010d.%03d.prpf", now / 1000, now % 1000));
        try {
            Files.createDirectories(folder);
            this.out = new BufferedOutputStream(Files.newOutputStream(file, StandardOpenOption.CREATE_NEW));
        } catch (IOException e) {
            throw IoFailure.writing(folder, e);
        }
        write(event().text(3, "brain.Event:2"));
    }

    private static ProtoMessage event() {
        return new ProtoMessage().float64(1, System.currentTimeMillis() / 1000.0);
    }

    private static ProtoMessage event(long step) {
        return event().integer(2, step);
    }

    /** Hides the values of earlier files from this step on. */
    void startAt(long step) {
        write(event(step).message(7, new ProtoMessage().integer(1, SESSION_START)));
    }

    /** Writes the numbers of one step; TensorBoard keeps them with 24 bits of precision. */
    void scalars(long step, Map<String, Double> values) {
        ProtoMessage summary = new ProtoMessage();
        values.forEach((tag, value) ->
                summary.message(1, new ProtoMessage().text(1, tag).float32(2, value.floatValue())));
        write(event(step).message(5, summary));
    }

    /** Writes a text in Markdown. */
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
        byte[] data = event.onHeap().array();
        byte[] length = little(Long.BYTES).putLong(data.length).array();
        IoFailure.whileWriting(file, () -> {
            out.write(length);
            out.write(checksum(length));
            out.write(data);
            out.write(checksum(data));
        });
    }

    private static byte[] checksum(byte[] data) {
        CRC32C crc = new CRC32C();
        crc.update(data);
        int masked = Integer.rotateRight((int) crc.getValue(), 15) + MASK;
        return little(Integer.BYTES).putInt(masked).array();
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    void flush() {
        IoFailure.whileWriting(file, out::flush);
    }

    @Override
    public void close() {
        IoFailure.whileWriting(file, out::close);
    }
}
