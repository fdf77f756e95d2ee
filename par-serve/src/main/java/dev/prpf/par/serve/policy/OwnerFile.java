package dev.prpf.par.serve.policy;

import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files that the server's own user alone may read and write, rw-------. */
final class OwnerFile {
    private static final Set<PosixFilePermission> OWNER =
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private OwnerFile() {}

    /**
     * Creates a file where there is none, whole from its first moment.
     *
     * @throws dev.prpf.base.error.PrpfException 69 if it cannot be created, or is there and others may read it
     */
    static void require(Path file, byte[] content) {
        try {
            Path folder = Files.createDirectories(
                    file.toAbsolutePath().normalize().resolveSibling("."),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            if (!Files.exists(file)) {
                Path beside =
                        Files.createTempFile(folder, ".policy-", ".partial"); // rw------- by its contract on POSIX
                Files.write(beside, content);
                AtomicFiles.sync(beside);
                AtomicFiles.move(beside, file);
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
