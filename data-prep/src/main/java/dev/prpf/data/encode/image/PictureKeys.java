package dev.prpf.data.encode.image;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.encode.store.ContentKey;
import dev.prpf.data.onnx.Workers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The content keys of picture files. A file is hashed again when its size or its time of change is another, or when it had been changed
 * so shortly before it was hashed that a second change may bear the same time. Safe for threads.
 */
public final class PictureKeys {
    /** File systems tell times in steps of at most so much. */
    private static final Duration STEP = Duration.ofSeconds(2);

    private final Map<Path, Known> known = new ConcurrentHashMap<>();

    private record Known(long size, FileTime changed, ContentKey key) {}

    /** @throws PrpfException 65, naming the file, if it cannot be read */
    public ContentKey of(Path file) {
        BasicFileAttributes now;
        try {
            now = Files.readAttributes(file, BasicFileAttributes.class);
        } catch (IOException e) {
            throw new InvalidDataException("picture " + file + " does not exist; check the path and the image root");
        }
        Known before = known.get(file);
        if (before != null && before.size() == now.size() && before.changed().equals(now.lastModifiedTime())) {
            return before.key();
        }
        ContentKey key = ContentKey.ofFile(file);
        if (now.lastModifiedTime().toInstant().isBefore(Instant.now().minus(STEP))) {
            known.put(file, new Known(now.size(), now.lastModifiedTime(), key));
        }
        return key;
    }

    /** One picture of each content that is not done yet, hashed by several threads. */
    public Map<ContentKey, Picture> missing(List<Picture> pictures, Workers workers, Predicate<ContentKey> done) {
        List<ContentKey> keys = workers.map(pictures, picture -> picture.with(this::of));
        Map<ContentKey, Picture> missing = new LinkedHashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            if (!done.test(keys.get(i))) {
                missing.putIfAbsent(keys.get(i), pictures.get(i));
            }
        }
        return missing;
    }

    /** A list cut into pieces of at most some length. */
    public static <T> List<List<T>> pieces(List<T> list, int length) {
        List<List<T>> pieces = new ArrayList<>();
        for (int from = 0; from < list.size(); from += length) {
            pieces.add(list.subList(from, Math.min(list.size(), from + length)));
        }
        return pieces;
    }
}
