package dev.prpf.cli.tracking;

import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.ProtoMessage;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.cli.tracking.Tracking.RunTracker;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * Writes a run as an event file in {@code RUN/tensorboard/}. The file holds the whole run and replaces the values of earlier files. It holds
 * messages {@code Event} (tensorboard/compat/proto/event.proto, summary.proto), each framed as a TFRecord: length and bytes, both with a masked
 * CRC32C.
 */
final class TensorBoardTracker implements RunTracker {
    private static final int MASK = 0xa282ead8;
    private static final int SESSION_START = 1;
    private static final int DATA_STRING = 7;
    private final Path file;
    private final OutputStream out;
    private long step;
    private int sent;

    /** Creates a file with a name that sorts after those of earlier files. */
    TensorBoardTracker(Path directory) {
        RunFacts facts = RunFacts.read(directory, null);
        long now = System.currentTimeMillis();
        String name = String.format(Locale.ROOT, "events.out.tfevents.%010d.%03d.prpf", now / 1000, now % 1000);
        file = directory.resolve("tensorboard").resolve(name);
        try {
            Files.createDirectories(file.resolveSibling(""));
            out = new BufferedOutputStream(Files.newOutputStream(file, StandardOpenOption.CREATE_NEW));
        } catch (IOException e) {
            throw IoFailure.writing(file.resolveSibling(""), e);
        }
        write(event().text(3, "brain.Event:2"));
        write(event(0).message(7, new ProtoMessage().integer(1, SESSION_START))); // hides the values of earlier files
        text(RunDirectory.RUN, "```json\n" + facts.json().toPrettyString() + "\n```");
        text(RunDirectory.CONFIG, "```yaml\n" + facts.config() + "```");
    }

    private static ProtoMessage event() {
        return new ProtoMessage().float64(1, System.currentTimeMillis() / 1000.0);
    }

    private static ProtoMessage event(long step) {
        return event().integer(2, step);
    }

    /** Writes the numbers of one step; TensorBoard keeps them with 24 bits of precision. */
    private void scalars(Map<String, Double> values) {
        ProtoMessage summary = new ProtoMessage();
        values.forEach((tag, value) ->
                summary.message(1, new ProtoMessage().text(1, tag).float32(2, value.floatValue())));
        write(event(step).message(5, summary));
    }

    /** Writes a text in Markdown. */
    private void text(String tag, String text) {
        ProtoMessage plugin = new ProtoMessage().text(1, "text");
        ProtoMessage tensor = new ProtoMessage()
                .integer(1, DATA_STRING)
                .message(2, new ProtoMessage().message(2, new ProtoMessage().integer(1, 1)))
                .text(8, text);
        ProtoMessage value =
                new ProtoMessage().text(1, tag).message(8, tensor).message(9, new ProtoMessage().message(1, plugin));
        write(event(0).message(5, new ProtoMessage().message(1, value)));
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

    @Override
    public int sent() {
        return sent;
    }

    @Override
    public void send(List<MetricLine> lines) {
        for (MetricLine line : lines) {
            step = line.step();
            scalars(line.values());
        }
        IoFailure.whileWriting(file, out::flush);
        sent += lines.size();
    }

    @Override
    public void finish(RunFacts run) {
        if (!run.figures().isEmpty()) {
            scalars(run.figures());
        }
        IoFailure.whileWriting(file, out::flush);
    }

    @Override
    public String place() {
        return String.valueOf(file.getParent());
    }

    @Override
    public void close() {
        IoFailure.whileWriting(file, out::close);
    }
}
