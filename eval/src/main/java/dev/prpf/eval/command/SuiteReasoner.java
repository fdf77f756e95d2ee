package dev.prpf.eval.command;

import dev.prpf.base.command.CascadePart;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.eval.calls.CallRun;
import dev.prpf.eval.calls.CallScoring;
import dev.prpf.eval.calls.CallSuite;
import dev.prpf.eval.calls.CallTask;
import dev.prpf.eval.suite.SuiteResult;
import dev.prpf.par.cascade.LocalReasoner;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.Reasoner;
import dev.prpf.par.cascade.RemoteReasoner;
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
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Options of a function-calling suite: the reasoner, its decoding, and the folder of its answers; a mixin. */
final class SuiteReasoner implements CallSuite.AnswerOptions {
    private static final ScenarioCatalog NO_SCENARIOS = new ScenarioCatalog(List.of(), Map.of());
    private static final int CHUNK = 64;
    private static final int ROUNDS = 4; // answers differ in speed: one round would leave a server idle at its end

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @ArgGroup(exclusive = true, multiplicity = "0..1")
    private Choice choice = new Choice();

    static final class Choice {
        @Option(
                names = "--reasoner",
                converter = CascadePart.Reasoner.class,
                paramLabel = "DIR",
                description = "Calls: a model directory that answers.")
        private @Nullable Path par;

        @Option(
                names = "--remote",
                paramLabel = "FILE",
                description = "Calls: a reasoner on a server; configs/remote.yaml.")
        private @Nullable Path remote;

        @Option(
                names = "--responses",
                paramLabel = "FILE",
                description = "Calls: answers to score, one a line: {\"id\", \"response\"} or {\"id\", \"calls\"}.")
        private @Nullable Path responses;
    }

    @Mixin
    private DecodingOptions decoding;

    @Option(
            names = "--run-dir",
            paramLabel = "DIR",
            description =
                    "Folder for predictions and verdicts; run again to resume. Required with --reasoner and --remote.")
    private @Nullable Path directory;

    @Option(names = "--resume", paramLabel = "MODE", defaultValue = "auto", description = "auto, required or never.")
    private Resume resume;

    @Override
    public String kind() {
        return "function-calling suites";
    }

    private ParseResult given() {
        return spec.commandLine().getParseResult();
    }

    private void refuse(String option, String why) {
        DecodingOptions.refuse(given(), option, why);
    }

    @Override
    public SuiteResult score(CallScoring scoring) {
        if (choice.par == null && choice.remote == null) {
            DecodingOptions.refuseLocal(given(), "is for --reasoner");
            refuse("--resume", "--resume is for --reasoner and --remote; there is no run to resume");
        }
        if (choice.remote == null) {
            DecodingOptions.refuseOverrides(given());
        }
        if (choice.responses != null) {
            Map<String, Optional<List<FunctionCall>>> answers = scoring.read(choice.responses);
            return scoring.score("responses:" + choice.responses.getFileName(), answers, verdicts());
        }
        if (choice.par == null && choice.remote == null) {
            refuse("--run-dir", "--run-dir keeps the answers of --reasoner, --remote or --responses; none is named");
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
        RemoteReasoner.Config remote = choice.remote == null ? null : decoding.remote(choice.remote, given(), false);
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

    private Reasoner local() {
        return LocalReasoner.open(
                Objects.requireNonNull(choice.par, "one is named"), NO_SCENARIOS, ScreenTexts.none(), decoding.local());
    }

    private static Reasoner remote(RemoteReasoner.Config remote, Path directory, StopSignal stop) {
        RemoteReasoner.RemoteSettings queries = remote.reasoner();
        return new RemoteReasoner(
                queries,
                new ChatClient(remote.server(), queries.model(), System.getenv(), stop::requested),
                new AnswerJournal(directory.resolve("answers.jsonl")),
                new PromptRenderer(queries.prompt(), NO_SCENARIOS, ScreenTexts.none()),
                new ImageFolder(null));
    }

    private RunDescription description(CallScoring scoring, Reasoner reasoner, RemoteReasoner.@Nullable Config remote) {
        List<CallTask> tasks = scoring.tasks();
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("suite", scoring.suite().name());
        facts.put("data", scoring.suite().source().toString());
        facts.put("tasks_sha256", CallRun.sha256(tasks));
        facts.putAll(DecodingOptions.facts(reasoner.id(), choice.par, remote));
        List<String> arguments = given().originalArgs();
        return new RunDescription("eval suite", arguments, StrictYaml.write(decoding.answering(remote)), facts);
    }
}
