package dev.prpf.data.encode;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import dev.prpf.data.Frame;
import dev.prpf.data.Sample;
import dev.prpf.data.ScreenTrajectory;
import dev.prpf.data.encode.image.Picture;
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
public record PictureFolder(@Nullable Path root) {
    /**
     * The file of a record's image.
     *
     * @throws PrpfException 2 if there is no folder; 65 if the image lies outside it
     */
    Path resolve(String picture) {
        if (root == null) {
            throw new UsageException("picture " + picture + " has no folder to be found in; give --images DIR");
        }
        Path folder = root.toAbsolutePath().normalize();
        Path path;
        try {
            path = folder.resolve(picture).normalize();
        } catch (InvalidPathException e) {
            throw new InvalidDataException("picture \"" + picture + "\" is no path: " + e.getReason());
        }
        if (!path.startsWith(folder)) {
            throw new InvalidDataException("picture " + picture + " lies outside the image root " + root
                    + "; give paths relative to the root");
        }
        return path;
    }

    /** The screenshots of a sample, oldest first; errors as of {@link #resolve}, naming the sample. */
    public Stream<Picture> picturesOf(Sample sample) {
        return sample.trajectory() instanceof ScreenTrajectory shown
                ? shown.frames().stream()
                        .filter(Frame.Screenshot.class::isInstance)
                        .map(frame -> picture(sample, (Frame.Screenshot) frame))
                : Stream.of();
    }

    private Picture picture(Sample sample, Frame.Screenshot frame) {
        try {
            return new Picture(resolve(frame.picture()), sample.id());
        } catch (PrpfException e) {
            throw e.at("sample " + sample.id());
        }
    }

    /** @throws PrpfException as of {@link #resolve}; 65, naming the sample and the first of its pictures whose file is missing */
    void requirePictures(Sample sample) {
        picturesOf(sample)
                .forEach(picture -> picture.with(file -> {
                    Raster.requirePresent(file);
                    return file;
                }));
    }
}
