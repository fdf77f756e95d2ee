package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.workflow.Renamings;
import dev.prpf.base.workflow.Renamings.Renaming;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import picocli.CommandLine;

class RenamingsTest {
    private static final List<Renaming> TABLE = Renamings.TABLE;

    @TempDir
    private Path directory;

    private static String problem(String... words) {
        return String.valueOf(Renamings.problem("prpf", List.of(words)));
    }

    /** Returns the options of a command and of all commands below it. */
    private static Stream<String> options(CommandLine line) {
        return Stream.concat(
                line.getCommandSpec().optionsMap().keySet().stream(),
                line.getSubcommands().values().stream().flatMap(RenamingsTest::options));
    }

    private static CommandLine find(String path) {
        CommandLine line = Main.commandLine();
        for (String name : path.isEmpty() ? new String[0] : path.split(" ", -1)) {
            assertThat(line.getSubcommands()).as(path).containsKey(name);
            line = Objects.requireNonNull(line.getSubcommands().get(name));
        }
        return line;
    }

    @ParameterizedTest
    @FieldSource("TABLE")
    void theOldNameIsRefusedAndTheNewOneShown(Renaming row) throws IOException {
        boolean spark = row.where().startsWith("prpf-spark");
        String program = spark ? "prpf-spark" : "prpf";
        String where = spark ? row.where().replaceFirst("prpf-spark ?", "") : row.where();
        String prefix = where.isEmpty() && row.old().startsWith("--") ? "eval run" : where;
        String old = row.old();
        String now = row.now();
        if (old.endsWith(".yaml")) {
            old = directory + "/" + old.replace("*", "1");
            now = directory + "/" + now.replace("*", "1");
            Files.writeString(Path.of(now), "");
            prefix = "eval run --config";
        }
        List<String> words = List.of((prefix + " " + old + " x 'y").strip().split(" ", -1));
        assertThat(Renamings.problem(program, words))
                .isEqualTo(old + " is now " + now + " (CHANGELOG.md); write: " + (spark ? program : "./prpf") + " "
                        + (prefix + " " + now + " x ''\\''y'").strip());
    }

    @ParameterizedTest
    @FieldSource("TABLE")
    void onlyTheNewNameIsAName(Renaming row) {
        if (row.where().startsWith("prpf-spark") || row.old().endsWith(".yaml")) {
            return;
        }
        if (row.old().startsWith("--")) {
            assertThat(options(find(row.where()))).contains(row.now().split(" ", 2)[0]);
            if (!row.old().startsWith("--gate ") && !row.old().equals("--set")) {
                assertThat(options(find(row.where()))).doesNotContain(row.old());
            }
        } else {
            find(row.now());
            String parent = row.old().contains(" ") ? row.old().split(" ", 2)[0].replace("par", "reasoner") : "";
            assertThat(find(parent).getSubcommands())
                    .doesNotContainKey(row.old().replaceFirst(".* ", ""));
        }
    }

    @Test
    void aLongCommandLineIsRenamedWhole() {
        assertThat(problem(
                        "sweep",
                        "--sweep",
                        "--top-k=1..10",
                        "--sweep=--gate=on,off",
                        "--run-dir",
                        "my runs",
                        "--",
                        "eval",
                        "run",
                        "--data",
                        "my data/it's.json",
                        "--mpp=runs/m",
                        "--par",
                        "runs/p",
                        "--out",
                        "{self}/{--top-k}.jsonl",
                        "--",
                        "mpp",
                        "sweep",
                        "--run",
                        "{self}",
                        "--",
                        "data",
                        "export",
                        "--set",
                        "a b"))
                .isEqualTo("sweep is now grid, --mpp is now --gate, --par is now --reasoner, mpp is now gate,"
                        + " --run is now --gate, --set is now --examples, --top-k is now --shortlist,"
                        + " --gate on is now --gating on (CHANGELOG.md); write: ./prpf grid --sweep --shortlist=1..10"
                        + " --sweep=--gating=on,off --run-dir 'my runs' -- eval run --data 'my data/it'\\''s.json'"
                        + " --gate=runs/m --reasoner runs/p --out '{self}/{--shortlist}.jsonl' -- gate sweep --gate"
                        + " '{self}' -- data export --examples 'a b'");
    }

    /** The axis is an option of the first command; the later one has had this name for another option. */
    @Test
    void axisOfTheFirstCommand_keepsANameThatIsOldInALaterOne() {
        assertThat(problem("grid", "--sweep", "--top-k=1..3", "--", "reasoner", "generate", "--", "eval", "run"))
                .isEqualTo("null");
        assertThat(problem("grid", "--sweep", "--top-k=1..3", "--", "eval", "run", "--", "reasoner", "generate"))
                .endsWith("write: ./prpf grid --sweep --shortlist=1..3 -- eval run -- reasoner generate");
    }

    @Test
    void theCommandLineEndsWithTheMessage() {
        CommandProcess.Result result =
                CommandWorker.run("par", "sft", "--model", "my base", "--set", "training.seed=1");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.stdout()).isEmpty();
        assertThat(result.stderr())
                .isEqualTo(
                        "error: par is now reasoner, --model is now --reasoner (CHANGELOG.md); write: ./prpf reasoner sft"
                                + " --reasoner 'my base' --set training.seed=1\n");
    }

    @Test
    void aPastedCommandLineIsRenamedAfterItsLauncher() {
        assertThat(problem("launch", "--to", "local", "--", "./prpf", "par", "sft", "--model", "m"))
                .endsWith("write: ./prpf launch --to local -- reasoner sft --reasoner m");
    }

    @Test
    void newCommandLinesHaveNoOldNames() {
        assertThat(Renamings.problem("prpf", List.of())).isNull();
        assertThat(problem("eval", "run", "--gate", "runs/on", "--gating", "off", "--shortlist=3", "--set=a=b"))
                .isEqualTo("null");
        assertThat(problem("reasoner", "generate", "--top-k", "5", "--prompt", "mpp par"))
                .isEqualTo("null");
        assertThat(problem("runs", "compare", "sweep", "--", "mpp", "par")).isEqualTo("null");
        assertThat(problem("grid", "--sweep", "--shortlist=1..3", "--", "eval", "run"))
                .isEqualTo("null");
    }

    @Test
    void theChangelogHasTheSameTable() throws IOException {
        Path page = Path.of(System.getProperty("prpf.root", "..")).resolve("CHANGELOG.md");
        List<Renaming> rows = new ArrayList<>();
        Files.readAllLines(page).stream()
                .dropWhile(line -> !line.startsWith("| where |"))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .map(line -> line.replace("`", "").split("\\|"))
                .forEach(cells -> rows.add(new Renaming(cells[1].strip(), cells[2].strip(), cells[3].strip())));
        assertThat(rows).isEqualTo(TABLE);
    }
}
