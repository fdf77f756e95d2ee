package dev.prpf.par.export;

import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** A file of the program that goes with an export as it is. */
final class ShippedFile {
    private ShippedFile() {}

    static void write(String name, Path folder) {
        try (InputStream in = ShippedFile.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new UnavailableException("the resource " + name + " is missing from the program; build it anew");
            }
            byte[] content = in.readAllBytes();
            AtomicFiles.write(folder.resolve(name), out -> out.write(content));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
