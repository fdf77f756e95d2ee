package dev.prpf.par.engine;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Writes the archive {@code torch.jit.load} reads, for a module without parameters: an uncompressed zip of the pickled (empty) state, the
 * code and the format's version. Version 10 is the newest every libtorch from 2.0 on reads without operator upgraders.
 */
final class ScriptArchive {
    private static final String HEAD =
            "class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n";

    /** A pickled instance of {@code __torch__.M} whose state is {@code {"training": False}}. */
    private static final String STATE = "\u0080\u0002c__torch__\nM\n)\u0081}(X\u0008\0\0\0training\u0089ub.";

    private static final String NO_CONSTANTS = "\u0080\u0002).";
    private static final String VERSION = "10\n";

    private ScriptArchive() {}

    /** The archive of a class with these methods, each indented by two blanks. */
    static byte[] of(String methods) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            put(zip, "data.pkl", STATE.getBytes(StandardCharsets.ISO_8859_1));
            put(zip, "code/__torch__.py", (HEAD + methods).getBytes(StandardCharsets.UTF_8));
            put(zip, "constants.pkl", NO_CONSTANTS.getBytes(StandardCharsets.ISO_8859_1));
            put(zip, "version", VERSION.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void put(ZipOutputStream zip, String name, byte[] content) throws IOException {
        ZipEntry entry = new ZipEntry("m/" + name);
        CRC32 checksum = new CRC32();
        checksum.update(content);
        entry.setMethod(ZipEntry.STORED);
        entry.setSize(content.length);
        entry.setCrc(checksum.getValue());
        zip.putNextEntry(entry);
        zip.write(content);
        zip.closeEntry();
    }
}
