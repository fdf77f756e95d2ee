package dev.prpf.cli.launch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** Stub scripts for a scheduler's programs, in their own folder, that record their arguments. */
record FakePrograms(Path folder) {
    FakePrograms with(String name, String body) {
        return script(name, "echo \"" + name + " $*\" >> '" + folder + "/calls'\n" + body);
    }

    /** One that tells nothing. */
    FakePrograms script(String name, String body) {
        try {
            Path file = Files.createDirectories(folder).resolve(name);
            Files.writeString(file, "#!/usr/bin/env bash\n" + body + "\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** They come before the machine's own. */
    Programs programs() {
        return new Programs(path());
    }

    String path() {
        return folder + ":" + System.getenv("PATH");
    }

    List<String> calls() {
        try {
            Path calls = folder.resolve("calls");
            return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
