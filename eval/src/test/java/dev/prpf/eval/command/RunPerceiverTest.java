package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PredictionCost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks the perceivers of {@code eval run}. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
class RunPerceiverTest extends RunCommandRuns {
    @ParameterizedTest
    @CsvSource({"log-odds,0.0,5", "log-odds,1.0,0", "words,0.5,0"})
    void aLanguageModelPerceives(String reads, String threshold, int reasoned) throws IOException {
        Path out = directory.resolve("perceived-" + reads + threshold).resolve("p.jsonl");
        String[] options = {
            "--perceiver-model", model.toString(), "--perceiver-reads", reads, "--threshold", threshold, "--json"
        };
        JsonNode summary = new ObjectMapper().readTree(run(out, options));
        assertThat(status).isZero();
        assertThat(summary.path("reasoned").asInt()).isEqualTo(reasoned);
        boolean unusable = reads.equals("words"); // four tokens are no response
        for (Prediction prediction : Prediction.read(out)) {
            assertThat(prediction.unusablePerception()).isEqualTo(unusable);
            if (!unusable) {
                assertThat(prediction.pTrigger()).isBetween(0.0, 1.0);
                assertThat(prediction.scenarios()).hasSize(14);
            }
            PredictionCost cost = Objects.requireNonNull(prediction.cost());
            assertThat(Objects.requireNonNull(cost.flops().fusion()))
                    .as("the passes of the model that perceives")
                    .isPositive();
            assertThat(cost.promptTokens()).as("the reasoner's alone").matches(n -> (n > 0) == (reasoned > 0));
        }
        JsonNode run =
                new ObjectMapper().readTree(out.resolveSibling("run.json").toFile());
        assertThat(run.path("perceiver").asText()).startsWith(reads + ":local:model:");
        assertThat(run.path("perceiver_model_sha256").asText())
                .isEqualTo(run.path("model_sha256").asText());
        assertThat(run.path("gate").asText()).isEqualTo("tau " + threshold + " (given), no risk control");
        assertThat(Files.readString(out.resolveSibling("config.resolved.yaml")))
                .contains("perceiver:\n  reads: " + reads + "\n  decoding:\n    max-new: 4\n");
        assertThat(summary.path("unusable_perceptions").asInt())
                .isEqualTo(unusable ? summary.path("samples").asInt() : 0);
        JsonNode again = new ObjectMapper().readTree(run(out, options));
        assertThat(status).as("again").isZero();
        assertThat(again.path("unusable_perceptions")).isEqualTo(summary.path("unusable_perceptions"));
    }

    @Test
    void aLanguageModelsThresholdIsAHalf() throws IOException {
        Path out = directory.resolve("half").resolve("p.jsonl");
        run(out, "--perceiver-model", model.toString(), "--compress", "off");
        assertThat(status).isZero();
        JsonNode run =
                new ObjectMapper().readTree(out.resolveSibling("run.json").toFile());
        assertThat(run.path("gate").asText()).isEqualTo("tau 0.5 (default), no risk control");
        assertThat(Prediction.read(out))
                .allMatch(one ->
                        (Objects.requireNonNull(one.pTrigger()) >= 0.5) == (one.route() == Prediction.Route.REASONED));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--perceiver-reads=words|--perceiver-reads needs --perceiver-model",
                "--perceiver-model=m --gating off --compress off|--perceiver-model has no effect with --gating off --compress off",
                "--perceiver-model=m --gate=r --threshold=0.5|--perceiver-model replaces --gate; give one of them",
            })
    void perceiversThatContradictAreRefused(String options, String why) {
        Path out = directory.resolve("contradicted").resolve("p.jsonl");
        String[] given = (options.contains("=m") ? options : options + " --gating off --compress off").split(" ");
        assertThat(run(out, given)).contains(why);
        assertThat(status).isEqualTo(2);
    }

    /** The options of a model in this process are the perceiver's where the reasoner is on a server. */
    @Test
    void aModelHereMayPerceiveForAReasonerOnAServer() throws IOException {
        String[] arguments = {
            "run",
            "--data=" + data,
            "--perceiver-model=" + model,
            "--perceiver-reads=words",
            "--remote=" + Path.of(System.getProperty("prpf.root", ".."), "configs", "remote.yaml"),
            "--max-new=64",
            "--batch-size=2",
            "--dtype=fp32",
            "--constrained",
            "--store=" + directory.resolve("store"),
            "--out=" + directory.resolve("both").resolve("p.jsonl"),
            "--dry-run",
            "--json"
        };
        JsonNode plan = new ObjectMapper().readTree(execute(new EvalCommand(), arguments));
        assertThat(status).isZero();
        assertThat(plan.path("perceiver").asText()).isNotEqualTo("none");
        assertThat(plan.path("reasoner").asText()).startsWith("remote:");

        String[] drawn = Arrays.copyOf(arguments, arguments.length + 1);
        drawn[arguments.length] = "--temperature=1";
        assertThat(execute(new EvalCommand(), drawn))
                .contains("--temperature is for --reasoner; the settings of a reasoner on a server are in")
                .contains("and a perceiver is greedy");
        assertThat(status).isEqualTo(2);
    }

    @Test
    void theGateNeedsAPerceiver() {
        assertThat(run(directory.resolve("gated").resolve("p.jsonl"))).contains("--gate");
        assertThat(status).isEqualTo(2);
        assertThat(directory.resolve("gated")).doesNotExist();
    }
}
