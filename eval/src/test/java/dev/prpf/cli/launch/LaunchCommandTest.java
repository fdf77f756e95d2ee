package dev.prpf.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.cli.sweep.SweepPlan;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class LaunchCommandTest {
    private static final String[] TRAIN = {"--", "./prpf", "train", "--data", "d"};

    @TempDir
    Path directory;

    private FakePrograms fakes;
    private Path folder;

    @BeforeEach
    void programs() {
        fakes = new FakePrograms(directory.resolve("bin"))
                .with("sbatch", "echo 42")
                .with("squeue", "")
                .with("scancel", "");
        folder = directory.resolve("launch");
    }

    /** Returns the output of {@code prpf launch}. */
    private String launch(String[] command, String... options) {
        CommandLine line = Launches.COMMANDS.get();
        line.addSubcommand("launch", new LaunchCommand(fakes.programs()));
        List<String> words = new ArrayList<>(List.of("launch"));
        words.addAll(List.of(options));
        words.addAll(List.of(command));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream before = ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        try {
            line.getExecutionStrategy().execute(line.parseArgs(words.toArray(String[]::new)));
        } catch (CommandLine.ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        } finally {
            ResultStream.redirect(before);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private String launch(String... options) {
        return launch(TRAIN, options);
    }

    private String in(String verb, String... options) {
        List<String> words = new ArrayList<>(List.of(verb, folder.toString()));
        words.addAll(List.of(options));
        return launch(new String[0], words.toArray(String[]::new));
    }

    private static JsonNode json(String text) throws IOException {
        return new ObjectMapper().readTree(text);
    }

    private void state(int member, String events) throws IOException {
        Files.writeString(folder.resolve("state/" + member), events);
    }

    @Test
    void aDryRunPrintsTheJobFileAndDoesNothing() throws IOException {
        String job =
                launch("--to", "slurm", "--dry-run", "--launch-dir", folder.toString(), "--gpus=2", "--time=01:00:00");
        assertThat(job)
                .startsWith("#!/usr/bin/env bash\n")
                .contains("#SBATCH --gpus-per-node=2\n", "#SBATCH --time=01:00:00\n");
        assertThat(launch("--to=kubernetes", "--dry-run", "--set=kubernetes.namespace=lab"))
                .contains("kind: Job\n", "namespace: \"lab\"\n", "- \"train --data d --run-dir train-");
        assertThat(launch("--to=local", "--dry-run")).contains("work_off");
        JsonNode json = json(launch("--to", "slurm", "--dry-run", "--json"));
        assertThat(json.fieldNames()).toIterable().containsExactly("dry_run", "to", "name", "members", "job", "then");
        assertThat(json.get("to").textValue()).isEqualTo("slurm");
        assertThat(fakes.calls()).isEmpty();
        assertThat(folder).doesNotExist();
    }

    @Test
    void whatWasSubmittedIsKeptAndCanBeAskedFor() throws IOException {
        JsonNode json = json(launch("--to=slurm", "--launch-dir=" + folder, "--name=My Run", "--json"));
        assertThat(json.fieldNames())
                .toIterable()
                .containsExactly("launch", "to", "name", "id", "members", "job", "then");
        assertThat(json.get("id").textValue()).isEqualTo("42");
        assertThat(json.get("name").textValue()).matches("my-run-\\d{8}-\\d{6}");
        assertThat(fakes.calls()).containsExactly("sbatch --parsable " + folder.resolve("job.sh"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
                .as("its job file may hold secrets")
                .isEqualTo("rwx------");
        assertThat(folder.resolve("members")).hasContent("train --data d --run-dir " + folder + "/run");
        state(0, "t started n\nt ended 0\n");
        JsonNode status = json(in("status", "--json"));
        assertThat(status.fieldNames()).toIterable().containsExactly("launch", "to", "name", "id", "members", "then");
        assertThat(status.at("/members/0").fieldNames())
                .toIterable()
                .containsExactly("member", "state", "exit_code", "starts", "detail", "command");
        assertThat(status.at("/members/0/state").textValue()).isEqualTo("done");
        Files.writeString(folder.resolve("logs/0.log"), "line 1\nline 2");
        assertThat(in("logs")).isEqualTo("line 1\n");
        assertThatThrownBy(() -> in("logs", "--member", "1"))
                .isInstanceOf(UsageException.class)
                .hasMessage("--member = 1, must be from 0 to 0 in " + folder);
    }

    @Test
    void commandsThatGoOnCanBePastedWhateverTheFoldersName() {
        folder = directory.resolve("50% it's");
        assertThat(launch("--to=slurm", "--launch-dir=" + folder))
                .contains("  ./prpf launch status '" + directory + "/50% it'\\''s'\n");
        assertThat(in("cancel")).endsWith("./prpf launch resume '" + directory + "/50% it'\\''s'\n");
    }

    @Test
    void aSweepIsAnArrayWhosePlanLiesInTheLaunchsFolder() throws IOException {
        String sweep = folder + "/sweep";
        assertThat(launch("--to=slurm", "--sweep=seed=42..43", "--launch-dir=" + folder))
                .contains("as 42 (2 members)\n")
                .endsWith("once all are done: ./prpf grid gather " + sweep + "\n");
        assertThat(folder.resolve("members")).hasContent("grid member " + sweep + " 0\ngrid member " + sweep + " 1");
        assertThat(SweepPlan.read(folder.resolve("sweep")).members())
                .extracting(member -> member.steps().get(0))
                .containsExactly(
                        List.of("train", "--data", "d", "--set", "seed=42", "--run-dir", sweep + "/members/seed=42"),
                        List.of("train", "--data", "d", "--set", "seed=43", "--run-dir", sweep + "/members/seed=43"));
        assertThatThrownBy(() -> launch("--to=kubernetes", "--sweep=seed=42..43"))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("--sweep works with --to slurm and --to local");
        assertThatThrownBy(() -> launch("--to=slurm", "--sweep=seed=42..43", "--shards=2"))
                .isInstanceOf(UsageException.class)
                .hasMessage("--shards and --sweep exclude each other; give one");
        assertThatThrownBy(() -> launch("--to=slurm", "--sweep=--nowhere=1,2"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("Unknown option: '--nowhere=1'");
    }

    @Test
    void shardsAreAnArrayThatIsMergedAtTheEnd() throws IOException {
        String[] eval = {"--", "eval", "run", "--data", "d", "--out", "all/p.jsonl"};
        String then = "./prpf eval merge --out all/p.jsonl all/shard-1/p.jsonl all/shard-2/p.jsonl";
        assertThat(launch(eval, "--to=slurm", "--shards=2", "--launch-dir=" + folder))
                .contains("as 42 (2 members)\n", "./prpf launch status " + folder + "\n")
                .endsWith("once all are done: " + then + "\n");
        state(0, "t started n\nt ended 0\n");
        state(1, "t started n\nt ended 137\n");
        assertThat(in("status"))
                .isEqualTo("0: done, exit code 0\n   ./prpf eval run --data d --out all/shard-1/p.jsonl --shard 1/2\n"
                        + "1: failed, exit code 137\n   ./prpf eval run --data d --out all/shard-2/p.jsonl --shard 2/2\n"
                        + "slurm 42: 1 done, 1 failed\nto run the others again: ./prpf launch resume " + folder + "\n");
        assertThat(in("resume")).contains(" as 42 (1 of 2 members)\n");
        assertThat(fakes.calls()).endsWith("sbatch --parsable --array=1%1 " + folder.resolve("job.sh"));
        assertThat(in("status"))
                .as("not in the queue of this stand-in")
                .contains("1: lost, exit code 137: it recorded no end");
        state(1, "t started n\nt ended 137\nt requeued\nt started n\nt ended 0\n");
        assertThat(in("status"))
                .contains("1: done, exit code 0, started 2 times")
                .endsWith("all are done; next: " + then + "\n");
        assertThatThrownBy(() -> in("resume"))
                .isInstanceOf(UsageException.class)
                .hasMessage(folder + ": every member is done; there is nothing to resume");
    }

    @Test
    void whatRunsIsNotResumedAndCancellingIsRemembered() throws IOException {
        launch("--to=slurm", "--launch-dir=" + folder);
        state(0, "t started n\n");
        fakes.with("squeue", "echo '42|N/A|RUNNING|None'");
        assertThatThrownBy(() -> in("resume"))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith(folder + ": member 0 is still running");
        JsonNode json = json(in("cancel", "--json"));
        assertThat(json.fieldNames()).toIterable().containsExactly("launch", "to", "id");
        assertThat(fakes.calls()).endsWith("scancel 42");
        assertThat(folder.resolve("cancelled")).exists();
        fakes.with("squeue", "");
        in("resume");
        assertThat(folder.resolve("cancelled")).doesNotExist();
    }

    @Test
    void aLaunchThatTheSchedulerRefusedCanBeSubmittedAgain() {
        fakes.with("sbatch", "echo 'sbatch: error: Unable to contact slurm controller' >&2; exit 1");
        assertThatThrownBy(() -> launch("--to=slurm", "--launch-dir=" + folder))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("Unable to contact slurm controller");
        assertThatThrownBy(() -> in("status"))
                .isInstanceOf(UnavailableException.class)
                .hasMessage(
                        folder + ": slurm never accepted this job (launch.json has no id); submit it with ./prpf launch"
                                + " resume " + folder);
        fakes.with("sbatch", "echo 43");
        assertThat(in("resume")).contains("as 43 (1 member)");
    }

    @Test
    void whatIsMissingOrTakenIsSaid() throws IOException {
        assertThatThrownBy(() -> launch(TRAIN))
                .isInstanceOf(UsageException.class)
                .hasMessage("launch needs --to slurm, --to kubernetes or --to local");
        assertThatThrownBy(() -> launch("--to=slurm", "--shards=0"))
                .isInstanceOf(UsageException.class)
                .hasMessage("--shards = 0, must be 1 or more");
        assertThatThrownBy(() -> launch("--to=slurm", "--name=中文"))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("--name = 中文, must have letters or digits");
        assertThatThrownBy(() -> launch("--to=slurm", "--gpus=-1"))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("gpus = -1 must be 0 or more");
        assertThatThrownBy(() -> in("status"))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageStartingWith(folder + ": holds no launch.json");
        launch("--to=slurm", "--launch-dir=" + folder);
        assertThatThrownBy(() -> launch("--to=slurm", "--launch-dir=" + folder))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageStartingWith(folder + ": holds a launch already");
        Files.writeString(folder.resolve("launch.json"), "{\"to\": \"moon\"}");
        assertThatThrownBy(() -> in("status"))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageStartingWith(folder + "/launch.json: is no launch");
    }

    @Test
    void aFolderThatCannotBeWrittenIsToldBeforeAnythingIsSubmitted() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        assertThatThrownBy(() -> launch("--to=slurm", "--launch-dir=" + file + "/x"))
                .isInstanceOf(UnavailableException.class)
                .hasMessageStartingWith("cannot write " + file + "/x");
        assertThat(fakes.calls()).isEmpty();
    }

    @Test
    void aJobWhoseNumberCannotBeKeptIsToldByItsNumber() {
        fakes.with("sbatch", "rm -r '" + folder + "'; : > '" + folder + "'; echo 42");
        assertThatThrownBy(() -> launch("--to=slurm", "--launch-dir=" + folder))
                .isInstanceOf(UnavailableException.class)
                .hasMessageStartingWith(
                        "slurm accepted the job as 42, but this id cannot be saved; cancel the job with slurm's own commands:"
                                + " cannot write " + folder + "/launch.json");
    }
}
