package dev.prpf.data.encode.image;

import dev.prpf.base.error.PrpfException;
import java.nio.file.Path;
import java.util.function.Function;

/**
 * An image file and whose it is.
 *
 * @param file where it lies
 * @param owner the sample it belongs to, for messages; empty where there is none
 */
public record ImageFile(Path file, String owner) {
    /** An image that belongs to no sample. */
    public static ImageFile of(Path file) {
        return new ImageFile(file, "");
    }

    @Override
    public String toString() {
        return "image " + file;
    }

    /** Runs some work on the file; an error of the data names the owner too. */
    public <R> R with(Function<Path, R> work) {
        try {
            return work.apply(file);
        } catch (PrpfException e) {
            throw owner.isEmpty() ? e : e.at("sample " + owner);
        }
    }
}
