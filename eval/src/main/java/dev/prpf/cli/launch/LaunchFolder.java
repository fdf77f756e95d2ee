package dev.prpf.cli.launch;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.error.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.workflow.Stage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A launch's files: {@code launch.json}, the job file, {@code members} (a command line each), {@code state/} (what each member notes of its
 * starts and ends), {@code logs/} and, once somebody cancelled it, {@code cancelled}.
 *
 * @param path absolute
 * @param launch as {@code launch.json} says
 */
record LaunchFolder(Path path, Launch launch) {
    private static final String RECORD = "launch.json";
    private static final String CANCELLED = "cancelled";

    /**
     * Writes all that a job needs, before it is submitted.
     *
     * @throws PrpfException 78 if a launch stands there already; 69 if it cannot be written
     */
    static LaunchFolder create(Path path, Launch launch, String job) {
        Path absolute = path.toAbsolutePath().normalize();
        if (Files.exists(absolute.resolve(RECORD))) {
            throw new InvalidConfigurationException(
                    path + ": holds a launch already; name another --launch-dir, or go on with ./prpf launch resume "
                            + path);
        }
        LaunchFolder folder = new LaunchFolder(absolute, launch);
        IoFailure.whileWriting(absolute, () -> createPrivate(absolute));
        for (String part : new String[] {"logs", "state"}) {
            IoFailure.whileWriting(absolute, () -> Files.createDirectories(absolute.resolve(part)));
        }
        AtomicFiles.writeText(folder.job(), job);
        AtomicFiles.writeText(absolute.resolve("members"), String.join("\n", launch.members()) + "\n");
        folder.write();
        return folder;
    }

    /** The job file may hold secrets of the configuration's environment: a new folder is its owner's alone. */
    private static void createPrivate(Path folder) throws IOException {
        Files.createDirectories(folder.getParent());
        if (!Files.exists(folder)) {
            Files.createDirectory(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
    }

    /** @throws PrpfException 65 if no launch stands there, or it cannot be read */
    static LaunchFolder read(Path path) {
        Path file = path.resolve(RECORD);
        if (!Files.isRegularFile(file)) {
            throw new InvalidDataException(
                    path + ": holds no " + RECORD + "; give the folder that ./prpf launch named when it submitted");
        }
        return new LaunchFolder(path.toAbsolutePath().normalize(), JsonFile.record(file, "launch", Launch.class));
    }

    /** Keeps what the scheduler calls the job. */
    LaunchFolder submitted(String id) {
        LaunchFolder taken = new LaunchFolder(path, launch.withId(id));
        taken.write();
        return taken;
    }

    private void write() {
        AtomicFiles.writeText(path.resolve(RECORD), JsonRecords.tree(launch).toPrettyString() + "\n");
    }

    /** @throws PrpfException 69 if the scheduler never took the job */
    String id() {
        if (launch.id() == null) {
            throw new UnavailableException(path + ": " + launch.to()
                    + " never took this job (launch.json has no id); submit it with ./prpf launch resume "
                    + Stage.quoted(path.toString()));
        }
        return launch.id();
    }

    /** Returns the numbers of all members. */
    List<Integer> all() {
        return IntStream.range(0, launch.members().size()).boxed().toList();
    }

    Path job() {
        return path.resolve(launch.to().job);
    }

    Path log(int member) {
        return path.resolve("logs").resolve(member + ".log");
    }

    private Path state(int member) {
        return path.resolve("state").resolve(String.valueOf(member));
    }

    /** Notes that a member is handed over again by the user: its restarts and retries are counted anew. */
    void resumed(int member) {
        String note = Instant.now().truncatedTo(ChronoUnit.SECONDS) + " resumed\n";
        IoFailure.whileWriting(
                state(member),
                () -> Files.writeString(state(member), note, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    MemberNotes notes(int member) {
        Path file = state(member);
        String text =
                !Files.exists(file) ? "" : IoFailure.whileReading("cannot read " + file, () -> Files.readString(file));
        return MemberNotes.parse(text);
    }

    boolean cancelled() {
        return Files.exists(path.resolve(CANCELLED));
    }

    /** Notes that members are not to be run again, or that they may be. */
    void cancelled(boolean now) {
        Path mark = path.resolve(CANCELLED);
        if (now) {
            AtomicFiles.writeText(mark, "");
        } else {
            IoFailure.whileWriting(mark, () -> Files.deleteIfExists(mark));
        }
    }

    /** @throws PrpfException 2 for a member that the launch does not have */
    int requireMember(@Nullable Integer member) {
        int last = launch.members().size() - 1;
        if (member == null || member < 0 || member > last) {
            throw new UsageException("--member = " + member + ", must be from 0 to " + last + " in " + path);
        }
        return member;
    }
}
