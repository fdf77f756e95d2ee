package dev.prpf.data.encode;

import dev.prpf.data.run.ExitCode;
import dev.prpf.data.run.PrpfException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The folder that the records' picture paths begin at.
 *
 * @param root the folder, or null where no sample has pictures
 */
record PictureFolder(@Nullable Path root) {
    /**
     * The file of a record's picture.
     *
     * @throws PrpfException 2 if there is no folder; 65 if the picture lies outside it
     */
    Path resolve(String picture) {
        if (root == null) {
            throw new PrpfException(
                    ExitCode.USAGE, "picture " + picture + " has no folder to be found in; give --images DIR");
        }
        Path folder = root.toAbsolutePath().normalize();
        Path path;
        try {
            path = folder.resolve(picture).normalize();
        } catch (InvalidPathException e) {
            throw PrpfException.badData("picture \"" + picture + "\" is no path: " + e.getReason());
        }
        if (!path.startsWith(folder)) {
            throw PrpfException.badData("picture " + picture + " lies outside the image root " + root
                    + "; give paths relative to the root");
        }
        return path;
    }
}
