package dev.prpf.api;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The cascade that {@code CommittedCascadeTest} made from the records of examples/own-data, and two of these records. */
final class TinyCascade {
    static final Path FOLDER = Path.of("../eval/src/test/resources/dev/prpf/cli/recipe/cascade-0.1.0");

    static final Sample DENTIST = Sample.builder()
            .id("r01")
            .profile("Forgets appointments, likes short notes.")
            .phone("Battery 80 %.")
            .world("Monday, 20:15, at home.")
            .text("Reads the dentist's message: your appointment is tomorrow at 9:30")
            .text("Opens the calendar and closes it again")
            .build();

    static final Sample PODCAST = Sample.builder()
            .id("r20")
            .profile("Commutes by train.")
            .phone("Battery 38 %.")
            .world("Tuesday, 8:20, on a train.")
            .text("The ticket was checked")
            .text("Continues a podcast")
            .build();

    private TinyCascade() {}

    /** Copies the cascade, to damage the copy. */
    static Path copy(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(FOLDER)) {
            for (Path file : files.toList()) {
                Files.copy(file, folder.resolve(FOLDER.relativize(file).toString()));
            }
        }
        return folder;
    }
}
