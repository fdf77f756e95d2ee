package dev.prpf.par.serve.policy;

import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.IoFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files that only the server's own user may read and write, rw-------. */
final class OwnerFile {
    private static final Set<PosixFilePermission> OWNER =
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private OwnerFile() {}

    /**
     * Creates a missing file.
     *
     * @throws dev.prpf.base.error.PrpfException 69 if it cannot be created, or exists and others may read it
     */
    static void require(Path file, byte[] content) {
        try {
            Files.createDirectories(
                    file.toAbsolutePath().normalize().resolveSibling("."),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            if (!Files.exists(file)) {
                Files.write(Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER)), content);
            }
            if (!OWNER.containsAll(Files.getPosixFilePermissions(file))) {
                throw new UnavailableException(
                        file + ": other users of this machine may read or change it; chmod 600 " + file);
            }
        } catch (IOException e) {
            throw IoFailure.writing(file, e);
        }
    }
}
