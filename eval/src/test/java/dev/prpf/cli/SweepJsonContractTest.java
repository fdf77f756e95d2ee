package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class SweepJsonContractTest extends JsonContract {
    private static final List<String> MEMBERS = List.of(
            "--",
            "data",
            "synth",
            "--count",
            "8",
            "--out",
            "{self}",
            "--",
            "data",
            "stats",
            "--data",
            "{self}/benchmark_zh.json");

    private static String[] sweep(List<String> options) {
        List<String> words = new ArrayList<>(List.of("grid", "--json"));
        words.addAll(options);
        words.addAll(MEMBERS);
        return words.toArray(String[]::new);
    }

    private static JsonNode result(CommandProcess.Result result, int exitCode) throws IOException {
        assertThat(result.exitCode()).as(result.stderr()).isEqualTo(exitCode);
        return JSON.readTree(result.stdout());
    }

    @Test
    void sweepSweepGather() throws IOException {
        List<String> options = List.of("--sweep", "--seed=1..2", "--run-dir=s", "--workers=2");
        List<String> dryRun = new ArrayList<>(options);
        dryRun.add("--dry-run");
        JsonNode dry = result(run(sweep(dryRun)), 0);
        assertThat(keys(dry)).containsExactly("dry_run", "run", "sweeps");
        assertThat(dry.at("/sweeps/sweep/seed=1/0").textValue())
                .isEqualTo("./prpf data synth --count 8 --out s/members/seed=1 --seed=1");
        assertThat(directory.resolve("s")).doesNotExist();

        CommandProcess.Result ran = run(sweep(options));
        JsonNode json = result(ran, 0);
        assertThat(keys(json)).containsExactly("run", "report", "sweeps");
        JsonNode table = json.at("/sweeps/sweep");
        assertThat(keys(table)).containsExactly("axes", "metrics", "members", "rows", "notes");
        assertThat(keys(table.at("/members/0")))
                .containsExactly("index", "name", "values", "state", "exit", "problem", "seconds", "log", "metrics");
        assertThat(table.at("/members/1/state").textValue()).isEqualTo("done");
        assertThat(keys(table.at("/rows/0"))).containsExactly("values", "members", "metrics");
        assertThat(ran.stderr()).contains("seed=1: started, log s/logs/seed=1.log", "1 to go, ends about ");
        for (String file : List.of("report.html", "table.csv", "members.csv", "table.json", "run.json")) {
            assertThat(directory.resolve("s").resolve(file)).isNotEmptyFile();
        }

        CommandProcess.Result again = run(sweep(options));
        assertThat(result(again, 0)).isEqualTo(json);
        assertThat(again.stderr()).contains("2 of 2 members were done before").doesNotContain("started");
        assertThat(json("grid", "gather", "s")).isEqualTo(json);
        JsonNode one = json("grid", "gather", "s", "--metric", "n=records");
        assertThat(one.at("/sweeps/sweep/metrics").toString()).isEqualTo("[\"n\"]");

        CommandProcess.Result other = run(sweep(List.of("--sweep", "--seed=1..3", "--run-dir=s")));
        assertThat(other.exitCode()).isEqualTo(78);
        assertThat(other.stderr()).contains("s: holds a sweep whose axes were --seed=1,2 and now are --seed=1,2,3");
    }

    @Test
    void aFailedMemberIsNamedWithItsStatusAndLog() throws IOException {
        Files.createDirectories(directory.resolve("f/members/seed=7"));
        Files.writeString(
                directory.resolve("f/members/seed=7/benchmark_zh.json"), "a data set that data synth does not replace");
        CommandProcess.Result result = run(sweep(List.of("--sweep", "--seed=7,8", "--run-dir=f")));
        JsonNode json = JSON.readTree(result.stdout());
        int exit = json.at("/sweeps/sweep/members/0/exit").intValue();
        assertThat(result.exitCode()).isEqualTo(exit).isNotZero();
        assertThat(json.at("/sweeps/sweep/members/1/state").textValue()).isEqualTo("done");
        assertThat(result.stderr())
                .contains("1 member failed", "seed=7: failed, exit " + exit + ", log f/logs/seed=7.log: ");
        assertThat(directory.resolve("f/logs/seed=7.log")).content().contains("error: ");
    }

    @Test
    void membersOfAWrittenPlanRunAnywhereAndAreGathered() throws IOException {
        JsonNode plan = result(run(sweep(List.of("--sweep", "--seed=5..6", "--run-dir=p", "--plan-only"))), 0);
        assertThat(plan.at("/sweeps/sweep/seed=6/0").textValue()).isEqualTo("./prpf grid member p 1");
        CommandProcess.Result member = run("grid", "member", "p", "1");
        assertThat(member.exitCode()).as(member.stderr()).isZero();
        assertThat(member.stdout()).isEmpty();
        JsonNode table = json("grid", "gather", "p").at("/sweeps/sweep");
        assertThat(table.at("/members/0/state").textValue()).isEqualTo("waiting");
        assertThat(table.at("/members/1/state").textValue()).isEqualTo("done");
        assertThat(run("grid", "member", "p", "2").stderr()).contains("member 2 of p, must be from 0 to 1");
    }

    @Test
    void wrongCommandsAreRefusedBeforeAnythingRuns() {
        CommandProcess.Result unknown =
                run("grid", "--sweep", "--sed=1,2", "--run-dir=w", "--", "data", "synth", "--out", "{self}");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.stderr()).contains("Unknown option: '--sed=1', in ./prpf data synth");
        CommandProcess.Result loose = run("grid", "--sweep", "seed=1,2", "--run-dir=w", "data", "synth");
        assertThat(loose.exitCode()).isEqualTo(2);
        assertThat(loose.stderr()).contains("does not follow a --, so its options would be the sweep's");
        assertThat(run("grid", "member", "w", "0").stderr()).contains("w/sweep.json: does not exist");
        assertThat(directory.resolve("w")).doesNotExist();
    }

    @Test
    void runsCompare() throws IOException {
        for (int seed = 1; seed <= 2; seed++) {
            RunDescription description = new RunDescription(
                    "reasoner sft", List.of(), "rate: " + seed + "\n", Map.of("data_sha256", "a", "seed", seed));
            try (RunDirectory run = RunDirectory.open(directory.resolve("run-" + seed), Resume.AUTO, description)) {
                run.metric(seed, Map.of("loss", 0.5 / seed));
                run.finish(Map.of("n", 4));
            }
        }
        JsonNode json = json("runs", "compare", "run-1", "run-2");
        assertThat(keys(json)).containsExactly("runs", "differences", "metrics");
        assertThat(keys(json.at("/runs/0"))).containsExactly("run", "command", "state", "step", "problem");
        assertThat(json.get("differences")).hasSize(2);
        assertThat(json.at("/metrics/0").toString())
                .isEqualTo("{\"metric\":\"loss\",\"values\":{\"run-1\":0.5,\"run-2\":0.25}}");
    }
}
