package dev.prpf.data.encode.image;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.image.EncodedImage;
import dev.prpf.data.encode.store.ContentKey;
import dev.prpf.data.onnx.Workers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Computes content keys of images. A file is hashed again if its size or modification time differs, or if it was modified within
 * the resolution of file times. Thread-safe.
 */
public final class ImageKeys implements AutoCloseable {
    /** Coarsest resolution of modification times in file systems. */
    private static final Duration STEP = Duration.ofSeconds(2);

    private final Map<Path, Known> known = new ConcurrentHashMap<>();

    private final Workers workers;

    private record Known(long size, FileTime changed, ContentKey key) {}

    /** @param threads files hashed at once */
    public ImageKeys(int threads) {
        workers = new Workers("hashes", threads);
    }

    /**
     * Returns the key of an image's bytes. An image with an EXIF rotation has its own key, because old stores may hold encodings
     * of unrotated pixels.
     */
    static ContentKey ofContent(byte[] content) {
        ContentKey key = ContentKey.of(content);
        return EncodedImage.of(content).upright() ? key : ContentKey.of(ContentKey.ofAll(List.of(key)) + " upright");
    }

    /** @throws PrpfException 65, naming the file, if it cannot be read */
    private ContentKey of(Path file) {
        EncodedImage.requirePresent(file);
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            Known before = known.get(file);
            if (before != null
                    && before.size() == now.size()
                    && before.changed().equals(now.lastModifiedTime())) {
                return before.key();
            }
            ContentKey key = ofContent(Files.readAllBytes(file));
            if (now.lastModifiedTime().toInstant().isBefore(Instant.now().minus(STEP))) {
                known.put(file, new Known(now.size(), now.lastModifiedTime(), key));
            }
            return key;
        } catch (IOException e) {
            throw new InvalidDataException("image " + file + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** Returns the keys of images in order, hashed in parallel; one image is hashed on the calling thread, so that it waits for no others. */
    public List<ContentKey> of(List<ImageFile> images) {
        return images.size() == 1
                ? List.of(images.get(0).key(this::of))
                : workers.map(images, image -> image.key(this::of));
    }

    @Override
    public void close() {
        workers.close();
    }
}
