package dev.prpf.eval.command;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.UsageException;
import dev.prpf.base.run.Resume;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.eval.calls.CallRun;
import dev.prpf.eval.calls.CallScoring;
import dev.prpf.eval.calls.CallTask;
import dev.prpf.eval.suite.SuiteResult;
import dev.prpf.par.cascade.LocalReasoner;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.Reasoner;
import dev.prpf.par.cascade.RemoteReasoner;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.ScreenTexts;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The options of a function-calling suite: who answers, how, and where the answers are kept; a mixin. */
final class SuiteReasoner {
    private static final ScenarioCatalog NO_SCENARIOS = new ScenarioCatalog(List.of(), Map.of());
    private static final int CHUNK = 64;
    private static final int ROUNDS =
            4; // answers come at different speeds: one round would leave a server idle at its end
    private static final List<String> LOCAL = List.of("--max-new", "--batch-size", "--dtype", "--constrained");

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @ArgGroup(exclusive = true, multiplicity = "0..1")
    private Choice choice = new Choice();

    static final class Choice {
        @Option(names = "--par", paramLabel = "DIR", description = "Calls: a model directory that answers.")
        private @Nullable Path par;

        @Option(
                names = "--remote",
                paramLabel = "FILE",
                description = "Calls: a reasoner on a server; configs/remote.yaml.")
        private @Nullable Path remote;

        @Option(
                names = "--responses",
                paramLabel = "FILE",
                description = "Calls: answers to score, a line each: {\"id\", \"response\"} or {\"id\", \"calls\"}.")
        private @Nullable Path responses;
    }

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Override a key of the --remote file (repeatable).")
    private List<String> overrides = List.of();

    @Option(names = "--max-new", defaultValue = "256", description = "Most tokens of a response (default: 256).")
    private int maxNew;

    @Option(names = "--batch-size", defaultValue = "16", description = "Prompts decoded together (default: 16).")
    private int batchSize;

    @Option(names = "--dtype", defaultValue = "fp32", description = "fp32, bf16 or int8 (default: ${DEFAULT-VALUE}).")
    private Precision dtype;

    @Option(names = "--constrained", description = "Keep every response to the grammar and to the task's functions.")
    private boolean constrained;

    @Option(
            names = "--run-dir",
            paramLabel = "DIR",
            description = "Where predictions and verdicts go; run again to go on. Needed with --par and --remote.")
    private @Nullable Path directory;

    @Option(names = "--resume", paramLabel = "MODE", defaultValue = "auto", description = "auto, required or never.")
    private Resume resume;

    /** How the reasoner answers; the other one is null. */
    private record Answering(LocalReasoner.@Nullable Settings local, RemoteReasoner.@Nullable RemoteSettings remote) {}

    /** @throws UsageException if an option of this mixin was given: they are not for the suite */
    void requireNone(String suite) {
        for (String option : List.of("--par", "--remote", "--responses", "--set", "--run-dir", "--resume")) {
            refuse(option, option + " is for function-calling suites; suite " + suite + " trains its own gates");
        }
        LOCAL.forEach(option ->
                refuse(option, option + " is for function-calling suites; suite " + suite + " trains its own gates"));
    }

    private void refuse(String option, String why) {
        if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
            throw new UsageException(why);
        }
    }

    /** Has the tasks answered, or reads the answers, and scores them; the baselines alone where nobody is named. */
    SuiteResult score(CallScoring scoring) {
        if (choice.par == null) {
            LOCAL.forEach(option -> refuse(option, option + " is for --par"));
        }
        if (choice.remote == null) {
            refuse("--set", "--set overrides keys of a --remote file; there is none");
        }
        if (choice.par == null && choice.remote == null) {
            refuse("--resume", "--resume is for --par and --remote; there is no run to go on with");
        }
        if (choice.responses != null) {
            Map<String, Optional<List<FunctionCall>>> answers = scoring.read(choice.responses);
            return scoring.score("responses:" + choice.responses.getFileName(), answers, verdicts());
        }
        if (choice.par == null && choice.remote == null) {
            refuse("--run-dir", "--run-dir keeps the answers of --par, --remote or --responses; none is named");
            return scoring.baselines();
        }
        return run(scoring);
    }

    private @Nullable Path verdicts() {
        return directory == null ? null : directory.resolve("verdicts.jsonl");
    }

    private SuiteResult run(CallScoring scoring) {
        if (directory == null) {
            throw new UsageException("name the folder that keeps the answers with --run-dir");
        }
        RemoteReasoner.Config remote =
                choice.remote == null ? null : StrictYaml.read(choice.remote, RemoteReasoner.Config.class, overrides);
        try (StopSignal stop = StopSignal.install();
                Reasoner reasoner = remote == null ? local() : remote(remote, directory, stop);
                RunDirectory run = RunDirectory.open(directory, resume, description(scoring, reasoner, remote))) {
            int chunk = remote == null
                    ? CHUNK
                    : Math.max(CHUNK, ROUNDS * remote.server().concurrency());
            List<Prediction> predictions =
                    new CallRun(reasoner, chunk).run(scoring.tasks(), directory.resolve("predictions.jsonl"), stop);
            SuiteResult result = scoring.score(reasoner.id(), CallScoring.of(predictions), verdicts());
            run.finish(result);
            return result;
        }
    }

    private LocalReasoner.Settings settings() {
        try {
            return new LocalReasoner.Settings(maxNew, batchSize, dtype, constrained);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--" + e.getMessage());
        }
    }

    private Reasoner local() {
        return LocalReasoner.open(
                Objects.requireNonNull(choice.par, "one is named"), NO_SCENARIOS, ScreenTexts.none(), settings());
    }

    private static Reasoner remote(RemoteReasoner.Config remote, Path directory, StopSignal stop) {
        RemoteReasoner.RemoteSettings queries = remote.reasoner();
        return new RemoteReasoner(
                queries,
                new ChatClient(remote.server(), queries.model(), System.getenv(), stop::requested),
                new AnswerJournal(directory.resolve("answers.jsonl")),
                new PromptRenderer(queries.prompt(), NO_SCENARIOS, ScreenTexts.none()));
    }

    private RunDescription description(CallScoring scoring, Reasoner reasoner, RemoteReasoner.@Nullable Config remote) {
        List<CallTask> tasks = scoring.tasks();
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("suite", scoring.suite().name());
        facts.put("data", scoring.suite().source().toString());
        facts.put("tasks_sha256", CallRun.sha256(tasks));
        facts.put("reasoner", reasoner.id());
        facts.put(
                "model_sha256",
                choice.par == null
                        ? "none"
                        : HuggingFaceDirectory.open(choice.par).sha256());
        Answering answering = remote == null ? new Answering(settings(), null) : new Answering(null, remote.reasoner());
        List<String> arguments = spec.commandLine().getParseResult().originalArgs();
        return new RunDescription("eval suite", arguments, StrictYaml.write(answering), facts);
    }
}
