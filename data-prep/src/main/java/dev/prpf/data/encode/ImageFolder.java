package dev.prpf.data.encode;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.image.DataUrl;
import dev.prpf.data.encode.image.ImageFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The root folder of the image paths of records.
 *
 * @param root the folder, or null if no sample has images
 */
public record ImageFolder(@Nullable Path root) {
    private static final ThreadLocal<Map<String, ImageFile>> HASHED = ThreadLocal.withInitial(Map::of);

    /**
     * Runs work that decodes and hashes none of these images again.
     *
     * @param images by data URL; an identity map spares comparisons of long texts
     */
    public static <T> T with(Map<String, ImageFile> images, Supplier<T> work) {
        Map<String, ImageFile> before = HASHED.get();
        HASHED.set(images);
        try {
            return work.get();
        } finally {
            HASHED.set(before);
        }
    }

    /**
     * Returns the file of a record's image.
     *
     * @throws PrpfException 2 if there is no folder; 65 if the image is outside it, or a link to a file outside it
     */
    private Path resolve(String image) {
        if (root == null) {
            throw new UsageException("image " + image + " needs an image root; give --images DIR");
        }
        Path folder = root.toAbsolutePath().normalize();
        Path path;
        try {
            path = folder.resolve(image).normalize();
        } catch (InvalidPathException e) {
            throw new InvalidDataException("image \"" + image + "\" is not a path: " + e.getReason());
        }
        if (!path.startsWith(folder)) {
            throw new InvalidDataException(
                    "image " + image + " lies outside the image root " + root + "; give paths relative to the root");
        }
        if (Files.exists(path)) {
            requireInside(image, folder, path);
        }
        return path;
    }

    /** Rejects a path outside the folder. A snapshot of Hugging Face's cache may link to files in {@code blobs}. */
    private void requireInside(String image, Path folder, Path path) {
        try {
            Path real = path.toRealPath();
            Path base = folder.toRealPath();
            Path snapshots = base.getParent();
            boolean cached = snapshots != null
                    && snapshots.endsWith("snapshots")
                    && real.startsWith(snapshots.resolveSibling("blobs"));
            if (!cached && !real.startsWith(base)) {
                throw new InvalidDataException("image " + image + " is a link that leads out of the image root " + root
                        + "; replace the link by the file");
            }
        } catch (IOException e) {
            throw IoFailure.reading(path, e);
        }
    }

    /**
     * Returns a record's image: the bytes of a data URL, else the file.
     *
     * @param owner the sample's id for messages; empty without one
     * @throws PrpfException as {@link #resolve}, naming the owner; 65 for an invalid data URL
     */
    public ImageFile image(TraceStep.Screenshot step, String owner) {
        ImageFile hashed = HASHED.get().get(step.path());
        if (hashed != null) {
            return new ImageFile(null, hashed.content(), owner);
        }
        try {
            return DataUrl.is(step.path())
                    ? new ImageFile(null, new ImageFile.Content(DataUrl.bytes(step.path())), owner)
                    : new ImageFile(resolve(step.path()), null, owner);
        } catch (PrpfException e) {
            throw owner.isEmpty() ? e : e.at("sample " + owner);
        }
    }

    /** Returns the screenshots of a sample, oldest first; errors as in {@link #image}. */
    public Stream<ImageFile> imagesOf(Sample sample) {
        return sample.trajectory().screenshots().stream().map(step -> image(step, sample.id()));
    }

    /** @throws PrpfException as {@link #image}; 65, naming the sample and its first missing image */
    void requireImages(Sample sample) {
        imagesOf(sample).forEach(ImageFile::requirePresent);
    }
}
