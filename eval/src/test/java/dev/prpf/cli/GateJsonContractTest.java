package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The commands of the perceiver. */
@Tag("slow")
class GateJsonContractTest extends JsonContract {
    @Test
    void mppTrainSweepPredict() throws IOException {
        json(
                "gate",
                "train",
                "--config",
                CONFIGS.resolve("gate.yaml").toString(),
                "--set=network.dimension=16",
                "--set=network.heads=2",
                "--set=network.layers=1",
                "--set=network.max-steps=3",
                "--set=network.recent-steps=2",
                "--set=network.feed-forward=32",
                "--set=training.epochs=1",
                "--set=encoder.precision=int8",
                "--set=encoder.threads=1",
                "--data=" + DATA,
                "--images=d",
                "--store=store",
                "--run-dir=mpp");
        JsonNode tracked = json("runs", "track", "mpp", "--to", "tensorboard");
        assertThat(keys(tracked)).containsExactly("to", "runs");
        assertThat(keys(tracked.at("/runs/0"))).containsExactly("run", "state", "lines", "place");
        assertThat(tracked.at("/runs/0/state").textValue()).isEqualTo("done");
        assertThat(tracked.at("/runs/0/lines").intValue()).isPositive();
        JsonNode sweep = json("gate", "sweep", "--gate", "mpp", "--tau", "0.5");
        assertThat(keys(sweep)).containsExactlyInAnyOrder("threshold", "recall", "specificity", "constraint", "curve");
        assertThat(sweep.get("threshold").doubleValue()).isEqualTo(0.5);
        assertThat(sweep.get("curve")).hasSize(91);
        assertThat(keys(sweep.at("/curve/0"))).containsExactlyInAnyOrder("tau", "recall", "specificity");
        assertThat(sweep.at("/curve/0/tau").doubleValue()).isEqualTo(0.05);
        assertThat(sweep.at("/curve/90/tau").doubleValue()).isEqualTo(0.95);

        JsonNode withShortlists = json("gate", "sweep", "--gate", "mpp", "--tau", "0.5", "--shortlist", "1..10");
        assertThat(keys(withShortlists))
                .containsExactly("threshold", "recall", "specificity", "constraint", "curve", "shortlist");
        assertThat(withShortlists.get("shortlist")).hasSize(10);
        assertThat(keys(withShortlists.at("/shortlist/4")))
                .containsExactly("k", "recall_all", "recall_triggering", "pool_mean", "pool_largest");

        CommandProcess.Result predicted = CommandProcess.in(directory)
                .run(
                        "gate",
                        "predict",
                        "--gate=mpp",
                        "--data=" + DATA,
                        "--images=d",
                        "--store=store",
                        "--out=p.jsonl",
                        "--json");
        assertThat(predicted.exitCode()).as(predicted.stderr()).isZero();
        assertThat(JSON.readTree(predicted.stdout()).isObject()).isTrue();
        List<String> lines = Files.readAllLines(directory.resolve("p.jsonl"));
        assertThat(lines).hasSize(24);
        for (String line : lines) {
            JsonNode said = JSON.readTree(line);
            assertThat(keys(said)).containsExactly("id", "p_trigger", "trigger", "scenarios");
            assertThat(said.get("trigger").booleanValue())
                    .isEqualTo(said.get("p_trigger").doubleValue() >= 0.5);
            assertThat(said.get("scenarios")).hasSize(14);
        }
    }

    @Test
    void mppTrainOverSeedsThenSweep() throws IOException {
        JsonNode trained = json(
                "gate",
                "train",
                "--config",
                CONFIGS.resolve("gate.yaml").toString(),
                "--seeds=1,2",
                "--no-ablations",
                "--set=network.dimension=16",
                "--set=network.heads=2",
                "--set=network.layers=1",
                "--set=network.feed-forward=32",
                "--set=training.epochs=1",
                "--set=threshold.min-recall=1",
                "--set=encoder.precision=int8",
                "--set=encoder.threads=1",
                "--data=" + DATA,
                "--images=d",
                "--store=seed-store",
                "--run-dir=mpp-seeds");
        assertThat(keys(trained)).containsExactly("run", "trainings", "tables", "report");
        JsonNode swept = json("gate", "sweep", "--gate", "mpp-seeds", "--tau", "0.5");
        assertThat(keys(swept))
                .containsExactly(
                        "split",
                        "n",
                        "confusion",
                        "threshold",
                        "variants",
                        "shortlist",
                        "distribution",
                        "auc",
                        "average_precision",
                        "reliability",
                        "ece_uncalibrated",
                        "report");
        assertThat(Path.of(swept.get("report").textValue())).isAbsolute().isRegularFile();
    }
}
