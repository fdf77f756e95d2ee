package dev.prpf.par.rollout;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.json.JsonRecords;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The position of each group's line in a file of rollouts, which may be larger than memory. */
public final class GroupIndex {
    private record Place(long from, int length, int number) {}

    private final Path file;
    private final Map<String, Place> places = new HashMap<>();

    private GroupIndex(Path file) {
        this.file = file;
    }

    /**
     * Reads a file once and indexes it.
     *
     * @param groups receives every group
     * @throws PrpfException 65 for an invalid line, a duplicate id, or groups of several provenances
     */
    public static GroupIndex of(Path file, Consumer<RolloutGroup> groups) {
        GroupIndex index = new GroupIndex(file);
        @Nullable RolloutProvenance provenance = null;
        long at = 0;
        int number = 0;
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            for (byte[] line = next(in); line.length > 0; line = next(in)) {
                number++;
                String text = new String(line, StandardCharsets.UTF_8);
                if (!text.isBlank()) {
                    String place = file + ":" + number;
                    RolloutGroup group = JsonRecords.read(place, "rollout group", text, RolloutGroup.class);
                    Place before = index.places.put(group.id(), new Place(at, line.length, number));
                    if (before != null) {
                        throw new InvalidDataException(place + ": id \"" + group.id() + "\" is a duplicate of " + file
                                + ":" + before.number() + "; a prompt has one group");
                    }
                    provenance = group.provenance().requireSame(provenance, place, "rollouts of one file have");
                    groups.accept(group);
                }
                at += line.length;
            }
        } catch (IOException e) {
            throw new InvalidDataException(file + ": cannot be read: " + e);
        }
        return index;
    }

    /** Reads the next line with its line end; empty after the last line. */
    private static byte[] next(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = 0;
        while (next != '\n' && (next = in.read()) >= 0) {
            line.write(next);
        }
        return line.toByteArray();
    }

    public RolloutGroup read(String id) {
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            String line = new String(line(in, id), StandardCharsets.UTF_8);
            return JsonRecords.read(file + ": group " + id, "rollout group", line, RolloutGroup.class);
        } catch (IOException e) {
            throw IoFailure.reading(file, e);
        }
    }

    /** Copies the lines of groups in this order, including repetitions. */
    void copy(Iterable<String> ids, OutputStream out) throws IOException {
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            for (String id : ids) {
                out.write(line(in, id));
            }
        }
    }

    private byte[] line(RandomAccessFile in, String id) throws IOException {
        Place place = places.get(id);
        if (place == null) {
            throw new IllegalArgumentException(file + ": has no group \"" + id + "\"");
        }
        byte[] line = new byte[place.length()];
        in.seek(place.from());
        in.readFully(line);
        return line;
    }
}
