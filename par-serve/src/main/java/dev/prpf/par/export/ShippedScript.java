package dev.prpf.par.export;

import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** A Python file that goes with an export. */
final class ShippedScript {
    private ShippedScript() {}

    static void write(String name, Path folder) {
        try (InputStream in = ShippedScript.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new UnavailableException("the resource " + name + " is missing from the program; build it anew");
            }
            byte[] script = in.readAllBytes();
            AtomicFiles.write(folder.resolve(name), out -> out.write(script));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
