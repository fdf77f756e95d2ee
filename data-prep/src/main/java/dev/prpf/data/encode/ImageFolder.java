package dev.prpf.data.encode;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import dev.prpf.data.Sample;
import dev.prpf.data.TraceStep;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.image.Raster;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The folder that the image paths of records begin at.
 *
 * @param root the folder, or null where no sample has images
 */
public record ImageFolder(@Nullable Path root) {
    /**
     * The file of a record's image.
     *
     * @throws PrpfException 2 if there is no folder; 65 if the image lies outside it
     */
    Path resolve(String image) {
        if (root == null) {
            throw new UsageException("image " + image + " has no folder to be found in; give --images DIR");
        }
        Path folder = root.toAbsolutePath().normalize();
        Path path;
        try {
            path = folder.resolve(image).normalize();
        } catch (InvalidPathException e) {
            throw new InvalidDataException("image \"" + image + "\" is no path: " + e.getReason());
        }
        if (!path.startsWith(folder)) {
            throw new InvalidDataException(
                    "image " + image + " lies outside the image root " + root + "; give paths relative to the root");
        }
        return path;
    }

    /** The screenshots of a sample, oldest first; errors as of {@link #resolve}, naming the sample. */
    public Stream<ImageFile> imagesOf(Sample sample) {
        return sample.trajectory().screenshots().stream().map(step -> image(sample, step));
    }

    private ImageFile image(Sample sample, TraceStep.Screenshot step) {
        try {
            return new ImageFile(resolve(step.path()), sample.id());
        } catch (PrpfException e) {
            throw e.at("sample " + sample.id());
        }
    }

    /** @throws PrpfException as of {@link #resolve}; 65, naming the sample and the first of its images whose file is missing */
    void requireImages(Sample sample) {
        imagesOf(sample).forEach(image -> image.with(Raster::requirePresent));
    }
}
