package dev.prpf.cli.launch;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.workflow.Stage;
import dev.prpf.cli.launch.NotedScheduler.MemberNotes;
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
 * The files of a launch: {@code launch.json}, the job file, {@code members} (one command line each), {@code state/} (starts and ends of each
 * member) and {@code logs/}. A cancelled launch also has {@code cancelled}.
 *
 * @param path absolute
 * @param launch the content of {@code launch.json}
 */
record LaunchFolder(Path path, Launch launch) {
    private static final String RECORD = "launch.json";
    private static final String CANCELLED = "cancelled";

    /**
     * Writes all files of a job before it is submitted.
     *
     * @throws PrpfException 78 if the folder already holds a launch; 69 if it cannot be written
     */
    static LaunchFolder create(Path path, Launch launch, String job) {
        Path absolute = path.toAbsolutePath().normalize();
        if (Files.exists(absolute.resolve(RECORD))) {
            throw new InvalidConfigurationException(
                    path + ": holds a launch already; name another --launch-dir, or run ./prpf launch resume " + path);
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

    /** Creates the folder with access for its owner only, as the job file may hold secrets of the environment. */
    private static void createPrivate(Path folder) throws IOException {
        Files.createDirectories(folder.getParent());
        if (!Files.exists(folder)) {
            Files.createDirectory(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
    }

    /** @throws PrpfException 65 if the folder holds no launch, or it cannot be read */
    static LaunchFolder read(Path path) {
        Path file = path.resolve(RECORD);
        if (!Files.isRegularFile(file)) {
            throw new InvalidDataException(
                    path + ": holds no " + RECORD + "; give the folder that ./prpf launch named when it submitted");
        }
        return new LaunchFolder(path.toAbsolutePath().normalize(), JsonFile.record(file, "launch", Launch.class));
    }

    /** Saves the scheduler's id of the job. */
    LaunchFolder submitted(String id) {
        LaunchFolder taken = new LaunchFolder(path, launch.withId(id));
        taken.write();
        return taken;
    }

    private void write() {
        AtomicFiles.writeText(path.resolve(RECORD), JsonRecords.tree(launch).toPrettyString() + "\n");
    }

    /** @throws PrpfException 69 if the scheduler never accepted the job */
    String id() {
        if (launch.id() == null) {
            throw new UnavailableException(path + ": " + launch.to()
                    + " never accepted this job (launch.json has no id); submit it with ./prpf launch resume "
                    + Stage.quoted(path.toString()));
        }
        return launch.id();
    }

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

    /** Notes that the user submits a member again; its restarts and retries count from 0. */
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

    /** Marks the launch as cancelled, so that members do not run again, or removes the mark. */
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

    /**
     * The description of a submitted job, as written to {@code launch.json}.
     *
     * @param id the scheduler's id, or {@code PID@HOST}; null until the scheduler accepted the job
     * @param namespace of Kubernetes, else null
     * @param nodes number of members that run at a time
     * @param members command lines, without {@code ./prpf}
     * @param then the next command line once all members are done; null without one
     * @param submitted time in UTC
     */
    record Launch(
            Target to,
            String name,
            @Nullable String id,
            @Nullable String namespace,
            int nodes,
            List<String> members,
            @Nullable String then,
            String submitted) {
        Launch withId(String taken) {
            return new Launch(to, name, taken, namespace, nodes, members, then, submitted);
        }
    }
}
